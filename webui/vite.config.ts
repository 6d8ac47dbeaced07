import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import license from 'rollup-plugin-license';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

const kCompressed = /\.(js|css|svg|html|txt)$/;
// A proxy in front of a server of one's own: npm run dev with DET_SERVER=http://127.0.0.1:8080.
const server = process.env['DET_SERVER'] ?? 'http://127.0.0.1:8080';

// FILE.br and FILE.gz beside every file that they make smaller: the server sends them as they are.
function compressed(): Plugin {
  return {
    name: 'compressed', apply: 'build', enforce: 'post',
    writeBundle(options) {
      const folder = options.dir ?? 'dist';
      for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => kCompressed.test(name))) {
        const file = `${folder}/${entry}`;
        const content = readFileSync(file);
        if (content.length < 512) continue;
        writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
        writeFileSync(`${file}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
      }
    },
  };
}

// What nearly each page needs beside the first chunk.
const kShared = 'shared';

// Asked for along with the first chunk, it is there when the first page's own code names it.
function sharedAtOnce(): Plugin {
  return {
    name: 'shared-at-once', apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle = {} }) {
        const shared = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === kShared);
        if (shared === undefined) throw new Error(`no chunk is named ${kShared}`);
        return [{ tag: 'link', attrs: { rel: 'modulepreload', crossorigin: true, href: `./${shared.fileName}` }, injectTo: 'head' }];
      },
    },
  };
}

// Chromium compiles these files whole and beside the main thread when they come, rather than each function there when it is first called.
function compiledAtOnce(): Plugin {
  return {
    name: 'compiled-at-once', apply: 'build',
    generateBundle: {
      order: 'post',  // it counts only as the first line, and Vite writes one of its own before
      handler(_options, bundle) {
        for (const file of Object.values(bundle)) {
          if (file.type === 'chunk' && (file.isEntry || file.name === kShared)) file.code = `//# allFunctionsCalledOnLoad\n${file.code}`;
        }
      },
    },
  };
}

// What comes only when it is shown stays apart: editors are larger than all the rest.
const isOfPages = (id: string) => !/codemirror|@lezer|@marijn|style-mod|w3c-keyname|crelt|\/yaml\/|uplot|\/charts\/|\/components\/(Yaml|Editor|Diff)/i.test(id);

export default defineConfig(({ command }) => ({
  // Relative: index.html has a <base>, which the server changes where it is below a path.
  base: command === 'build' ? './' : '/ui/',
  plugins: [
    license({
      sourcemap: false,
      thirdParty: {
        allow: { test: '(MIT OR Apache-2.0 OR ISC OR BSD-2-Clause OR BSD-3-Clause OR 0BSD)', failOnUnlicensed: true, failOnViolation: true },
        output: { file: 'dist/licenses.txt' },
      },
    }) as Plugin,
    sharedAtOnce(),
    compiledAtOnce(),
    compressed(),
  ],
  build: {
    target: 'es2022', modulePreload: { polyfill: false }, assetsInlineLimit: 0, chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        // Left to itself the build makes a chunk of nearly each module that two pages share, and each file costs the browser a request, a module and a cache entry.
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'], priority: 2 },
            // Of pages with charts: it asks for the drawing of them as soon as it is there.
            { name: 'charts', test: /\/src\/charts\/(?!Plot\.)/ },
            { name: kShared, test: isOfPages, minShareCount: 2, priority: 1 },
            // The head of a page and its parts are two routes, of which none is shown without the other.
            { name: 'experiment', test: /\/pages\/experiment\/(ExperimentPage|Tab)\.tsx$/ },
            { name: 'trial', test: /\/pages\/trial\/(TrialPage|Tab)\.tsx$/ },
          ],
        },
      },
    },
  },
  worker: { format: 'es' },
  server: {
    proxy: Object.fromEntries(['/api', '/checkpoints', '/experiments', '/oidc'].map((path) => [path, {
      target: server, changeOrigin: true, headers: { origin: server },
    }])),
  },
  test: { include: ['src/**/*.test.ts'], env: { TZ: 'Asia/Kolkata' } },  // not UTC, so that who takes one for the other is found out
}));
