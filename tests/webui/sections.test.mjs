// What of the page is neither an experiment nor a trial, in Chromium: page_test.py says in DET_SERVER where it is, in DET_SECTIONS what is there.
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
// `evil` is in every text that somebody could type; it must stay text.
const { evil, workspace, project, model, command, shell, waiting, held, looker, password } = JSON.parse(process.env.DET_SECTIONS);

let browser;
let base = server;
let own;
let page;   // of the user determined
let admin;  // of the user admin
const complaints = [];

async function isServed() {
  const answer = await fetch(new URL('/ui/', server));
  return answer.ok && (await answer.text()).includes('id="root"');
}

async function visitor() {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const made = await context.newPage();
  made.on('pageerror', (error) => complaints.push(error.message));
  made.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) complaints.push(message.text());
  });
  made.on('dialog', (dialog) => { complaints.push(`a dialog: ${dialog.message()}`); void dialog.dismiss(); });
  return made;
}

async function signedIn(name, secret = '') {
  const made = await visitor();
  await made.goto(`${base}/ui/sign-in`);
  await made.getByLabel('Name').fill(name);
  await made.getByLabel('Password').fill(secret);
  await made.getByRole('button', { name: 'Sign in' }).click();
  await made.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  return made;
}

before(async () => {
  if (!await isServed()) base = (own = await front(server, fileURLToPath(new URL('dist', webui)))).url;
  browser = await launch();
  page = await signedIn('determined');
  admin = await signedIn('admin');
});

after(async () => {
  await browser?.close();
  own?.stop();
});

const open = (path, on = page) => on.goto(`${base}/ui/${path}`);
const heading = (name, on = page) => on.getByRole('heading', { name, level: 1 }).waitFor();
const dialog = (on = page) => on.getByRole('dialog');
const press = (name, on = page) => on.getByRole('button', { name, exact: true }).click();

test('before somebody signs in nothing but who it is is asked', async () => {
  const stranger = await visitor();
  const asked = [];
  stranger.on('response', (answer) => { if (answer.status() === 401) asked.push(new URL(answer.url()).pathname); });
  await open('', stranger);
  await heading('Sign in', stranger);
  assert.deepEqual([...new Set(asked)].filter((path) => !path.endsWith('/auth/user') && !path.endsWith('/live')), []);
  await stranger.context().close();
});

test('an address that is none says so', async () => {
  await open('nowhere/at/all');
  await heading('There is no such page');
  assert.equal(await page.getByText('on the way').count(), 0);
});

test('tasks: listed, their log, a shell to open, a notebook started and killed', async () => {
  await open('tasks');
  const row = page.getByRole('row', { name: evil });
  await row.first().waitFor();
  assert.equal(await page.locator('main img').count(), 0);
  await press('Open ' + 'a shell');
  assert.equal(await dialog().getByLabel('Command line').inputValue(), `det shell open ${shell}`);
  await page.keyboard.press('Escape');
  await press('Start a notebook');
  await dialog().getByLabel('Name').fill('from the page');
  await dialog().getByText('More of its configuration').click();
  await dialog().getByLabel('YAML').fill('- this is a list');
  await press('Start');
  await dialog().getByRole('alert').waitFor();
  await dialog().getByLabel('YAML').fill('environment:\n  environment_variables: [A=b]');
  await press('Start');
  await page.getByRole('row', { name: /from the page/ }).waitFor();
  await press('Kill from the page');
  await dialog().getByRole('button', { name: 'Kill' }).click();
  await page.getByRole('row', { name: /from the page/ }).waitFor({ state: 'detached' });
  await page.getByLabel('Also those that ended').check();
  await page.waitForURL(/ended=true/);
  await page.getByRole('row', { name: /Notebook from the page Ended/ }).waitFor();
  await open(`tasks/${command}/logs`);
  await page.getByText('line 2 of it').waitFor();
});

