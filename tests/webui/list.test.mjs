// The list of experiments in Chromium: experiments_test.py starts the server and says in DET_EXPERIMENTS what is in it.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { begin } from './browser.mjs';
import { test } from './chromium.mjs';

const { search, base, fork, searchTrials } = JSON.parse(process.env.DET_EXPERIMENTS);
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

test('a filter is built from parts or written, and is in the address', async () => {
  await open('experiments');
  await button('Filter').click();
  await page.getByLabel('Column', { exact: true }).selectOption('hp.lr');
  await page.getByLabel('Comparison').selectOption('=');
  await page.getByLabel('Value').fill('0.001');
  await page.waitForURL(/filter=hp\.lr/);
  await page.getByRole('row', { name: /base line/ }).waitFor();
  await page.getByRole('row', { name: /a fork/ }).waitFor({ state: 'detached' });
  // By keys: a field that gives back what it understood of "0." loses the point.
  await page.getByLabel('Value').fill('');
  await page.getByLabel('Value').pressSequentially('0.01');
  await page.waitForURL((url) => url.searchParams.get('filter') === 'hp.lr = 0.01');
  await page.getByRole('row', { name: /a fork/ }).waitFor();
  await page.getByLabel('Column', { exact: true }).selectOption('name');
  await page.getByLabel('Value').fill('');
  await page.getByLabel('Value').pressSequentially('007');
  await page.waitForURL((url) => url.searchParams.get('filter') === 'name = "007"');
  await button('As text').click();
  await page.getByRole('textbox', { name: 'Filter' }).fill('(state = ERROR or name contains "base line"');
  await page.getByText(/A parenthesis is not closed/).waitFor();
  await page.getByRole('textbox', { name: 'Filter' }).fill('(state = ERROR or name contains "base line") and hp.steps = 8');
  await page.getByRole('row', { name: /fails/ }).waitFor();
  assert.equal(await page.getByRole('row').count(), 3);
  await page.reload();
  await page.getByRole('row', { name: /fails/ }).waitFor();
  assert.equal(await page.getByRole('row').count(), 3);
});

test('a hyperparameter that is true or false can be filtered by', async () => {
  await open('experiments?filter=hp.amp%20%3D%20true');
  await page.getByRole('row', { name: /base line/ }).waitFor();
  assert.equal(await page.getByRole('row').count(), 2);
  await page.getByLabel('Value').fill('false');
  await page.getByText('No experiment is like that').waitFor();
});

test('columns are chosen, ordered and kept in a view', async () => {
  await open('experiments?q=base');
  await button('Columns').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Search columns').fill('hp.lr');
  await dialog.getByRole('button', { name: 'Add hp.lr' }).click();
  for (let i = 0; i < 9; i += 1) await dialog.getByRole('button', { name: 'Move lr to the left' }).click();
  await dialog.getByRole('button', { name: 'Done' }).click();
  const heads = () => page.getByRole('columnheader').allTextContents();
  assert.deepEqual((await heads()).slice(1, 4).map((head) => head.replace(/ [↑↓]/, '')), ['ID', 'lr', 'Name']);
  await page.getByRole('row', { name: /base line/ }).getByText('0.001').waitFor();
  await button('Views').click();
  await dialog.getByLabel('Name of the view').fill('<b>mine</b>');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('<b>mine</b>').waitFor();
  await open('experiments');
  await button('Views').click();
  await dialog.getByRole('button', { name: 'Open the view <b>mine</b>' }).click();
  await page.waitForURL(/cols=.*hp\.lr/);
  await page.getByRole('columnheader', { name: 'lr' }).waitFor();
  assert.equal((await heads())[2], 'lr');
  await button('Views').click();
  await dialog.getByRole('button', { name: 'Delete the view <b>mine</b>' }).click();
  await dialog.getByText('You have saved none yet').waitFor();
});

test('what is chosen is compared: curves, metrics, and what differs', async () => {
  await open('experiments?filter=hp.lr%20%3C%200.1%20and%20name%20not%20contains%20search');
  await page.getByLabel(`Choose experiment ${base}`).check();
  await page.getByLabel(`Choose experiment ${fork}`).check();
  await button('Compare').click();
  await page.getByRole('heading', { name: 'Compare 2 experiments' }).waitFor();
  await page.getByRole('img', { name: /2 curves/ }).waitFor();
  const row = page.getByRole('group', { name: 'Differences' }).getByRole('row', { name: /hyperparameters\.lr\.val/ });
  assert.deepEqual(await row.getByRole('cell').allTextContents(), ['0.001', '0.01']);
  await page.getByRole('combobox', { name: /^Metric/ }).selectOption('training.loss');
  await page.waitForURL(/metric=training\.loss/);
  await page.reload();
  await page.getByRole('img', { name: 'training.loss: 2 curves' }).waitFor();
  await open(`experiments/${search}/trials`);
  await page.getByLabel(/^Choose trial/).first().check();
  await button(/^Choose the first/, { exact: false }).click();
  await button('Compare').click();
  await page.getByRole('heading', { name: `Compare ${searchTrials} trials` }).waitFor();
  assert.equal(await page.locator('main img').count(), 0);
});

test('a question stays while its action is under way, and tells what was refused', async () => {
  await open('experiments');
  await page.getByLabel(`Choose experiment ${base}`).check();
  await button('Archive').click();
  let answer;
  const held = new Promise((go) => { answer = go; });
  await page.route('**/experiments/archive', async (route) => {
    await held;
    await route.fulfill({ json: { results: [{ id: base, error: 'it is not yours' }] } });
  });
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Archive', exact: true }).click();
  await dialog.getByText('Working …').waitFor();
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  assert.ok(await dialog.getByRole('button', { name: 'Close' }).isDisabled());
  answer();
  await dialog.getByText(`Experiment ${base}: it is not yours`).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.unroute('**/experiments/archive');
});

test('all of a filter that was changed meanwhile are not chosen, and what is chosen elsewhere is told', async () => {
  await open('experiments');
  await page.getByLabel(`Choose experiment ${base}`).check();
  let answer;
  const held = new Promise((go) => { answer = go; });
  await page.route('**/experiments-search', async (route) => {
    if (route.request().postDataJSON().limit === 500) await held;
    await route.continue().catch(() => {});  // it was given up
  });
  await button(/^Choose all/, { exact: false }).click();
  await button('Choosing …').waitFor();
  await page.getByLabel('State', { exact: true }).selectOption('ERROR');
  await page.getByText('1 experiment chosen, 1 of them under another filter').waitFor();
  answer();
  await button('Choose all 1').waitFor();
  await button('Archive').click();
  await page.getByRole('dialog').getByText('You chose 1 of them under another filter.', { exact: false }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('1 experiment chosen, 1 of them under another filter').waitFor();
  await page.unroute('**/experiments-search');
  await button('Choose none').click();
});

test('nothing broke the policy, and nothing threw', () => assert.deepEqual(site.complaints, []));
