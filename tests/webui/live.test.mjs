// The page while things happen, in Chromium: live_test.py says in DET_LIVE what is there, and at `control` kills the server and starts it again.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { below } from './below.mjs';
import { begin } from './browser.mjs';
import { test } from './chromium.mjs';

const { live, liveTrial, search, waiting, notebook, control } = JSON.parse(process.env.DET_LIVE);
const kPrefix = '/some/prefix';
let site;
let page;
let open;
let proxy;

before(async () => {
  site = await begin();
  ({ page, open } = site);
  await site.signIn('determined');
  proxy = await below(process.env.DET_SERVER, kPrefix);
});
after(async () => { await site?.end(); proxy?.stop(); });

const ask = async (what) => (await fetch(`${control}/${what}`, { method: 'POST' })).json();
const heading = (name, on = page) => on.getByRole('heading', { name, level: 1 }).waitFor();
const mark = (on = page) => on.evaluate('window.wasLoadedOnce = true');
const isSame = async (on = page) => assert.equal(await on.evaluate('window.wasLoadedOnce'), true, 'it was loaded anew');
async function until(what, found) {
  for (let i = 0; i < 2400; i += 1) {
    if (await found()) return;
    await new Promise((again) => setTimeout(again, 100));
  }
  assert.fail(`not in 240 s: ${what}`);
}
async function signIn(on) {
  await on.getByLabel('Name').fill('determined');
  await on.getByRole('button', { name: 'Sign in' }).click();
}

test('a chart gets points while a trial trains', async () => {
  await open(`trials/${liveTrial}/metrics`);
  const chart = page.getByRole('img', { name: /^training\.loss/ }).locator('canvas');
  await chart.waitFor();
  await mark();
  const drawn = () => page.evaluate(() => document.querySelector('[aria-label^="training.loss"] canvas')?.toDataURL());
  const first = await drawn();
  await until('the chart is drawn anew', async () => { const now = await drawn(); return now && now !== first; });
  await isSame();
});

test('compared trials show their last values while they train', async () => {
  await open(`compare?trials=[${liveTrial}]`);
  const steps = page.getByRole('group', { name: 'Metrics' }).getByRole('row', { name: /^validation\.batches/ }).getByRole('cell');
  const first = await steps.textContent();
  await until('the last value is a later one', async () => await steps.textContent() !== first);
});

test('what one tab does shows in the other', async () => {
  const other = await page.context().newPage();
  await open(`experiments/${waiting}`);
  await other.goto(page.url());
  await other.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByRole('button', { name: 'Activate', exact: true }).click();
  await other.getByRole('button', { name: 'Pause', exact: true }).waitFor();
  await other.close();
});

test('a gang that waits says why, in the queue and on its own page', async () => {
  await open('queue');
  const job = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'a gang' }) });
  const words = await job.locator('.reason').textContent();
  assert.match(words, /its 16 pods have to start together/);
  await job.getByRole('link', { name: 'a gang' }).click();
  await heading('a gang');
  assert.match(await page.locator('.reason').textContent(), /It waits: .*its 16 pods have to start together/);
});

test('a server that is killed: the page says so, and goes on by itself', async () => {
  await open('experiments');
  await page.getByRole('row', { name: /trains on/ }).waitFor();
  await mark();
  const log = await page.context().newPage();
  await log.goto(page.url().replace(/experiments.*/, `trials/${liveTrial}/logs`));
  await log.locator('.log-line').first().waitFor();
  await mark(log);
  await ask('kill');
  await page.getByText('Not live: connecting again').waitFor();
  await page.getByRole('row', { name: /trains on/ }).waitFor();
  await log.getByText('Not live: connecting again').waitFor();
  const last = await log.locator('.log-number').last().textContent();
  await ask('start/made-meanwhile');
  await page.getByText('made-meanwhile').waitFor();
  await page.getByText('Not live: connecting again').waitFor({ state: 'detached' });
  await isSame();
  await until('the log goes on', async () => Number(await log.locator('.log-number').last().textContent()) > Number(last));
  await isSame(log);
  await log.close();
});

