// The pages of experiments and trials in Chromium: experiments_test.py starts the server and says in DET_EXPERIMENTS what is in it.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { begin } from './browser.mjs';
import { test } from './chromium.mjs';

const { report, search, failed, base, fork, live, failedTrial, baseTrial, liveTrial, searchTrials } = JSON.parse(process.env.DET_EXPERIMENTS);
const kInjected = '<img src=x onerror=alert(1)>';
let site;
let page;
let open;

before(async () => {
  site = await begin();
  ({ page, open } = site);
  await site.signIn('determined');
});
after(() => site?.end());

const button = (name, options = {}) => page.getByRole('button', { name, exact: true, ...options });
const more = async (item) => { await button(/^More/, { exact: false }).click(); await page.getByRole('menuitem', { name: item }).click(); };
const number = async (name) => Number((await page.locator('.facts div', { hasText: name }).locator('dd').first().textContent()).replace(/\D/g, ''));
// Types into an editor, in place of all that is there.
async function write(label, text) {
  const editor = page.getByLabel(label);
  await editor.click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(text);
}

test('a search shows its rungs, and each decision with its reason', async () => {
  await open(`experiments/${search}/search`);
  await page.getByRole('heading', { name: 'Bracket 1' }).waitFor();
  assert.ok(await page.locator('.rung-box.went-on').count() > 0);
  assert.ok(await page.locator('.rung-box.finished').count() > 0);
  const decisions = page.getByRole('region', { name: 'Decisions' });
  await decisions.getByText(/because: number \d+ of \d+ after/).first().waitFor();
  const before = await decisions.getByRole('listitem').count();
  await page.getByLabel('Also what changed nothing').check();
  assert.ok(await decisions.getByRole('listitem').count() > before);
  await page.locator('.rung-box.finished').first().focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/trials\/\d+\/metrics/);
  await page.goBack();
  await page.getByRole('heading', { name: 'Bracket 1' }).waitFor();
});

test('hyperparameters are chosen from by keyboard, and the choice is in the address', async () => {
  await open(`experiments/${search}/hyperparameters`);
  await page.getByRole('heading', { name: `${searchTrials} of ${searchTrials} trials` }).waitFor();
  await page.getByRole('img', { name: /trials across 4 hyperparameters/ }).waitFor();
  await page.getByText('Choose ranges in numbers').click();
  const from = page.getByRole('group', { name: 'lr', exact: true }).getByLabel(/^From/);
  await from.focus();
  for (let i = 0; i < 60; i += 1) await page.keyboard.press('ArrowRight');
  await page.waitForURL(/brush=/);
  const kept = page.getByRole('heading', { name: / of \d+ trials/ });
  const told = await kept.textContent();
  assert.ok(Number.parseInt(told, 10) < searchTrials, told);
  await page.reload();
  await kept.waitFor();
  assert.equal(await kept.textContent(), told);
  await button('Keep all').click();
  await page.getByRole('heading', { name: `${searchTrials} of ${searchTrials} trials` }).waitFor();
  await page.getByRole('heading', { name: '<i>net</i>.width' }).waitFor();
  assert.equal(await page.locator('main img').count(), 0);
});

test('the importance of hyperparameters is told with its uncertainty, and in words where it is not known', async () => {
  await open(`experiments/${search}/hyperparameters`);
  const part = page.getByRole('region', { name: 'Which hyperparameters matter' });
  await part.getByRole('row', { name: /^<i>net<\/i>\.width [\d.]+ % ± [\d.]+ %$/ }).waitFor();
  assert.equal(await part.getByRole('row').count(), 6);  // its head, four of them, and several together
  const shares = await part.locator('.right').allTextContents();
  const total = shares.slice(1).reduce((sum, share) => sum + Number.parseFloat(share), 0);
  assert.ok(total > 90 && total < 110, shares.join());
  assert.equal(await part.locator('.whisker').count(), 5);
});

test('dragging along an axis keeps the lines that pass there', async () => {
  await open(`experiments/${search}/hyperparameters`);
  const box = await page.getByRole('img', { name: /trials across/ }).boundingBox();
  const x = box.x + box.width - 60;  // the metric, which is the last axis
  await page.mouse.move(x, box.y + 380);
  await page.mouse.down();
  await page.mouse.move(x, box.y + 250, { steps: 4 });
  await page.mouse.up();
  await page.waitForURL(/brush=/);
  const kept = Number.parseInt(await page.getByRole('heading', { name: / of \d+ trials/ }).textContent(), 10);
  assert.ok(kept > 0 && kept < searchTrials);
});

