// Somebody with the role Viewer in one workspace: roles_test.py says in DET_SERVER where the server is, in DET_ROLES what is there.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { front } from './front.mjs';

const webui = new URL('../../webui/', import.meta.url);
const { chromium } = createRequire(new URL('package.json', webui))('playwright-core');
const server = process.env.DET_SERVER;
const { name, password, workspace, project } = JSON.parse(process.env.DET_ROLES);
const kChanges = /^(New|Change$|Delete|Archive|Kill|Disable|Move|Priority|Remove|Edit|Write|Register|Start|Pause|Save$)/;

let browser;
let page;
let own;
let base = server;

before(async () => {
  const answer = await fetch(new URL('/ui/', server));
  if (!answer.ok || !(await answer.text()).includes('id="root"')) base = (own = await front(server, fileURLToPath(new URL('dist', webui)))).url;
  browser = await chromium.launch({ executablePath: process.env.DET_CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
  page = await browser.newPage();
  await page.goto(`${base}/ui/sign-in`);
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
});

after(async () => {
  await browser?.close();
  own?.stop();
});

test('a viewer sees every page without an error, and nothing to change it with', async () => {
  const refused = [];
  page.on('response', (answer) => { if (answer.status() === 403) refused.push(answer.url()); });
  for (const path of ['', 'tasks', 'queue', 'cluster', 'workspaces', `workspaces/${workspace}`, `projects/${project}`, 'models', 'models/detector', 'templates',
    ...['users', 'groups', 'tokens', 'webhooks', 'policies', 'message'].map((part) => `admin/${part}`)]) {
    await page.goto(`${base}/ui/${path}`);
    await page.locator('main h1').first().waitFor();
    await page.waitForLoadState('load');
    await page.locator('.spinner').first().waitFor({ state: 'detached' });
    assert.equal(await page.getByText('could not be loaded').count(), 0, path);
    assert.equal(await page.locator('main').getByRole('button', { name: kChanges }).count(), 0, path);
  }
  assert.deepEqual(refused, []);
});

test('a viewer finds what is in the workspace', async () => {
  await page.goto(`${base}/ui/tasks`);
  await page.getByRole('row', { name: /sleeps/ }).waitFor();
  await page.goto(`${base}/ui/models`);
  await page.getByRole('link', { name: 'detector' }).waitFor();
  await page.goto(`${base}/ui/settings`);
  await page.getByText('You may not make access tokens').waitFor();
});