test('a TensorBoard of experiments that the address names', async () => {
  await open('tasks?tensorboard=1,2');
  assert.equal(await dialog().getByLabel('Experiments').inputValue(), '1,2');
  await dialog().getByLabel('Experiments').fill('one');
  await press('Start');
  await dialog().getByText('Numbers with commas').waitFor();
  await press('Close');
  await page.waitForURL((url) => !url.search.includes('tensorboard'));
});

test('the queue says why something waits; priority and place change there, by keyboard', async () => {
  await open('queue');
  const job = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: waiting[1] }) });
  await job.locator('.reason').waitFor();
  const priority = job.getByRole('button', { name: /^Priority/ });
  await priority.focus();
  await page.keyboard.press('Enter');
  await job.getByLabel(`Priority of ${waiting[1]}`).fill('43');
  await page.keyboard.press('Enter');
  await job.getByRole('button', { name: /^Priority 43/ }).waitFor();
  await job.getByRole('button', { name: /^Priority/ }).click();
  await job.getByLabel(`Priority of ${waiting[1]}`).fill('50');
  await press('Set');
  await job.getByRole('button', { name: /^Priority 50/ }).waitFor();
  await job.getByRole('button', { name: `Move ${waiting[1]} ahead` }).click();
  await page.waitForFunction(([first, second]) => {
    const text = document.querySelector('main')?.textContent ?? '';
    const at = text.indexOf(second);
    return at >= 0 && at < text.indexOf(first);
  }, waiting);
});

test('the cluster: who holds a slot, and only administrators switch it off', async () => {
  await open('cluster');
  await page.getByRole('button', { name: /^Slot 0: in use, by Trial/ }).click();
  await dialog().getByRole('link', { name: new RegExp(`Experiment ${held}`) }).waitFor();
  assert.equal(await dialog().getByRole('button', { name: 'Give it to nobody new' }).count(), 0);
  assert.equal(await page.getByRole('button', { name: /^Disable/, includeHidden: true }).count(), 0);
  await open('cluster', admin);
  await admin.getByRole('button', { name: /^Slot 1:/ }).click();
  await press('Give it to nobody new', admin);
  await admin.getByRole('button', { name: /^Slot 1: (switched off|takes nothing new)/ }).click();
  await press('Use it again', admin);
  await admin.getByRole('button', { name: /^Slot 1: (in use|free)/ }).waitFor();
});

test('a workspace and its project, from making to deleting by name', async () => {
  await open('workspaces');
  await press('New workspace');
  await dialog().getByLabel('Name').fill(`Room ${evil}`);
  await press('Create');
  // Whoever makes one has it pinned.
  await page.getByRole('button', { name: `Pin Room ${evil}`, pressed: true }).waitFor();
  await press(`Pin Room ${evil}`);
  await page.getByRole('button', { name: `Pin Room ${evil}`, pressed: false }).waitFor();
  await page.getByRole('link', { name: `Room ${evil}` }).click();
  await heading(`Room ${evil}`);
  await press('New project');
  await dialog().getByLabel('Name').fill('Boxes');
  await press('Create');
  await page.getByRole('link', { name: 'Boxes' }).click();
  await heading('Boxes');
  await press('New note');
  await dialog().getByLabel('Name').fill(evil);
  await dialog().getByLabel('Text, in Markdown').fill(`**bold** ${evil} [x](javascript:alert(1))`);
  await press('Create');
  await page.locator('.markdown strong', { hasText: 'bold' }).waitFor();
  assert.equal(await page.locator('main img, .markdown a, .markdown script').count(), 0);
  await page.getByRole('button', { name: `Remove note ${evil}` }).click();
  await dialog().getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('No notes yet').waitFor();
  await press('Archive');
  await page.getByText('Archived', { exact: true }).waitFor();
  await press('Unarchive');
  await press('Delete');
  assert.ok(await dialog().getByRole('button', { name: 'Delete' }).isDisabled());
  await dialog().getByLabel('Name').fill('boxes');
  assert.ok(await dialog().getByRole('button', { name: 'Delete' }).isDisabled());
  await dialog().getByLabel('Name').fill('Boxes');
  await dialog().getByRole('button', { name: 'Delete' }).click();
  await heading(`Room ${evil}`);
  await press('Delete');
  await dialog().getByLabel('Name').fill(`Room ${evil}`);
  await dialog().getByRole('button', { name: 'Delete' }).click();
  await heading('Workspaces');
  await page.getByRole('link', { name: `Room ${evil}` }).waitFor({ state: 'detached' });
});

