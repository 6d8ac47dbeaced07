// What bench/page_speed.py measures of the page, in Chromium with its CPU slowed down four times. DET_BENCH says what is in the server.
import { begin } from '../tests/webui/browser.mjs';
import { print, slowPage, timeLoads, told } from './page_times.mjs';

const { many, curves, logTrial, loads, follow, only } = JSON.parse(process.env.DET_BENCH);
const wants = (name) => only.length === 0 || only.includes(name);
const site = await begin();
site.page.setDefaultTimeout(60_000);
await site.signIn('determined');
const base = new URL('../', await site.page.evaluate('document.baseURI')).href;

// See bench/page_times.mjs; with `isCold` each in a browser's context of its own, in which nothing is cached.
async function timeAddress(url, selector, count, isCold) {
  const cookies = await site.page.context().cookies();
  const newContext = async () => {
    const own = await site.page.context().browser().newContext({ viewport: { width: 1440, height: 900 } });
    await own.addCookies(cookies);
    return own;
  };
  return timeLoads({ context: site.page.context(), url, selector, count, newContext: isCold ? newContext : undefined });
}

const timeOwn = (path, ...how) => timeAddress(`${base}ui/${path}`, ...how);

async function timeScroll(address, selector, frame) {
  const { page } = await slowPage(site.page.context());
  await page.goto(new URL(address, `${base}ui/`).href);
  await page.locator(selector).first().waitFor();
  await page.waitForTimeout(3000);
  await page.evaluate(() => { window.longTasks.length = 0; });
  const box = await page.locator(frame).boundingBox();
  await page.mouse.move(box.x + 300, box.y + 200);
  for (let i = 0; i < 80; i += 1) {
    await page.mouse.wheel(0, i % 20 < 16 ? -600 * (frame === '.log' ? 1 : -1) : 300 * (frame === '.log' ? 1 : -1));
    await page.waitForTimeout(60);
  }
  const tasks = await page.evaluate(() => window.longTasks.map(({ duration }) => duration));
  await page.close();
  return `${tasks.length} tasks over 50 ms${tasks.length > 0 ? `, the longest ${Math.round(Math.max(...tasks))} ms` : ''}`;
}

// Two thousand lines without a script: what the machine and the browser take by themselves.
const kPlain = `data:text/html,<style>.frame{height:800px;overflow:auto}a{display:block;height:32px}</style><div class=frame>${'<a href=x>line</a>'.repeat(2000)}</div>`;

const kPointed = 150;  // ms
const kRow = '[role="table"] [role="row"] [role="cell"] a';
const kCurves = '.chart[aria-label$="curves"] canvas';

if (wants('plain')) {
  print('a page without scripts, in a new context', await timeAddress(kPlain, 'a', Math.min(loads, 8), true));
  print('a page without scripts', await timeAddress(kPlain, 'a', loads + 1, false));
  print('scrolling a page without scripts', await timeScroll(kPlain, 'a', '.frame'));
}
if (wants('experiments')) {
  print('list of experiments, nothing cached', await timeOwn('experiments', kRow, Math.min(loads, 8), true));
  print('list of experiments, the page cached', await timeOwn('experiments', kRow, loads + 1, false));
}
if (wants('trials')) {
  print('experiment of many trials: newest 500 curves', await timeOwn(`experiments/${many}`, kCurves, loads + 1, false));
  print('experiment of many trials: table of its trials', await timeOwn(`experiments/${many}/trials`, kRow, loads + 1, false));
}
if (wants('curves')) {
  const { page } = await slowPage(site.page.context());
  const times = [];
  for (let i = 0; i < Math.max(4, loads / 2); i += 1) {
    await page.goto(`${base}ui/experiments/${curves}/${i % 2 === 0 ? 'notes' : 'config'}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForTimeout(1500);
    // As a hand does it: the pointer is on the link for a moment before it is pressed.
    const shown = page.evaluate((selector) => new Promise((done, failed) => {
      addEventListener('click', ({ timeStamp }) => void window.whenFree(selector).then((free) => done(free - timeStamp), failed), { capture: true, once: true });
    }), kCurves);
    await page.getByRole('link', { name: 'Overview', exact: true }).hover();
    await page.waitForTimeout(kPointed);
    await page.mouse.down();
    await page.mouse.up();
    times.push(await shown);
  }
  print('200 curves, from the click', told(times.slice(1)));
  await page.close();
}
if (wants('scroll')) {
  print('scrolling the list of experiments', await timeScroll('experiments', kRow, '.table-frame'));
  print('scrolling the trials', await timeScroll(`experiments/${many}/trials`, kRow, '.table-frame'));
  print('scrolling a log that is written', await timeScroll(`trials/${logTrial}/logs`, '.log-line', '.log'));
}
if (wants('memory')) {
  const { page, devtools } = await slowPage(site.page.context());
  await page.goto(`${base}ui/trials/${logTrial}/logs`);
  await page.locator('.log-line').first().waitFor();
  const number = async () => Number(await page.locator('.log-number').last().textContent());
  const first = await number();
  const sizes = [];
  for (const end = Date.now() + follow * 1000; Date.now() < end;) {
    await page.waitForTimeout(follow * 1000 / 10);
    await devtools.send('HeapProfiler.collectGarbage');
    sizes.push((await devtools.send('Runtime.getHeapUsage')).usedSize / 1048576);
  }
  const { nodes } = await devtools.send('Memory.getDOMCounters');
  print(`following a log, ${(await number() - first).toLocaleString('en')} lines`, `MiB of heap: ${sizes.map((size) => size.toFixed(1)).join(' ')}; ${nodes} nodes; ${await page.evaluate('window.longTasks.length')} tasks over 50 ms`);
  await page.close();
}
await site.end();
