// How bench/page_speed.mjs and bench/upstream_pages.mjs measure: Chromium with its CPU slowed down four times.
const kSlower = 4;

// "p50 812, p95 990, most 1010 ms of 20"
export function told(times) {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (part) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]);
  return `p50 ${at(0.5)}, p95 ${at(0.95)}, most ${Math.round(sorted.at(-1))} ms of ${sorted.length}`;
}

export const print = (name, value) => console.log(`${name.padEnd(58)} ${value}`);

// A page of `context` that is slow, and notes every task of more than 50 ms.
export async function slowPage(context) {
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const devtools = await context.newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: kSlower });
  await page.addInitScript(() => {
    window.longTasks = [];
    new PerformanceObserver((list) => { for (const { startTime, duration } of list.getEntries()) window.longTasks.push({ startTime, duration }); }).observe({ type: 'longtask', buffered: true });
    // Resolves to the time at which `selector` is there, drawn, and the main thread free again; rejects where it is not there after a minute.
    window.whenFree = (selector) => new Promise((done, failed) => {
      const look = () => {
        if (performance.now() > 60_000) return failed(new Error(`${selector} is not there after a minute`));
        if (!document.querySelector(selector)) return requestAnimationFrame(look);
        requestAnimationFrame(() => setTimeout(() => done(performance.now())));
      };
      look();
    });
  });
  return { page, devtools };
}

// From the begin of the navigation until `selector` is drawn and a click would be taken. Of pages that are cached, the first load, which fills the cache,
// does not count. `newContext` makes one with a cache of its own.
export async function timeLoads({ context, url, selector, count, newContext }) {
  const times = [];
  let own = context;
  let slow = newContext ? undefined : await slowPage(own);
  for (let i = 0; i < count; i += 1) {
    if (newContext) {
      own = await newContext();
      slow = await slowPage(own);
    }
    await slow.page.goto(url, { waitUntil: 'commit' });
    times.push(await slow.page.evaluate((wanted) => window.whenFree(wanted), selector));
    if (newContext) await own.close();
  }
  if (newContext) return told(times);
  await slow.page.close();
  return told(times.slice(1));
}
