// The SharedWorker: all tabs of the browser share its one stream. Its name is the stream's address.
import type { Listener } from './hub';
import { LiveHub, browser } from './hub';

const kSilenceMs = 45_000;  // a tab that closed says nothing any more
const scope = self as unknown as { name: string; onconnect: (event: MessageEvent) => void };
const hub = new LiveHub(scope.name, browser);

scope.onconnect = (event) => {
  const port = event.ports[0]!;
  const listener: Listener = (message) => port.postMessage(message);
  let heard = Date.now();
  const watch = setInterval(() => {
    if (Date.now() - heard > kSilenceMs) { clearInterval(watch); hub.leave(listener); }
  }, kSilenceMs / 3);
  port.onmessage = ({ data }: MessageEvent<{ topics: string[] | null }>) => {
    heard = Date.now();
    if (data.topics) hub.watch(listener, data.topics);
    else hub.leave(listener);
  };
};
