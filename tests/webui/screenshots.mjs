// See screenshots.py. A page that complains, or that is wider than its window, fails.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { begin } from './browser.mjs';

const { folder, paths } = JSON.parse(process.env.DET_SCREENSHOTS);

test('pictures of every page', async () => {
  const site = await begin();
  const faults = [];
  try {
    for (const path of paths) {
      if (path === '') await site.signIn('admin');
      for (const colorScheme of ['light', 'dark']) {
        for (const width of [1440, 390]) {
          await site.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          await site.page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
          await site.open(path);
          await site.page.locator('h1').first().waitFor();
          await site.page.locator('.spinner').first().waitFor({ state: 'detached' });
          await site.page.waitForTimeout(300);  // charts draw after their data
          const name = `${path.replaceAll(/[^a-z0-9]+/gi, '-').replace(/-$/, '') || 'home'}-${colorScheme}-${width}.png`;
          await site.page.screenshot({ path: join(folder, name), fullPage: true });
          const wide = await site.page.evaluate('document.documentElement.scrollWidth');
          if (wide > width) faults.push(`${path} is ${wide} pixels wide in a window of ${width}`);
        }
      }
    }
    assert.deepEqual([...faults, ...site.complaints], []);
  } finally {
    await site.end();
  }
});
