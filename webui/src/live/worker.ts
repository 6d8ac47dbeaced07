// The SharedWorker: all tabs of the browser share its one stream. Its name is the stream's address.
import type { Listener } from './hub';
import { LiveHub, browser } from './hub';

// A tab that closed says nothing any more. One in the background says something once a minute: browsers slow its timers down.
const kSilenceMs = 150_000;
const scope = self as unknown as { name: string; onconnect: (event: MessageEvent) => void };
const hub = new LiveHub(scope.name, browser);

scope.onconnect = (event) => {
  const port = event.ports[0]!;
  const listener: Listener = (message) => port.postMessage(message);
  let heard = Date.now();
  let hasLeft = false;
  let timer: ReturnType<typeof setInterval> | undefined;
  const leave = () => {
    clearInterval(timer);
    timer = undefined;
    hasLeft = true;
    hub.leave(listener);
  };
  port.onmessage = ({ data }: MessageEvent<{ topics: string[] | null }>) => {
    heard = Date.now();
    if (!data.topics) return leave();
    timer ??= setInterval(() => { if (Date.now() - heard > kSilenceMs) leave(); }, kSilenceMs / 5);
    hub.watch(listener, data.topics);
    // It slept, or came back by the browser's history: what changed meanwhile nobody told it.
    if (hasLeft) listener({ kind: 'changed', topics: data.topics });
    hasLeft = false;
  };
};
