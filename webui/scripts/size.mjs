// What a first visit loads: the scripts that dist/index.html and what it imports at once name, compressed by gzip. At most 200 kB.
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const kLimit = 200_000;
const dist = new URL('../dist/', import.meta.url);
const first = [...readFileSync(new URL('index.html', dist), 'utf8').matchAll(/(?:src|href)="\.?\/?([^"]+\.js)"/g)].map(([, name]) => name);
if (first.length === 0) throw new Error('dist/index.html names no script');
const seen = new Map();
const visit = (name) => {
  if (seen.has(name)) return;
  const text = readFileSync(new URL(name, dist), 'utf8');
  seen.set(name, gzipSync(text, { level: 9 }).length);
  for (const [, other] of text.matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g)) visit('assets/' + other);
};
first.forEach(visit);
const total = [...seen.values()].reduce((sum, size) => sum + size, 0);
console.log(`JavaScript of the first page: ${(total / 1000).toFixed(1)} kB compressed, of at most ${kLimit / 1000} kB`);
if (total > kLimit) process.exit(1);