test('code is a tree of files, whose names and content are text', async () => {
  await open(`experiments/${base}/code`);
  await page.getByRole('heading', { name: 'train.py' }).waitFor();
  await page.getByText('Pretends to train').waitFor();
  await page.getByRole('link', { name: `${kInjected}.txt` }).click();
  await page.waitForURL(/file=/);
  await page.getByText('<script>alert(1)</script>').waitFor();
  await page.reload();
  await page.getByText('<script>alert(1)</script>').waitFor();
  await page.goBack();
  await page.getByText('Pretends to train').waitFor();
  assert.equal(await page.locator('main img').count(), 0);
});

test('a fork tells what is different in its code and its configuration', async () => {
  await open(`experiments/${fork}/code?file=train.py&view=diff`);
  await page.locator('.diff-line.added', { hasText: '# forked' }).waitFor();
  assert.equal(await page.locator('.diff-line.removed').count(), 0);
  await page.getByRole('link', { name: 'Configuration' }).click();
  await button(`Changes since experiment ${base}`).click();
  await page.locator('.diff-line.added', { hasText: 'val: 0.01' }).waitFor();
  await page.locator('.diff-line.removed', { hasText: 'val: 0.001' }).waitFor();
  await button('What was filled in').click();
  await page.locator('.diff-line.added', { hasText: 'preemption_timeout' }).waitFor();
});

test('a fork is checked while one writes, and made', async () => {
  await open(`experiments/${base}/fork`);
  await page.getByText('The server would take this.').waitFor();
  const first = 'name: made here\nentrypoint: python3 train.py\nhyperparameters: {steps: 2}\nsearcher:\n  metric: validation_loss\n  name: ';
  await write('Configuration of the fork, as YAML', `${first}bogus\n`);
  await page.getByText(/'bogus' is unknown/).waitFor();
  await button('Go to line 6').click();
  await write('Configuration of the fork, as YAML', `${first}single\n`);
  await page.getByText('The server would take this.').waitFor();
  await button('Fork and start').click();
  await page.getByRole('heading', { name: 'made here', level: 1 }).waitFor();
  await page.getByRole('link', { name: `Experiment ${base}` }).waitFor();
});

test('labels are added and taken away, and are text', async () => {
  await open(`experiments/${fork}`);
  await more('Change labels');
  const dialog = page.getByRole('dialog');
  let goOn;
  const held = new Promise((done) => { goOn = done; });
  await page.route('**/labels/*', async (route) => { await held; await route.continue(); }, { times: 1 });
  await dialog.getByLabel('New label').fill('<script>alert(2)</script>');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Add' }).and(page.locator(':disabled')).waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await dialog.count(), 1, 'it stays until what was asked for is done');
  goOn();
  await dialog.waitFor({ state: 'detached' });
  await page.locator('main .label', { hasText: '<script>alert(2)</script>' }).waitFor();
  await more('Change labels');
  await dialog.getByRole('button', { name: /Take away the label/ }).click();
  await dialog.getByText('It has no labels').waitFor();
});

test('an experiment is moved to another project, and continued', async () => {
  await open(`experiments/${fork}`);
  await more('Move to another project');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Workspace').selectOption('others');
  await dialog.getByLabel('Project').selectOption('elsewhere');
  await dialog.getByRole('button', { name: 'Move', exact: true }).click();
  await page.getByText('others / elsewhere', { exact: true }).waitFor();
  await dialog.waitFor({ state: 'detached' });
  await more('Continue it');
  await write('Changes to the configuration, as YAML', 'searcher: {name: bogus}');
  await dialog.getByRole('button', { name: 'Continue', exact: true }).click();
  await dialog.getByRole('alert').waitFor();
  await page.keyboard.press('Escape');
});