test('a project shows its experiments, and what is chosen is acted on', async () => {
  await open(`projects/${project}`);
  await page.getByRole('row', { name: /held/ }).waitFor();
  await page.getByLabel(`Choose experiment ${held}`).check();
  await page.getByText('1 experiment chosen').waitFor();
});

test('models: found, with versions and metrics, notes and labels', async () => {
  await open('models');
  await page.getByPlaceholder('Name').fill('detec');
  await page.waitForURL(/q=detec/);
  await page.reload();
  await page.getByRole('link', { name: model }).click();
  await heading(model);
  await press('Version 1');
  await dialog().getByText('validation_loss').waitFor();
  assert.equal(await page.locator('main img, dialog img').count(), 0);
  await press('Close');
  await press('Change');
  await dialog().getByLabel('Labels').fill(`prod, ${evil}`);
  await press('Save');
  await page.locator('.label', { hasText: evil }).first().waitFor();
  await press('Write notes');
  await page.getByLabel('Notes, in Markdown').fill('## Good at night');
  await press('Save notes');
  await page.getByRole('heading', { name: 'Good at night' }).waitFor();
});

test('templates are made, shown and changed as YAML', async () => {
  await open('templates');
  await press('New template');
  await dialog().getByLabel('Name').fill('two-slots');
  await dialog().getByLabel('Configuration, in YAML').fill('resources: [');
  await press('Create');
  await dialog().getByRole('alert').waitFor();
  await dialog().getByLabel('Configuration, in YAML').fill('resources:\n  slots_per_trial: 2');
  await press('Create');
  await press('two-slots');
  await dialog().getByText('slots_per_trial').waitFor();
  await press('Close');
  await press('Change two-slots');
  await dialog().getByLabel('Configuration, in YAML').fill('resources:\n  slots_per_trial: 4');
  await press('Save');
  await dialog().waitFor({ state: 'detached' });
  // On a busy machine Save is pressed before the next frame.
  await press('Change two-slots');
  await dialog().getByLabel('Configuration, in YAML').waitFor();
  await page.evaluate(async () => {
    const field = document.querySelector('dialog textarea');
    field.value = 'resources:\n  slots_per_trial: 8';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    for (let i = 0; i < 20; i += 1) await null;
    [...document.querySelectorAll('dialog button')].find(({ textContent }) => textContent === 'Save').click();
  });
  await dialog().waitFor({ state: 'detached' });
  await press('two-slots');
  await dialog().getByText('8').waitFor();
  await press('Close');
  await press('Delete two-slots');
  await dialog().getByRole('button', { name: 'Delete' }).click();
  await page.getByText('two-slots').first().waitFor({ state: 'detached' });
});

test('the palette and the keys lead everywhere', async () => {
  await open('');
  await heading('Home');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /Find/ }).fill('held');
  await page.getByRole('option', { name: new RegExp(`held #${held}`) }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`experiments/${held}/overview`));
  await dialog().waitFor({ state: 'detached' });
  await page.keyboard.press('?');
  await dialog().getByText('Find anything').waitFor();
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
  await page.keyboard.press('g');
  await page.keyboard.press('q');
  await heading('Queue');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /Find/ }).fill('no such thing anywhere');
  await page.getByText('Nothing is called like that').waitFor();
  await page.keyboard.press('Escape');
});

