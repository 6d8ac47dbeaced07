// dist/report.html: the report of an experiment as one file, into which `det experiment report` writes the data. It is opened from disk,
// so all of it stands in the file, and its policy allows this script and this style and nothing else.
import { createHash } from 'node:crypto';
import type { Plugin } from 'vite';
import { defineConfig } from 'vite';

const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

export function pageOf(script: string, style: string): string {
  const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data:; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>det-operator</title>
<style>${style}</style>
</head>
<body>
<div id="root"></div>
<noscript>This page needs JavaScript.</noscript>
<script id="report-data" type="application/json">null</script>
<script>${script}</script>
</body>
</html>
`;
}

function oneFile(): Plugin {
  return {
    name: 'one-file', enforce: 'post',
    generateBundle(_options, bundle) {
      let script = '';
      let style = '';
      for (const [name, part] of Object.entries(bundle)) {
        if (part.type === 'chunk') script += part.code;
        else if (name.endsWith('.css')) style += String(part.source);
        delete bundle[name];
      }
      // Within a script's text both would end it, or hide its end; in a string of it they mean the same.
      script = script.trim().replace(/<\/(script)/gi, '<\\/$1').replaceAll('<!--', '<\\!--');
      if (script === '' || style === '' || /<\/style/i.test(style)) throw new Error('the report has no script or no style, or one that does not fit');
      this.emitFile({ type: 'asset', fileName: 'report.html', source: pageOf(script, style) });
    },
  };
}

export default defineConfig({
  plugins: [oneFile()],
  define: { 'process.env.NODE_ENV': '"production"' },
  build: {
    target: 'es2022', emptyOutDir: false, copyPublicDir: false, cssCodeSplit: false, modulePreload: { polyfill: false },
    lib: { entry: 'src/report/main.tsx', formats: ['iife'], name: 'detReport', fileName: 'report', cssFileName: 'report' },
  },
});
