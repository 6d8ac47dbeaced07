// Somebody with the role Viewer in one workspace: roles_test.py says in DET_SERVER where the server is, in DET_ROLES what is there.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { launch, test } from './chromium.mjs';
import { front } from './front.mjs';

const webui = new URL('../../webui/', import.meta.url);
const server = process.env.DET_SERVER;
const { name, password, workspace, project, experiment } = JSON.parse(process.env.DET_ROLES);
const kChanges = /^(New|Change$|Delete|Archive|Kill|Disable|Move|Priority|Remove|Edit|Write|Register|Start (?!a TensorBoard$)|Pause|Activate|Cancel|Fork|More|Save$)/;

let browser;
let page;
let own;
let base = server;

async function signIn(where, who, secret) {
  await where.goto(`${base}/ui/sign-in`);
  await where.getByLabel('Name').fill(who);
  await where.getByLabel('Password').fill(secret);
  await where.getByRole('button', { name: 'Sign in' }).click();
  await where.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
}

before(async () => {
  const answer = await fetch(new URL('/ui/', server));
  if (!answer.ok || !(await answer.text()).includes('id="root"')) base = (own = await front(server, fileURLToPath(new URL('dist', webui)))).url;
  browser = await launch();
  page = await browser.newPage();
  await signIn(page, name, password);
});

after(async () => {
  await browser?.close();
  own?.stop();
});

test('a viewer sees every page without an error, and nothing to change it with', async () => {
  const refused = [];
  page.on('response', (answer) => { if (answer.status() === 403) refused.push(answer.url()); });
  for (const path of ['', 'tasks', 'queue', 'cluster', 'workspaces', `workspaces/${workspace}`, `projects/${project}`, 'models', 'models/detector', 'templates',
    'experiments', ...['overview', 'trials', 'checkpoints', 'notes'].map((tab) => `experiments/${experiment}/${tab}`),
    ...['users', 'groups', 'roles', 'tokens', 'webhooks', 'policies', 'message'].map((part) => `admin/${part}`)]) {
    await page.goto(`${base}/ui/${path}`);
    await page.locator('main h1').first().waitFor();
    await page.waitForLoadState('load');
    await page.locator('.spinner').first().waitFor({ state: 'detached' });
    assert.equal(await page.getByText('could not be loaded').count(), 0, path);
    assert.equal(await page.locator('main').getByRole('button', { name: kChanges }).count(), 0, path);
  }
  assert.deepEqual(refused, []);
});

test('a viewer compares experiments, and does nothing else with them', async () => {
  await page.goto(`${base}/ui/experiments`);
  await page.getByLabel(`Choose experiment ${experiment}`).check();
  await page.getByRole('toolbar').getByRole('button', { name: 'Compare' }).waitFor();
  assert.equal(await page.locator('main').getByRole('button', { name: kChanges }).count(), 0);
});

test('a viewer finds what is in the workspace', async () => {
  await page.goto(`${base}/ui/tasks`);
  await page.getByRole('row', { name: /sleeps/ }).waitFor();
  await page.goto(`${base}/ui/models`);
  await page.getByRole('link', { name: 'detector' }).waitFor();
  await page.goto(`${base}/ui/settings`);
  await page.getByText('You may not make access tokens').waitFor();
});

test('an administrator gives a role, and takes it away', async () => {
  const context = await browser.newContext();
  const admin = await context.newPage();
  await signIn(admin, 'admin', '');
  await admin.goto(`${base}/ui/admin/roles`);
  await admin.getByRole('row', { name: /viewer.*Viewer.*Vision/ }).waitFor();
  await admin.getByRole('button', { name: 'Give a role' }).click();
  await admin.getByLabel('To').selectOption({ label: name });
  await admin.getByLabel('Role', { exact: true }).selectOption({ label: 'Editor' });
  await admin.getByLabel('In', { exact: true }).selectOption({ label: 'Vision' });
  await admin.getByRole('dialog').getByRole('button', { name: 'Give', exact: true }).click();
  const line = admin.getByRole('row', { name: /viewer.*Editor.*Vision/ });
  await line.waitFor();
  await line.getByRole('button', { name: `Take Editor from ${name}` }).click();
  await admin.getByRole('dialog').getByRole('button', { name: 'Take away' }).click();
  await line.waitFor({ state: 'detached' });
  await context.close();
});

test('an administrator keeps a pool for a workspace', async () => {
  const context = await browser.newContext();
  const admin = await context.newPage();
  await signIn(admin, 'admin', '');
  await admin.goto(`${base}/ui/cluster`);
  await admin.getByRole('button', { name: 'Who may use pool spare' }).click();
  const dialog = admin.getByRole('dialog');
  await dialog.getByText('Everybody may use it').waitFor();
  await dialog.getByLabel('Vision').check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await admin.reload();
  await admin.getByRole('button', { name: 'Who may use pool spare' }).click();
  await dialog.getByText('Only what is started in these workspaces').waitFor();
  assert.equal(await dialog.getByLabel('Vision').isChecked(), true);
  assert.equal(await admin.getByRole('button', { name: 'Who may use pool default' }).count(), 0);
  await context.close();
});
