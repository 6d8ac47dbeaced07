// Of Determined's own pages on this server's API what bench/page_speed.mjs measures of ours: bench/page_speed.py --upstream DIR. Lists are there when their
// cells have text, curves when a chart has been drawn. Its learning curve shows a hundred trials at most.
import { launch } from '../tests/webui/chromium.mjs';
import { print, timeLoads } from './page_times.mjs';

const { many, curves, loads, only } = JSON.parse(process.env.DET_BENCH);
const wants = (name) => only.length === 0 || only.includes(name);
const server = process.env.DET_SERVER;
const browser = await launch();
const window = { viewport: { width: 1440, height: 900 } };

const context = await browser.newContext(window);
const page = await context.newPage();
await page.goto(`${server}/det/login`);
await page.getByPlaceholder('username').fill('determined');
await page.getByRole('button', { name: 'Sign In' }).click();
await page.waitForURL('**/det/dashboard');
await page.close();
const state = await context.storageState();
const newContext = () => browser.newContext({ ...window, storageState: state });

const kCell = 'canvas td:not(:empty)';
const kRow = '.ant-table-row';
const kCurves = '.uplot canvas';
const time = (path, selector, count, isCold) =>
  timeLoads({ context, url: `${server}/det/${path}`, selector, count, newContext: isCold ? newContext : undefined });

if (wants('experiments')) {
  print('list of experiments, nothing cached', await time('projects/1/experiments', kCell, Math.min(loads, 8), true));
  print('list of experiments, the page cached', await time('projects/1/experiments', kCell, loads + 1, false));
}
if (wants('trials')) {
  print('experiment of many trials: learning curve', await time(`experiments/${many}/visualization/learning-curve`, kCurves, loads + 1, false));
  print('experiment of many trials: table of its trials', await time(`experiments/${many}/trials`, kRow, loads + 1, false));
}
if (wants('curves')) {
  print('200 curves, of which it shows 100', await time(`experiments/${curves}/visualization/learning-curve`, kCurves, Math.max(4, loads / 2), false));
}
await browser.close();
