// Chromium for the tests of the page, and `test`, which says when one fails what was on each page then and what it waited for: a failure on a busy
// machine does not come again to be looked at.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { test as plain } from 'node:test';

const { chromium } = createRequire(new URL('../../webui/package.json', import.meta.url))('playwright-core');
const contexts = new Map();  // those that are open, each with the requests that are under way
const sessions = new WeakMap();  // of each page one, promised: of a page that hangs none can be had

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
    context.on('page', (one) => { const own = context.newCDPSession(one); own.catch(() => {}); sessions.set(one, own); });
    context.on('close', () => contexts.delete(context));
    return context;
  };
  return browser;
}

const kPatienceMs = 3000;  // a page that hangs does not answer
const kMostText = 1500;
const kNoAnswer = `no answer in ${kPatienceMs} ms`;
const within = (asked) => Promise.race([asked.catch((wrong) => wrong.message), new Promise((done) => setTimeout(done, kPatienceMs, kNoAnswer))]);
const textOf = (page) => within(page.evaluate(() => document.body.innerText));

// Whether a page without an answer computes or waits, and whether it is a script that holds it: that can be ended from outside.
async function whyItHangs(page) {
  for (const line of execFileSync('ps', ['-eo', 'pid,stat,time,etime,wchan:24,args'], { encoding: 'utf8' }).split('\n')) {
    if (line.includes('--type=renderer')) console.log(line.slice(0, 120));
  }
  const ended = await within(sessions.get(page).then((session) => session.send('Runtime.terminateExecution')));
  console.log(`its script was ended: ${JSON.stringify(ended)}; then: ${(await textOf(page)).slice(0, kMostText)}`);
}

async function whatIsThere() {
  for (const [context, underWay] of contexts) {
    for (const page of context.pages()) {
      const text = await textOf(page);
      console.log(`There was on ${page.url()}:\n${text.slice(0, kMostText)}`);
      if (text === kNoAnswer) await whyItHangs(page);
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
