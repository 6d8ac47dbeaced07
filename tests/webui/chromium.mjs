// Chromium for the tests of the page, and `test`, which says when one fails what was on each page then and what it waited for: a failure on a busy
// machine does not come again to be looked at.
import { createRequire } from 'node:module';
import { test as plain } from 'node:test';

const { chromium } = createRequire(new URL('../../webui/package.json', import.meta.url))('playwright-core');
const contexts = new Map();  // those that are open, each with the requests that are under way

export async function launch() {
  const browser = await chromium.launch({ executablePath: process.env.DET_CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
  const made = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await made(options);
    context.setDefaultTimeout(240_000);  // what comes sooner costs nothing, and a loaded machine needs it
    const underWay = new Set();
    contexts.set(context, underWay);
    context.on('request', (request) => underWay.add(request));
    for (const end of ['requestfinished', 'requestfailed']) context.on(end, (request) => underWay.delete(request));
    context.on('close', () => contexts.delete(context));
    return context;
  };
  return browser;
}

const kPatienceMs = 3000;  // a page that hangs does not answer
const kMostText = 1500;
async function whatIsThere() {
  for (const [context, underWay] of contexts) {
    for (const page of context.pages()) {
      const text = await Promise.race([
        page.evaluate(() => document.body.innerText).catch((wrong) => wrong.message),
        new Promise((done) => setTimeout(done, kPatienceMs, `no answer in ${kPatienceMs} ms`)),
      ]);
      console.log(`There was on ${page.url()}:\n${text.slice(0, kMostText)}`);
    }
    for (const request of underWay) console.log(`under way: ${request.method()} ${request.url()}`);
  }
}

// As node:test's: a name, options where there are some, and what is done.
export const test = (name, ...rest) => plain(name, ...rest.slice(0, -1), async (context) => {
  try {
    await rest.at(-1)(context);
  } catch (wrong) {
    await whatIsThere();
    throw wrong;
  }
});
