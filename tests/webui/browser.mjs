// Chromium with the page in it, signed in: what the tests of the pages share. DET_SERVER says where the server is.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { launch } from './chromium.mjs';
import { front } from './front.mjs';

const webui = new URL('../../webui/', import.meta.url);
const required = createRequire(new URL('package.json', webui));
const axe = readFileSync(required.resolve('axe-core/axe.min.js'), 'utf8');

async function isServed(server) {
  const answer = await fetch(new URL('/ui/', server));
  return answer.ok && (await answer.text()).includes('id="root"');
}

// `complaints`: what threw, what broke the policy, and dialogs, which only injected script opens.
export async function begin(server = process.env.DET_SERVER) {
  const own = await isServed(server) ? undefined : await front(server, fileURLToPath(new URL('dist', webui)));
  const base = own?.url ?? server;
  const browser = await launch();
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => { if (message.text().includes('Content Security Policy')) complaints.push(message.text()); });
  page.on('dialog', (dialog) => { complaints.push(`a dialog: ${dialog.message()}`); void dialog.dismiss(); });
  const open = (path) => page.goto(`${base}/ui/${path}`);
  return {
    page, complaints, open,
    async signIn(name) {
      await open('sign-in');
      await page.getByLabel('Name').fill(name);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    },
    // What axe finds, as "path: rule: element".
    async faults(path) {
      const { violations } = await page.evaluate(`${axe};axe.run(document)`);
      return violations.map(({ id, nodes }) => `${path}: ${id}: ${nodes[0].html}`);
    },
    async end() { await browser.close(); own?.stop(); },
  };
}
