// The page in Chromium against a server with experiments: page_test.py starts both and says in DET_SERVER where it is, in DET_EXPERIMENTS which.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { launch, test } from './chromium.mjs';
import { front } from './front.mjs';

const webui = new URL('../../webui/', import.meta.url);
const required = createRequire(new URL('package.json', webui));
const axe = readFileSync(required.resolve('axe-core/axe.min.js'), 'utf8');
const server = process.env.DET_SERVER;
const { done, failed, trial, failedTrial } = JSON.parse(process.env.DET_EXPERIMENTS);

let browser;
let context;
let page;
let own;
let base = server;
const complaints = [];

async function isServed() {
  const answer = await fetch(new URL('/ui/', server));
  return answer.ok && (await answer.text()).includes('id="root"');
}

before(async () => {
  if (!await isServed()) base = (own = await front(server, fileURLToPath(new URL('dist', webui)))).url;
  browser = await launch();
  context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  page = await context.newPage();
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => { if (message.text().includes('Content Security Policy')) complaints.push(message.text()); });
  page.on('dialog', (dialog) => { complaints.push(`a dialog: ${dialog.message()}`); void dialog.dismiss(); });
});

after(async () => {
  await browser?.close();
  own?.stop();
});

const open = (path) => page.goto(`${base}/ui/${path}`);
const heading = (name) => page.getByRole('heading', { name, level: 1 }).waitFor();

test('signing in leads to where one wanted to go', async () => {
  await open('experiments?q=fails');
  await page.getByLabel('Name').fill('determined');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await heading(/^Experiments/);
  assert.match(page.url(), /experiments\?q=fails$/);
  await page.getByRole('row', { name: /fails/ }).waitFor();
  assert.equal(await page.getByRole('row').count(), 2);
  assert.equal(await page.evaluate('document.cookie'), '');
});

test('the form to log in leads to nobody else', async () => {
  for (const wish of ['/.//evil.example/', '//evil.example/', '/\\evil.example/', 'https://evil.example/']) {
    const guest = await (await browser.newContext()).newPage();
    await guest.goto(`${server}/det/login?redirect=${encodeURIComponent(wish)}`);
    await guest.getByLabel('Username').fill('determined');
    await guest.getByRole('button', { name: 'Log in' }).click();
    await guest.waitForURL((url) => url.pathname !== '/det/login');
    assert.equal(new URL(guest.url()).origin, new URL(server).origin, wish);
    await guest.context().close();
  }
});

test('home says why an experiment failed', async () => {
  await open('');
  await page.getByText('ValueError: no such <b>thing</b>').waitFor();
});

test('a name is text, whatever is in it', async () => {
  await open('experiments');
  await page.getByRole('link', { name: '<img src=x onerror=alert(1)>' }).click();
  await heading('<img src=x onerror=alert(1)>');
  assert.equal(await page.locator('main img').count(), 0);
});

test('the state of the table is in the address, also after reload and back', async () => {
  await open('experiments');
  await page.getByLabel('State', { exact: true }).selectOption('ERROR');
  await page.waitForURL(/state=ERROR/);
  await page.reload();
  await page.getByRole('row', { name: /fails/ }).waitFor();
  assert.equal(await page.getByLabel('State', { exact: true }).inputValue(), 'ERROR');
  await page.getByRole('link', { name: /fails/ }).click();
  await heading(/fails/);
  await page.goBack();
  await heading(/^Experiments/);
  assert.match(page.url(), /state=ERROR/);
});

test('a tab that was open before an upgrade loads the newer page when a part of its own is not there', async () => {
  await open('experiments?state=ERROR');
  await page.getByRole('row', { name: /fails/ }).waitFor();
  await page.evaluate('window.wasLoadedOnce = true');
  await page.route('**/assets/FilterPanel-*.js', (route) => route.fulfill({ status: 404, body: 'not found' }), { times: 1 });
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.waitForFunction(() => window.wasLoadedOnce === undefined);
  await page.getByRole('row', { name: /fails/ }).waitFor();
  assert.match(page.url(), /state=ERROR/);
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('group', { name: 'Condition 1' }).waitFor();
  // When that was just tried, one is told.
  await page.route('**/assets/ColumnsDialog-*.js', (route) => route.fulfill({ status: 404, body: 'not found' }), { times: 1 });
  await page.getByRole('button', { name: 'Columns', exact: true }).click();
  await page.getByRole('button', { name: 'Reload the page' }).click();
  await page.getByRole('row', { name: /fails/ }).waitFor();
});

test('an experiment shows its curve', async () => {
  await open(`experiments/${done}`);
  await page.getByLabel('Metric').selectOption('training.loss');
  await page.getByRole('img', { name: /training.loss/ }).locator('canvas').waitFor();
});

test('a log shows colours and letters', async () => {
  await open(`trials/${failedTrial}/logs`);
  const red = page.locator('.ansi-red', { hasText: 'red' });
  await red.waitFor();
  await page.getByText('no such <b>thing</b>').first().waitFor();
  await page.getByPlaceholder('Search in the log').fill('no such');
  await page.getByText(/^[1-9] lines? found$/).waitFor();
});