test('settings: name, colours, a token that is shown once', async () => {
  await open('settings');
  await page.getByLabel('Display name').fill(`me ${evil}`);
  await press('Save name');
  await page.getByRole('button', { name: `me ${evil}` }).waitFor();
  await page.getByLabel('Dark', { exact: true }).check();
  assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark');
  await page.getByRole('button', { name: `me ${evil}` }).click();
  await page.getByRole('menuitem', { name: 'Light colours' }).click();
  await page.getByRole('radio', { name: 'Light', exact: true, checked: true }).waitFor();
  await page.getByLabel('As the system has them').check();
  await page.getByLabel('New password').fill('one thing');
  await page.getByLabel('The same again').fill('another');
  await press('Change password');
  await page.getByText('The two are not the same').waitFor();
  await press('New access token');
  await dialog().getByLabel('What it is for').fill(`for ${evil}`);
  await press('Create');
  const token = await dialog().getByLabel('Access token').inputValue();
  assert.ok(token.length > 20);
  await press('Close');
  await page.reload();
  await page.getByRole('row', { name: `for ${evil}` }).waitFor();
  assert.equal(await page.getByText(token).count(), 0);
  await page.getByRole('row', { name: `for ${evil}` }).getByRole('button', { name: /^Revoke/ }).click();
  await dialog().getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('row', { name: `for ${evil}` }).waitFor({ state: 'detached' });
  await page.getByLabel('Display name').fill('');
  await press('Save name');
});

test('an administrator: users, groups, webhooks, policies, the message', async () => {
  await open('admin', admin);
  await press('New user', admin);
  await dialog(admin).getByLabel('Name to sign in with').fill('newcomer');
  await dialog(admin).getByLabel('Password').fill('Long-enough-1');
  await press('Create', admin);
  await admin.getByRole('row', { name: /newcomer/ }).waitFor();
  await press('Change newcomer', admin);
  await dialog(admin).getByLabel('May sign in').uncheck();
  await press('Save', admin);
  await admin.getByRole('row', { name: /newcomer.*Switched off/ }).waitFor();
  await open('admin/groups', admin);
  await press('New group', admin);
  await dialog(admin).getByLabel('Name').fill(`Team ${evil}`);
  await press('Create', admin);
  await press(`Members of Team ${evil}`, admin);
  await dialog(admin).getByLabel('User').selectOption({ label: 'newcomer' });
  await press('Add', admin);
  await dialog(admin).getByRole('button', { name: 'Take out newcomer' }).click();
  await dialog(admin).getByText('Nobody yet').waitFor();
  await press('Close', admin);
  await open('admin/webhooks', admin);
  await press('New webhook', admin);
  await dialog(admin).getByLabel('Name', { exact: true }).fill(`Tell ${evil}`);
  await dialog(admin).getByLabel('Address').fill('https://example.com/hook?<b>');
  await dialog(admin).getByLabel('When').selectOption('log');
  await dialog(admin).getByLabel('Regular expression').fill('<i>oom</i>');
  await press('Create', admin);
  await admin.getByRole('row', { name: `Tell ${evil}` }).getByText('a line matches <i>oom</i>').waitFor();
  await press(`What Tell ${evil} sent`, admin);
  await dialog(admin).getByText('Nothing yet').waitFor();
  await press('Close', admin);
  await open('admin/policies', admin);
  await admin.getByLabel('Policies, in YAML').fill('constraints:\n  resources:\n    max_slots: 8');
  await press('Save', admin);
  await admin.getByText('Saved.').waitFor();
  await admin.reload();
  await admin.waitForFunction(() => document.querySelector('textarea')?.value.includes('max_slots: 8'));
  await press('Take away', admin);
  await dialog(admin).getByRole('button', { name: 'Take away' }).click();
  await admin.waitForFunction(() => document.querySelector('textarea')?.value === '');
  await open('admin/message', admin);
  await admin.getByLabel('Message').fill(`Down on Friday ${evil}`);
  await press('Show it', admin);
  await admin.locator('.banner', { hasText: 'Down on Friday' }).waitFor();
  await press('Take it away', admin);
  await admin.locator('.banner').waitFor({ state: 'detached' });
  assert.equal(await admin.locator('main img').count(), 0);
});