test('signing out in another tab leads to the sign-in page, and signing in back to where one was', async () => {
  await open(`experiments/${search}/trials`);
  await page.getByRole('table', { name: 'Trials' }).waitFor();
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.getByRole('button', { name: /determined/ }).click();
  await other.getByRole('menuitem', { name: 'Sign out' }).click();
  await heading('Sign in', other);
  await heading('Sign in');
  await signIn(page);
  await page.getByRole('table', { name: 'Trials' }).waitFor();
  assert.match(page.url(), new RegExp(`experiments/${search}/trials$`));
  await other.close();
});

test('a session that is ended elsewhere, with a search in the address', async () => {
  await open('experiments?q=trains');
  await page.getByRole('row', { name: /trains on/ }).waitFor();
  const { value } = (await page.context().cookies()).find(({ name }) => name === 'auth');
  const done = await fetch(new URL('/api/v1/auth/logout', process.env.DET_SERVER), { method: 'POST', headers: { Authorization: `Bearer ${value}` } });
  assert.equal(done.status, 200);
  await heading('Sign in');
  await signIn(page);
  await page.getByRole('row', { name: /trains on/ }).waitFor();
  assert.match(page.url(), /experiments\?q=trains$/);
});

test('below a path: signing in, reload, redirects, and eight tabs that share one stream', async () => {
  const context = await page.context().browser().newContext();
  const first = await context.newPage();
  await first.goto(`${proxy.url}/det/experiments/${search}`);
  await signIn(first);
  await heading('sixty-four', first);
  assert.equal(first.url(), `${proxy.url}/ui/experiments/${search}/overview`);
  await first.reload();
  await heading('sixty-four', first);
  const tabs = [first];
  while (tabs.length < 8) tabs.push(await context.newPage());
  for (const tab of tabs) {
    await tab.goto(`${proxy.url}/ui/experiments`);
    await tab.getByRole('row', { name: /trains on/ }).waitFor();
    await mark(tab);
  }
  await until('one stream', () => proxy.open('/api/v1/live') === 1);
  await ask('make/for-all-tabs');
  for (const tab of tabs) {
    await tab.getByText('for-all-tabs').waitFor();
    await isSame(tab);
  }
  assert.equal(proxy.open('/api/v1/live'), 1);
  // Each log that is looked at is a stream; a browser's window shows one tab. Headless Chromium takes all for visible.
  for (const [i, tab] of tabs.entries()) {
    await tab.goto(`${proxy.url}/ui/trials/${liveTrial}/logs`);
    await tab.locator('.log-line').first().waitFor();
    if (i === tabs.length - 1) break;
    await tab.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    });
  }
  const newest = (tab) => tab.locator('.log-number').last().textContent();
  await until('one log is followed', () => proxy.open(`/api/v1/trials/${liveTrial}/logs`) === 1);
  const seen = await newest(tabs[0]);
  await until('the last tab follows', async () => Number(await newest(tabs[7])) > Number(seen) + 2);
  assert.equal(await newest(tabs[0]), seen, 'a tab that nobody sees follows nothing');
  await tabs[0].evaluate(() => { delete document.visibilityState; document.dispatchEvent(new Event('visibilitychange')); });
  await until('it follows when it is seen again', async () => Number(await newest(tabs[0])) > Number(seen) + 2);
  await context.close();
});

