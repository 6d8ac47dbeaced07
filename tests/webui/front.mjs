// The built page in front of a server that does not serve it: under the policy that it is made for, everything else handed on.
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { extname, join, normalize } from 'node:path';

export const kPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; worker-src 'self'; "
  + "manifest-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'";
const kTypes = { '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.html': 'text/html' };

// Gives {url, stop}. The browser's Origin is that of the front: the server gets its own.
export async function front(server, dist) {
  const target = new URL(server);
  const handOn = (asked, answer) => {
    const headers = { ...asked.headers, host: target.host, ...(asked.headers.origin && { origin: target.origin }) };
    const on = request({ host: target.hostname, port: target.port, method: asked.method, path: asked.url, headers }, (got) => {
      answer.writeHead(got.statusCode, got.headers);
      got.pipe(answer);
    });
    on.on('error', () => { answer.writeHead(502); answer.end(); });
    answer.on('close', () => on.destroy());
    asked.pipe(on);
  };
  const listener = createServer((asked, answer) => {
    const { pathname } = new URL(asked.url, 'http://front');
    if (!pathname.startsWith('/ui/')) return handOn(asked, answer);
    let file = join(dist, normalize(pathname.slice(4)));
    if (!file.startsWith(dist) || !existsSync(file) || statSync(file).isDirectory()) file = join(dist, 'index.html');
    answer.writeHead(200, { 'Content-Type': kTypes[extname(file)] ?? 'text/plain', 'Content-Security-Policy': kPolicy, 'X-Content-Type-Options': 'nosniff' });
    createReadStream(file).pipe(answer);
  });
  await new Promise((ready) => listener.listen(0, '127.0.0.1', ready));
  return { url: `http://127.0.0.1:${listener.address().port}`, stop: () => { listener.closeAllConnections(); listener.close(); } };
}
