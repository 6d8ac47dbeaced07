import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { diff, parts } from './diff';
import { textOf, unpack, untar } from './tar';

const marks = (before: string, after: string) => diff(before, after).map(({ kind, text }) => ({ same: ' ', added: '+', removed: '-' })[kind] + text);

describe('diff', () => {
  test('says what was added and removed, in order', () => {
    expect(marks('a\nb\nc\n', 'a\nx\nc\nd\n')).toEqual([' a', '-b', '+x', ' c', '+d']);
    expect(marks('', 'a\n')).toEqual(['+a']);
    expect(marks('a', 'a\n')).toEqual([' a']);
  });
  test('gives both texts back, whatever they are', () => {
    let seed = 7;
    const random = (below: number) => { seed = (seed * 16807) % 2147483647; return seed % below; };
    for (let round = 0; round < 200; round += 1) {
      const [a, b] = [0, 1].map(() => Array.from({ length: random(30) }, () => 'abcd'[random(4)]).join('\n'));
      const lines = diff(a!, b!);
      expect(lines.filter(({ kind }) => kind !== 'added').map(({ text }) => text).join('\n')).toBe(a!);
      expect(lines.filter(({ kind }) => kind !== 'removed').map(({ text }) => text).join('\n')).toBe(b!);
      const numbers = lines.flatMap(({ after }) => after ?? []);
      expect(numbers).toEqual(numbers.map((_, i) => i + 1));
    }
  });
  test('of two long texts with nothing in common ends', () => {
    const long = (letter: string) => Array.from({ length: 5000 }, (_, i) => letter + i).join('\n');
    expect(diff(long('a'), long('b')).length).toBe(10_000);
  });
  test('shows what is around, and gaps', () => {
    const before = Array.from({ length: 30 }, (_, i) => `line ${i}`);
    const after = before.with(5, 'new').with(25, 'new, too');
    const shown = parts(diff(before.join('\n'), after.join('\n')), 1);
    expect(shown.map((line) => line?.text)).toEqual(['line 4', 'line 5', 'new', 'line 6', undefined, 'line 24', 'line 25', 'new, too', 'line 26']);
    expect(parts(diff('a', 'a'))).toEqual([]);
  });
});

function entry(path: string, content: string, type = '0', size = content.length): Buffer {
  const header = Buffer.alloc(512);
  header.write(path.slice(0, 100), 0);
  header.write(size.toString(8).padStart(11, '0') + '\0', 124);
  header.write(type, 156);
  header.write('ustar\0', 257);
  return Buffer.concat([header, Buffer.from(content), Buffer.alloc((512 - (content.length % 512)) % 512)]);
}
const end = Buffer.alloc(1024);
const bytes = (buffer: Buffer) => new Uint8Array(buffer);

describe('a packed folder', () => {
  test('is its files, without folders and links', async () => {
    const packed = gzipSync(Buffer.concat([entry('./lib/', '', '5'), entry('./lib/b.py', 'print()'), entry('a', 'x'), entry('link', '', '2'), end])).toString('base64');
    expect((await unpack(packed)).map((file) => [file.path, textOf(file)])).toEqual([['a', 'x'], ['lib/b.py', 'print()']]);
    expect(await unpack('')).toEqual([]);
  });
  test('has long names in either form', () => {
    const long = 'd/'.repeat(80) + 'f';
    const record = `path=${long}\n`;
    const length = record.length + 4;
    const archive = Buffer.concat([entry('x', `${length} ${record}`, 'x'), entry('cut', '1'), entry('././@LongLink', `${long}2\0`, 'L'), entry('cut', '2'), end]);
    expect(untar(bytes(archive)).map(({ path }) => path)).toEqual([long, `${long}2`]);
  });
  test('that is cut off or says an impossible size is refused', () => {
    expect(() => untar(bytes(entry('a', 'x', '0', 5000)))).toThrow(/cut off/);
    const bad = entry('a', '');
    bad.write('zzzzzzzzzzz\0', 124);
    expect(() => untar(bytes(bad))).toThrow(/cut off/);
  });
  test('shows text only', () => {
    const file = (content: Uint8Array<ArrayBuffer>) => ({ path: 'a', content });
    expect(textOf(file(new Uint8Array([1, 0, 2])))).toBeUndefined();
    expect(textOf(file(new Uint8Array([0xff, 0xfe])))).toBeUndefined();
    expect(textOf(file(new TextEncoder().encode('é')))).toBe('é');
    expect(textOf(file(new Uint8Array(20).fill(65)), 10)).toBeUndefined();
  });
});