test('notes are kept, and are no HTML', async () => {
  await open(`experiments/${done}/notes`);
  await page.getByRole('button', { name: 'Write notes' }).click();
  await page.getByLabel('Notes, in Markdown').fill('# Seen\n\n**bold** <script>alert(1)</script> [x](javascript:alert(1))');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('heading', { name: 'Seen' }).waitFor();
  assert.equal(await page.locator('.markdown script, .markdown a').count(), 0);
  assert.equal(await page.locator('.markdown strong').textContent(), 'bold');
});

test('menus and dialogs go by keyboard, which comes back to what opened them', async () => {
  await open(`experiments/${done}/overview`);
  const more = page.getByRole('button', { name: /^More/ });
  const item = (name) => page.getByRole('menuitem', { name });
  const isFocused = (shown) => shown.and(page.locator(':focus')).waitFor();
  await more.focus();
  await page.keyboard.press('ArrowDown');
  const names = await page.getByRole('menuitem').allTextContents();
  assert.ok(names.length >= 3, names.join());
  await isFocused(item(names[0]));
  await page.keyboard.press('End');
  await isFocused(item(names.at(-1)));
  await page.keyboard.press('ArrowDown');
  await isFocused(item(names[0]));
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });
  await isFocused(more);
  await page.keyboard.press('ArrowUp');
  await isFocused(item(names.at(-1)));
  await page.keyboard.press('c');
  await page.keyboard.press('c');
  await isFocused(item('Change labels'));
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: `Labels of experiment ${done}` });
  await dialog.waitFor();
  for (let i = 0; i < 10; i += 1) {
    assert.ok(await page.evaluate('document.activeElement === document.body || document.activeElement.closest("dialog") !== null'));
    await page.keyboard.press(i % 3 === 2 ? 'Shift+Tab' : 'Tab');
  }
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await isFocused(more);
});

test('a press beside a menu or a dialog closes it, unless one writes in it', async () => {
  const more = page.getByRole('button', { name: /^More/ });
  const menu = page.getByRole('menu');
  await more.click();
  await menu.waitFor();
  await more.click();
  await menu.waitFor({ state: 'detached' });
  await more.click();
  await page.getByRole('heading', { level: 1 }).click();
  await menu.waitFor({ state: 'detached' });
  const dialog = page.getByRole('dialog');
  const choose = async (name) => { await more.click(); await page.getByRole('menuitem', { name }).click(); await dialog.waitFor(); };
  const beside = { x: 5, y: 450 };
  await choose(/^Move/);
  await dialog.getByRole('heading', { level: 2 }).hover();  // which waits until the dialog has its size
  await page.mouse.down();
  await page.mouse.move(beside.x, beside.y);
  await page.mouse.up();  // a selection that ends beside it
  await page.evaluate('new Promise(requestAnimationFrame)');
  assert.equal(await dialog.count(), 1);
  await page.mouse.click(beside.x, beside.y);
  await dialog.waitFor({ state: 'detached' });
  await choose('Change labels');
  await page.mouse.click(beside.x, beside.y);
  await page.evaluate('new Promise(requestAnimationFrame)');
  assert.equal(await dialog.count(), 1);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

test('what is chosen is archived together', async () => {
  await open('experiments?state=ERROR');
  await page.getByLabel(`Choose experiment ${failed}`).check();
  await page.getByRole('button', { name: 'Archive' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
  await page.getByText('No experiment is like that').waitFor();
});

test('no page has a fault that axe finds, light or dark, wide or narrow', async () => {
  for (const [colorScheme, width] of [['light', 1440], ['dark', 390]]) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    for (const path of ['', 'experiments', 'experiments/999999', 'nowhere', 'sign-in', ...['overview', 'trials', 'config', 'checkpoints', 'notes'].map((tab) => `experiments/${done}/${tab}`),
      ...['metrics', 'logs', 'hyperparameters', 'checkpoints'].map((tab) => `trials/${trial}/${tab}`)]) {
      await open(path);
      await page.locator('main h1').first().waitFor();
      await page.locator('.spinner').first().waitFor({ state: 'detached' });
      const { violations } = await page.evaluate(`${axe};axe.run(document)`);
      assert.deepEqual(violations.map(({ id, nodes }) => `${path}: ${id}: ${nodes[0].html}`), []);
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${path} is wider than ${width}`);
    }
  }
});

test('signing out that failed is told, and the page stays', async () => {
  await open('experiments');
  await page.route('**/api/v1/auth/logout', (route) => route.fulfill({ status: 503, json: { message: 'The database is away.' } }));
  await page.getByRole('button', { name: /determined/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('alert').getByText('You are still signed in: The database is away.').waitFor();
  assert.match(page.url(), /experiments/);
  await page.unroute('**/api/v1/auth/logout');
});

test('a session that ends leads to signing in, and back', async () => {
  await open(`trials/${trial}/metrics`);
  await heading(/Trial/);
  await context.clearCookies();
  // By an address: a click would race with the page, which may notice by itself. live.test.mjs has that.
  await open('experiments');
  await heading('Sign in');
});

test('nothing broke the policy, and nothing threw', () => assert.deepEqual(complaints, []));