test('what trains shows more without a reload', async () => {
  await open(`trials/${liveTrial}/metrics`);
  await page.getByRole('img', { name: /training.loss/ }).waitFor();
  const first = await number('Batches');
  await page.waitForFunction((least) => [...document.querySelectorAll('.facts div')].some((div) => div.textContent.startsWith('Batches') && Number(div.querySelector('dd').textContent) > least + 5), first);
  await page.getByRole('link', { name: 'Logs' }).click();
  const last = () => page.locator('.log-line').last().textContent();
  await page.locator('.log-line').first().waitFor();
  const before = await last();
  await page.waitForFunction((text) => { const all = document.querySelectorAll('.log-line'); return all.length > 0 && all[all.length - 1].textContent !== text; }, before);
  await page.getByRole('link', { name: 'Runs', exact: true }).click();
  await page.getByRole('heading', { name: 'It started once' }).waitFor();
  await page.getByText('It runs.').waitFor();
});

test('pausing and going on', async () => {
  await open(`experiments/${live}`);
  await button('Pause').click();
  await button('Activate').waitFor();
  await button('Activate').click();
  await button('Pause').waitFor();
});

test('restarts are a time line with reasons, and lead to the logs of their pods', async () => {
  await open(`trials/${failedTrial}/runs`);
  await page.getByRole('heading', { name: 'It started 2 times, 1 of them after a failure' }).waitFor();
  assert.equal(await page.getByText(/exit code 1/).count(), 2);
  await page.getByText(/exceeded max restarts/).waitFor();
  await page.getByRole('link', { name: /-2-0$/ }).click();
  await page.waitForURL(/logs\?pod=/);
  await page.getByText(/lines found/).waitFor();
});

test('a log is searched, narrowed, and has addresses of its lines', async () => {
  await open(`trials/${failedTrial}/logs`);
  await page.locator('.ansi-red', { hasText: 'red' }).first().waitFor({ state: 'attached' });
  assert.equal(await page.locator('main img').count(), 0);
  await page.getByLabel('Regular expression').check();
  await page.getByLabel('Search in the log').fill('out of (memory|time)');
  await page.waitForURL(/q=/);
  await page.getByText(/^\d+ lines found$/).waitFor();
  assert.ok((await page.locator('.log-line').allTextContents()).every((line) => line.includes('out of memory')));
  await page.getByLabel('Search in the log').fill('');
  await page.getByText(/^\d+ lines$/).waitFor();
  await page.locator('.log-number').nth(3).click();
  await page.waitForURL(/line=\d+&at=/);
  const line = new URL(page.url()).searchParams.get('line');
  await page.reload();
  const pointed = page.locator('.log-line.pointed');
  await pointed.waitFor();
  assert.equal(await pointed.locator('.log-number').textContent(), line);
  await button('To the end').click();
  await page.waitForURL((url) => !url.searchParams.has('line'));
  await page.getByLabel('Least level').selectOption('WARNING');
  await page.getByText('the learning rate is <b>').first().waitFor();
});

test('an experiment that failed says why, and its logs begin with the trial that failed', async () => {
  await open(`experiments/${failed}/overview`);
  const why = page.getByRole('group', { name: 'Why it failed' });
  await why.getByText('MemoryError: pretended: <b>out of memory</b>').waitFor();
  await why.getByRole('link', { name: 'All of its log' }).click();
  assert.equal(await page.getByLabel('Log of').inputValue(), String(failedTrial));
  await page.getByText(/MemoryError/).first().waitFor();
});

test('the log that one reads stays when a newer trial starts', async () => {
  let isStarted = false;
  const trials = new RegExp(`/experiments/${search}/trials\\?`);
  await page.route(trials, async (route) => {
    const response = await route.fetch();
    const told = await response.json();
    await route.fulfill({ response, json: isStarted ? told : { ...told, trials: told.trials.slice(1) } }).catch(() => {});  // it was given up
  });
  await open(`experiments/${search}/logs`);
  const select = page.getByLabel('Log of');
  const shown = await select.inputValue();
  const count = await select.locator('option').count();
  isStarted = true;
  await page.waitForTimeout(2500);  // until what it knows is old
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));  // as when one comes back to the tab
  await select.locator('option').nth(count).waitFor({ state: 'attached' });
  assert.equal(await select.inputValue(), shown);
  await page.unroute(trials);
});