test('every address is the same after a reload', async () => {
  const paths = ['', 'experiments?sort=id=asc', 'tasks?ended=true', 'queue', 'cluster', 'workspaces', 'workspaces/1', 'projects/1', 'models', 'templates', 'settings', 'admin/users', 'compare',
    ...['overview', 'search', 'hyperparameters', 'trials', 'logs', 'code', 'config', 'checkpoints', 'notes', 'fork'].map((tab) => `experiments/${search}/${tab}`),
    ...['metrics', 'logs', 'runs', 'system', 'hyperparameters', 'checkpoints'].map((tab) => `trials/${liveTrial}/${tab}`)];
  const title = async () => { await page.locator('main h1').first().waitFor(); return page.locator('main h1').first().textContent(); };
  for (const path of paths) {
    await open(path);
    const [first, url] = [await title(), page.url()];
    await page.reload();
    assert.equal((await title()).replace(/\d/g, ''), first.replace(/\d/g, ''), path);
    assert.equal(page.url(), url, path);
    assert.equal(await page.getByText('could not be loaded').count(), 0, path);
    // By which one tells tabs of the browser apart; it comes behind the heading.
    await page.waitForFunction((word) => document.title.startsWith(word) && document.title.endsWith(' · det-operator'), first.split(' ')[0]);
  }
});

test('back and forward through the pages', async () => {
  await open('');
  await heading('Home');
  const names = ['Experiments', 'Tasks', 'Queue', 'Cluster', 'Workspaces', 'Models', 'Templates'];
  for (const name of names) {
    await page.getByRole('link', { name, exact: true }).click();
    await heading(new RegExp(`^${name}`));
  }
  for (const name of [...names.slice(0, -1).reverse(), 'Home']) { await page.goBack(); await heading(new RegExp(`^${name}`)); }
  for (const name of names) { await page.goForward(); await heading(new RegExp(`^${name}`)); }
});

test('a search of 64 trials has 64 curves, lines and rows', async () => {
  await open(`experiments/${search}`);
  const chart = page.getByRole('img', { name: 'validation.validation_loss: 64 curves' });
  await chart.waitFor(); // it may still train
  // A part that is zoomed into is asked for by itself.
  const box = await chart.locator('.u-over').boundingBox();
  const [asked] = await Promise.all([
    page.waitForRequest((request) => /\/curves\?.*startBatches=/.test(request.url())),
    (async () => {
      await page.mouse.move(box.x + box.width * 0.3, box.y + 40);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.6, box.y + 40, { steps: 5 });
      await page.mouse.up();
    })(),
  ]);
  const part = new URL(asked.url()).searchParams;
  assert.ok(Number(part.get('startBatches')) < Number(part.get('endBatches')), asked.url());
  await chart.waitFor();
  // Another way to look at them begins with all of it.
  const [whole] = await Promise.all([page.waitForRequest((request) => /\/curves\?.*axis=time/.test(request.url())), page.getByLabel('Across').selectOption('time')]);
  assert.doesNotMatch(whole.url(), /startBatches/);
  await page.getByLabel('Across').selectOption('batches');
  await chart.waitFor();
  await page.getByRole('link', { name: 'Trials', exact: true }).click();
  await page.getByRole('table', { name: 'Trials' }).waitFor();
  assert.equal(await page.getByRole('table', { name: 'Trials' }).getAttribute('aria-rowcount'), '65');
  await page.getByRole('link', { name: 'Hyperparameters', exact: true }).click();
  await page.getByRole('heading', { name: '64 of 64 trials' }).waitFor();
});

test('a notebook opens from the list of tasks, which shows its idle clock', { skip: !notebook && 'scripts/notebook-env.sh has not been run' }, async () => {
  await open('tasks');
  const row = page.getByRole('row', { name: /a notebook/ });
  await row.getByText('ends after 30 min idle').waitFor();
  const opened = page.waitForEvent('popup');
  await row.getByRole('link', { name: 'Open a notebook' }).click();
  const jupyter = await opened;
  await jupyter.waitForFunction(() => /Jupyter/.test(document.title));
  assert.match(jupyter.url(), new RegExp(`/proxy/${notebook}/`));
});

test('nothing broke the policy, and nothing threw', () => assert.deepEqual(site.complaints, []));
