// The tab's side: which topics its views watch, and what of the query cache is old when one changes.
import type { QueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { address, signedOut, wasRefused } from '../api/client';
import type { LiveMessage, LiveState } from './hub';
import { LiveHub, browser } from './hub';
import { Refresher, browserMoments } from './refresh';

// "experiments" -> ["experiments"], "trial:7" -> ["trial", 7], "logs:7.ab" -> ["logs", "7.ab"]: queries have keys that begin so.
export function keyOf(topic: string): (string | number)[] {
  const place = topic.indexOf(':');
  if (place < 0) return [topic];
  const id = topic.slice(place + 1);
  return [topic.slice(0, place), /^\d+$/.test(id) ? Number(id) : id];
}

const counts = new Map<string, number>();
const readers = new Set<() => void>();
let state: LiveState = 'connecting';
let post: (topics: string[] | null) => void = () => {};
let isPosting = false;

function receive(message: LiveMessage, queries: QueryClient, refresher: Refresher): void {
  if (message.kind === 'changed') {
    message.topics.forEach((topic) => refresher.changed(topic));
  } else if (message.kind === 'signed-out') {
    signedOut();
  } else if (message.state !== state) {
    state = message.state;
    for (const reader of readers) reader();
    // What failed while the server was away is asked for once more; what is not there, or not one's own, is so also after an outage.
    if (state === 'open') void queries.refetchQueries({ type: 'active', predicate: ({ state: { error } }) => error !== null && !wasRefused(error) });
  }
}

export function startLive(queries: QueryClient): void {
  const url = address('/api/v1/live').href;
  const refresher = new Refresher(
    (topic) => queries.isFetching({ queryKey: keyOf(topic), type: 'active' }) > 0, (topic) => void queries.invalidateQueries({ queryKey: keyOf(topic) }), browserMoments,
  );
  if (typeof SharedWorker !== 'undefined') {
    const worker = new SharedWorker(new URL('./worker.ts', import.meta.url), { type: 'module', name: url });
    worker.port.onmessage = ({ data }: MessageEvent<LiveMessage>) => receive(data, queries, refresher);
    post = (topics) => worker.port.postMessage({ topics });
    setInterval(send, 15_000);  // the worker hears that this tab is there
    addEventListener('pagehide', () => post(null));
    addEventListener('pageshow', send);
  } else {
    const hub = new LiveHub(url, browser);
    const listener = (message: LiveMessage) => receive(message, queries, refresher);
    post = (topics) => (topics ? hub.watch(listener, topics) : hub.leave(listener));
  }
}

function send(): void { if (counts.size > 0) post([...counts.keys()]); }

function change(topic: string, by: number): void {
  const count = (counts.get(topic) ?? 0) + by;
  if (count > 0) counts.set(topic, count);
  else counts.delete(topic);
  if (isPosting) return;
  isPosting = true;
  queueMicrotask(() => { isPosting = false; post([...counts.keys()]); });
}

// While the component is there, these topics are watched.
export function useLive(...topics: string[]): void {
  const joined = topics.join('\n');
  useEffect(() => {
    const own = joined === '' ? [] : joined.split('\n');
    own.forEach((topic) => change(topic, 1));
    return () => own.forEach((topic) => change(topic, -1));
  }, [joined]);
}

export function useLiveState(): LiveState {
  return useSyncExternalStore((reader) => { readers.add(reader); return () => readers.delete(reader); }, () => state);
}

// For refetchInterval: where no stream tells what changed, unfinished things are asked for every 5 s.
export function useInterval(isUnfinished: boolean): number | false {
  return useLiveState() !== 'open' && isUnfinished ? 5000 : false;
}