test('the logs of all trials are one, by time, with the same search', async () => {
  await open(`experiments/${search}/logs`);
  await page.getByLabel('Log of').selectOption('all trials together');
  await page.waitForURL(/all=true/);
  await page.locator('.log-trial').first().waitFor();
  const times = await page.locator('.log-line time').evaluateAll((all) => all.map((one) => one.dateTime));
  assert.deepEqual(times, [...times].sort());
  await page.getByLabel('Search in the log').fill('the learning rate is <b>');
  await page.getByText(new RegExp(`^${searchTrials} lines found$`)).waitFor();
  assert.equal(new Set(await page.locator('.log-trial').allTextContents()).size, searchTrials);
  assert.equal(await page.locator('main img').count(), 0);
  await page.reload();
  await page.getByText(new RegExp(`^${searchTrials} lines found$`)).waitFor();
  await page.locator('.log-number').first().click();
  await page.waitForURL(/trials\/\d+\/logs\?.*line=\d+/);
  await page.locator('.log-line.pointed').waitFor();
});

test('what trains shows more in the logs of all trials', async () => {
  await open(`experiments/${live}/logs?all=true`);
  await page.locator('.log-trial').first().waitFor();
  const lines = async () => Number((await page.getByText(/ lines?( from the end)?$/).textContent()).replace(/\D/g, ''));
  const before = await lines();
  await page.waitForFunction((least) => Number((document.querySelector('main [role=status]')?.textContent ?? '').replace(/\D/g, '')) > least, before);
});

test('a checkpoint is registered, and what the server refuses is told', async () => {
  await open(`trials/${baseTrial}/checkpoints`);
  const menu = async (item) => { await page.getByRole('button', { name: /What to do with checkpoint/ }).click(); await page.getByRole('menuitem', { name: item }).click(); };
  await menu('Download');
  await page.getByText(/^det checkpoint download [0-9a-f-]{36}$/).waitFor();
  await page.keyboard.press('Escape');
  await menu(/Register/);
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(/^Model/).selectOption('a model');
  await dialog.getByLabel('Comment').fill('the first');
  await dialog.getByRole('button', { name: 'Register' }).click();
  await dialog.waitFor({ state: 'detached' });
  await menu('Delete');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await dialog.getByRole('alert').waitFor();
  await page.keyboard.press('Escape');
});

test('system metrics say how to get them where there are none', async () => {
  await open(`trials/${baseTrial}/system`);
  await page.getByText('profiling.enabled: true').waitFor();
});

test('a report is a file that needs no server, in which names are text', async () => {
  const asked = [];
  const note = (request) => { if (!/^(file|data):/.test(request.url())) asked.push(request.url()); };
  page.on('request', note);
  await page.goto(report);
  await page.getByRole('heading', { level: 1, name: `a search ${kInjected}` }).waitFor();
  await page.getByText('</script><script>alert(3)</script>').first().waitFor();
  await page.getByRole('img', { name: /^validation_loss: \d+ curves$/ }).waitFor();
  await page.getByRole('region', { name: 'The search' }).getByText(/have a result after \d+ batches/).first().waitFor();
  await page.getByRole('region', { name: 'Which hyperparameters matter' }).getByRole('row', { name: /^<i>net<\/i>\.width/ }).waitFor();
  assert.equal(await page.getByRole('region', { name: 'Trials', exact: true }).getByRole('row').count(), searchTrials + 1);
  assert.equal(await page.locator('main img, main script').count(), 0);
  assert.deepEqual(await site.faults('report'), []);
  page.off('request', note);
  assert.deepEqual(asked, []);
});

test('no view has a fault that axe finds, light or dark, wide or narrow', async () => {
  const paths = [...['search', 'hyperparameters', 'trials', 'logs', 'code', 'config', 'fork'].map((tab) => `experiments/${search}/${tab}`), `experiments/${fork}/config?view=diff`,
    `experiments/${search}/logs?all=true`, ...['runs', 'logs', 'system'].map((tab) => `trials/${failedTrial}/${tab}`), `trials/${baseTrial}/checkpoints`, 'experiments?filter=state%20%3D%20ERROR', 'compare', `compare?experiments=[${base},${fork}]`];
  for (const [colorScheme, width] of [['light', 1440], ['dark', 390]]) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    for (const path of paths) {
      await open(path);
      await page.locator('main h1').first().waitFor();
      await page.locator('.spinner').first().waitFor({ state: 'detached' });
      assert.deepEqual(await site.faults(path), []);
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${path} is wider than ${width}`);
    }
  }
});

test('nothing broke the policy, and nothing threw', () => assert.deepEqual(site.complaints, []));
