// Writes src/api/schema.d.ts: the types of the routes of api-routes.txt, from the server's own description.
//   node scripts/types.mjs URL-OR-FILE [--check]      URL: of a running server, such as http://127.0.0.1:8080
// With --check nothing is written, and a difference is an error: tests/webui asks for it.
import { readFileSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';

const [source, check] = process.argv.slice(2);
if (!source) throw new Error('usage: types.mjs URL-OR-FILE [--check]');
const target = new URL('../src/api/schema.d.ts', import.meta.url);

async function description() {
  if (!/^https?:/.test(source)) return JSON.parse(readFileSync(source, 'utf8'));
  const answer = await fetch(new URL('/api/v1/openapi.json', source));
  if (!answer.ok) throw new Error(`${source} answers ${answer.status}`);
  return answer.json();
}

// Without what only people read, and without answers that every route has.
function plain(value) {
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).filter(([name, member]) => !(name === 'description' && typeof member === 'string'))
    .map(([name, member]) => [name, plain(member)]));
}

function chosen(document) {
  const paths = {};
  for (const line of readFileSync(new URL('../api-routes.txt', import.meta.url), 'utf8').split('\n')) {
    if (!line || line.startsWith('#')) continue;
    const [method, path] = line.split(' ');
    const operation = document.paths[path]?.[method.toLowerCase()];
    if (!operation) throw new Error(`the server does not describe ${line}`);
    const { parameters, requestBody, responses } = operation;
    (paths[path] ??= {})[method.toLowerCase()] = { parameters, requestBody, responses: { 200: responses['200'] } };
  }
  return paths;
}

function reached(from, schemas) {
  const found = new Set();
  const look = (value) => {
    for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (!found.has(name)) { found.add(name); look(schemas[name]); }
    }
  };
  look(from);
  return Object.fromEntries([...found].sort().map((name) => [name, schemas[name]]));
}

const document = await description();
const paths = chosen(document);
const pruned = plain({ openapi: document.openapi, info: document.info, paths, components: { schemas: reached(paths, document.components.schemas) } });
const text = '// Made by scripts/types.mjs from the server\'s OpenAPI: do not edit.\n' + astToString(await openapiTS(pruned, { defaultNonNullable: false }));
if (check !== '--check') writeFileSync(target, text);
else if (readFileSync(target, 'utf8') !== text) {
  console.error('webui/src/api/schema.d.ts is stale: npm run types -- URL');
  process.exit(1);
}
