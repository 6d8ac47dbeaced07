// What bench/page_speed.py measures of the page, in Chromium with its CPU slowed down four times. DET_BENCH says what is in the server.
import { begin } from '../tests/webui/browser.mjs';

const { many, curves, logTrial, loads, follow, only } = JSON.parse(process.env.DET_BENCH);
const kSlower = 4;
const wants = (name) => only.length === 0 || only.includes(name);
const site = await begin();
site.page.setDefaultTimeout(60_000);
await site.signIn('determined');
const base = new URL('../', await site.page.evaluate('document.baseURI')).href;

// "p50 812, p95 990, most 1010 ms"
function told(times) {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (part) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]);
  return `p50 ${at(0.5)}, p95 ${at(0.95)}, most ${Math.round(sorted.at(-1))} ms of ${sorted.length}`;
}

// A page of `context` that is slow, and notes every task of more than 50 ms.
async function slowPage(context) {
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const devtools = await context.newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: kSlower });
  await page.addInitScript(() => {
    window.longTasks = [];
    new PerformanceObserver((list) => { for (const { startTime, duration } of list.getEntries()) window.longTasks.push({ startTime, duration }); }).observe({ type: 'longtask', buffered: true });
    // Resolves to the time at which `selector` is there, drawn, and the main thread free again.
    window.whenFree = (selector) => new Promise((done) => {
      const look = () => {
        if (!document.querySelector(selector)) return requestAnimationFrame(look);
        requestAnimationFrame(() => setTimeout(() => done(performance.now())));
      };
      look();
    });
  });
  return { page, devtools };
}

// From the begin of the navigation until `selector` is drawn and a click would be taken.
async function timeLoads(path, selector, count, isCold) {
  const times = [];
  const cookies = await site.page.context().cookies();
  let own = site.page.context();
  let slow = isCold ? undefined : await slowPage(own);
  for (let i = 0; i < count; i += 1) {
    if (isCold) {
      own = await site.page.context().browser().newContext({ viewport: { width: 1440, height: 900 } });
      await own.addCookies(cookies);
      slow = await slowPage(own);
    }
    await slow.page.goto(`${base}ui/${path}`, { waitUntil: 'commit' });
    times.push(await slow.page.evaluate((wanted) => window.whenFree(wanted), selector));
    if (isCold) await own.close();
  }
  if (!isCold) await slow.page.close();
  return told(isCold ? times : times.slice(1));  // the first of a warm page fills its cache
}

async function timeScroll(path, selector, frame) {
  const { page } = await slowPage(site.page.context());
  await page.goto(`${base}ui/${path}`);
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

const print = (name, value) => console.log(`${name.padEnd(58)} ${value}`);
const kRow = '[role="table"] [role="row"] [role="cell"] a';
const kCurves = '.chart[aria-label$="curves"] canvas';

if (wants('experiments')) {
  print('list of experiments, nothing cached', await timeLoads('experiments', kRow, Math.min(loads, 8), true));
  print('list of experiments, the page cached', await timeLoads('experiments', kRow, loads + 1, false));
}
if (wants('trials')) {
  print('experiment of many trials: newest 500 curves', await timeLoads(`experiments/${many}`, kCurves, loads + 1, false));
  print('experiment of many trials: table of its trials', await timeLoads(`experiments/${many}/trials`, kRow, loads + 1, false));
}
if (wants('curves')) {
  const { page } = await slowPage(site.page.context());
  const times = [];
  for (let i = 0; i < Math.max(4, loads / 2); i += 1) {
    await page.goto(`${base}ui/experiments/${curves}/${i % 2 === 0 ? 'notes' : 'config'}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForTimeout(1500);
    times.push(await page.evaluate(async (selector) => {
      const begin = performance.now();
      [...document.querySelectorAll('a')].find(({ textContent }) => textContent === 'Overview').click();
      return await window.whenFree(selector) - begin;
    }, kCurves));
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