test('whoever may only look sees what is there, and nothing to change it with', async () => {
  const other = await signedIn(looker, password);
  for (const [part, words] of [['users', 'change users'], ['groups', 'change groups'], ['message', 'set the message'], ['tokens', 'other people']]) {
    await open(`admin/${part}`, other);
    await other.getByText('This is for administrators').waitFor();
    await other.getByText(words).waitFor();
  }
  await open(`projects/${project}`, other);
  await other.getByRole('row', { name: /held/ }).waitFor();
  await open(`workspaces/${workspace}`, other);
  await other.getByRole('link', { name: 'Detectors' }).waitFor();
  await open('queue', other);
  await other.getByText(waiting[0]).waitFor();
  await open('tasks', other);
  await other.getByRole('row', { name: /a shell/ }).waitFor();
  for (const path of [`projects/${project}`, `workspaces/${workspace}`, `models/${model}`, 'tasks', 'queue', 'cluster', 'admin/webhooks']) {
    await open(path, other);
    await heading(/./, other);
    await other.locator('.spinner').first().waitFor({ state: 'detached' });
    // Without roles everybody may change experiments, and so where they stand in the queue.
    // And models, which only their owners delete.
    const change = path.startsWith('models/') ? /^(Delete|Remove)/ : /^(Delete|Archive|Change|Kill|Disable|Move|Priority|Remove|Edit|New note|New webhook)/;
    const shown = path === 'queue' ? other.locator('li.job').filter({ hasNot: other.locator('a[href*="experiments/"]') }) : other;
    assert.equal(await shown.getByRole('button', { name: change }).count(), 0, path);
  }
  await open(`models/${model}`, other);
  await other.getByRole('button', { name: 'Register a version' }).waitFor();
  await other.context().close();
});

test('no page has a fault that axe finds, light or dark, wide or narrow, also after a reload', async () => {
  for (const [colorScheme, width] of [['light', 1440], ['dark', 390]]) {
    await admin.emulateMedia({ colorScheme });
    await admin.setViewportSize({ width, height: 800 });
    for (const path of ['tasks', 'tasks?tensorboard=1', `tasks/${command}/logs`, 'tasks/none/logs', 'queue', 'cluster', 'workspaces', `workspaces/${workspace}`, 'workspaces/x', `projects/${project}`,
      'projects/999', 'models', `models/${model}`, 'models/none', 'templates', 'settings', ...['users', 'groups', 'roles', 'tokens', 'webhooks', 'policies', 'message', 'none'].map((part) => `admin/${part}`)]) {
      await open(path, admin);
      await admin.locator('h1').first().waitFor();
      await admin.locator('.spinner').first().waitFor({ state: 'detached' });
      const { violations } = await admin.evaluate(`${axe};axe.run(document)`);
      assert.deepEqual(violations.map(({ id, nodes }) => `${path}: ${id}: ${nodes[0].html}`), []);
      assert.ok(await admin.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${path} is wider than ${width}`);
    }
    await open('', admin);
    await heading('Home', admin);
    await admin.keyboard.press('Control+k');
    await admin.getByRole('combobox', { name: /Find/ }).waitFor();
    const { violations } = await admin.evaluate(`${axe};axe.run(document)`);
    assert.deepEqual(violations.map(({ id, nodes }) => `palette: ${id}: ${nodes[0].html}`), []);
    await admin.keyboard.press('Escape');
  }
});

test('nothing broke the policy, and nothing threw', () => assert.deepEqual(complaints, []));
