// A proxy as an Ingress is one: the server below a path, which it strips. It counts, so that a test sees what a browser holds open.
import { createServer, request } from 'node:http';

// Gives {url, open(path), stop}: `open` is how many requests of that path are not over.
export async function below(server, prefix) {
  const target = new URL(server);
  const running = new Map();
  const count = (path, by) => running.set(path, (running.get(path) ?? 0) + by);
  const listener = createServer((asked, answer) => {
    if (!asked.url.startsWith(`${prefix}/`)) { answer.writeHead(404); return answer.end(); }
    const path = asked.url.slice(prefix.length);
    const counted = path.split('?')[0];
    count(counted, 1);
    answer.on('close', () => count(counted, -1));
    const on = request({ host: target.hostname, port: target.port, method: asked.method, path, headers: asked.headers }, (got) => {
      answer.writeHead(got.statusCode, got.headers);
      got.pipe(answer);
    });
    on.on('error', () => { if (!answer.headersSent) answer.writeHead(502); answer.end(); });
    answer.on('close', () => on.destroy());
    asked.pipe(on);
  });
  await new Promise((ready) => listener.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${listener.address().port}${prefix}`, open: (path) => running.get(path) ?? 0,
    stop: () => { listener.closeAllConnections(); listener.close(); },
  };
}
