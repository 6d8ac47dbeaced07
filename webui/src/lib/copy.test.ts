import { afterEach, expect, test, vi } from 'vitest';
import { copyFrom } from './copy';

afterEach(() => vi.unstubAllGlobals());

test('over plain HTTP what is shown is selected and copied, and only what was copied is said to be', async () => {
  const selectAllChildren = vi.fn();
  class Input { select = vi.fn(); }
  vi.stubGlobal('HTMLInputElement', Input);
  vi.stubGlobal('navigator', {});
  vi.stubGlobal('getSelection', () => ({ selectAllChildren }));
  vi.stubGlobal('document', { execCommand: () => true });
  const place = {} as HTMLElement;
  expect(await copyFrom(place, 'x')).toBe(true);
  expect(selectAllChildren).toHaveBeenCalledWith(place);
  vi.stubGlobal('document', { execCommand: () => false });
  const input = new Input();
  expect(await copyFrom(input as unknown as HTMLElement, 'x')).toBe(false);
  expect(input.select).toHaveBeenCalledOnce();
  const writeText = vi.fn(async () => {});
  vi.stubGlobal('navigator', { clipboard: { writeText } });
  expect(await copyFrom(null, 'x')).toBe(true);
  expect(writeText).toHaveBeenCalledWith('x');
});
