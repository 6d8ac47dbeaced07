import { expect, test } from 'vitest';
import type { LiveMessage, World } from './hub';
import { LiveHub } from './hub';

class Stream extends EventTarget {
  readyState = 0;
  isClosed = false;
  constructor(readonly url: string) { super(); }
  close() { this.isClosed = true; }
  say(kind: string, data: object = {}) { this.dispatchEvent(new MessageEvent(kind, { data: JSON.stringify(data) })); }
}

function setting(status = 0) {
  const streams: Stream[] = [];
  let due: (() => void)[] = [];
  const clock = { now: 0 };
  const world: World = {
    open: (url) => { const stream = new Stream(url); streams.push(stream); return stream as unknown as EventSource; },
    status: async () => status,
    later: (_milliseconds, work) => void due.push(work),
    now: () => clock.now,
  };
  const run = async () => { await Promise.resolve(); await Promise.resolve(); const now = due; due = []; now.forEach((work) => work()); };
  return { hub: new LiveHub('/live', world), streams, run, clock };
}

test('listeners share one stream, and hear of their own topics only', async () => {
  const { hub, streams, run } = setting();
  const one: LiveMessage[] = [];
  const two: LiveMessage[] = [];
  hub.watch((message) => one.push(message), ['experiments']);
  hub.watch((message) => two.push(message), ['trial:1']);
  await run();
  expect(streams.map(({ url }) => url)).toEqual(['/live?watch=experiments&watch=trial%3A1']);
  streams[0]!.say('hello');
  streams[0]!.say('changed', { topic: 'trial:1', ids: [1] });
  expect(two.at(-1)).toEqual({ kind: 'changed', topics: ['trial:1'] });
  expect(one.at(-1)).toEqual({ kind: 'state', state: 'open' });
});

test('the old stream ends only when the new one stands', async () => {
  const { hub, streams, run } = setting();
  hub.watch(() => {}, ['experiments']);
  await run();
  hub.watch(() => {}, ['queue']);
  await run();
  expect(streams.map(({ isClosed }) => isClosed)).toEqual([false, false]);
  streams[1]!.say('hello');
  expect(streams.map(({ isClosed }) => isClosed)).toEqual([true, false]);
});

test('no stream is left where a later one stands first', async () => {
  const { hub, streams, run } = setting();
  hub.watch(() => {}, ['experiments']);
  await run();
  streams[0]!.say('hello');
  hub.watch(() => {}, ['queue']);
  await run();
  hub.watch(() => {}, ['cluster']);
  await run();
  streams[2]!.say('hello');
  expect(streams.map(({ isClosed }) => isClosed)).toEqual([true, true, false]);
});

test('what changed between the first answers and the stream is told, when those are there', async () => {
  const { hub, streams, run, clock } = setting();
  const heard: LiveMessage[] = [];
  hub.watch((message) => heard.push(message), ['queue', 'trial:7']);
  await run();
  clock.now = 200;
  streams[0]!.say('hello');
  expect(heard.filter(({ kind }) => kind === 'changed')).toEqual([]);
  await run();
  expect(heard.filter(({ kind }) => kind === 'changed')).toEqual([{ kind: 'changed', topics: ['queue', 'trial:7'] }]);
});

test('topics of which a stream heard late may be old; those that it had before are not', async () => {
  const { hub, streams, run, clock } = setting();
  const heard: LiveMessage[] = [];
  const listener = (message: LiveMessage) => heard.push(message);
  hub.watch(listener, ['queue']);
  await run();
  streams[0]!.say('hello');
  await run();
  heard.length = 0;
  hub.watch(listener, ['queue', 'trial:7']);
  await run();
  clock.now = 1500;
  streams[1]!.say('hello');
  expect(heard.filter(({ kind }) => kind === 'changed')).toEqual([{ kind: 'changed', topics: ['trial:7'] }]);
});

test('who joins a stream that has its topics for others is told that they may be old', async () => {
  const { hub, streams, run } = setting();
  hub.watch(() => {}, ['experiments', 'queue']);
  await run();
  streams[0]!.say('hello');
  await run();
  const heard: LiveMessage[] = [];
  const listener = (message: LiveMessage) => heard.push(message);
  hub.watch(listener, ['experiments']);
  await run();
  expect(streams.length).toBe(1);
  expect(heard.filter(({ kind }) => kind === 'changed')).toEqual([{ kind: 'changed', topics: ['experiments'] }]);
  hub.watch(listener, ['experiments']);  // as each tab says each 15 s
  await run();
  expect(heard.filter(({ kind }) => kind === 'changed').length).toBe(1);
});

test('who watches something new does not wait behind who leaves', async () => {
  const { hub, streams, run } = setting();
  const gone = () => {};
  hub.watch(gone, ['experiments']);
  await run();
  hub.leave(gone);
  hub.watch(() => {}, ['trial:7']);
  await run();
  expect(streams.map(({ url }) => url)).toEqual(['/live?watch=experiments', '/live?watch=trial%3A7']);
});

test('more than one stream has room for hears of changes by the list of experiments', async () => {
  const { hub, streams, run } = setting();
  const heard: LiveMessage[] = [];
  const topics = Array.from({ length: 100 }, (_, i) => `experiment:${100 + i}`);
  hub.watch((message) => heard.push(message), topics);
  await run();
  const watched = new URL(streams[0]!.url, 'http://server').searchParams.getAll('watch');
  expect(watched.length).toBe(64);
  streams[0]!.say('hello');
  streams[0]!.say('changed', { topic: 'experiments', ids: [199] });
  expect(heard.at(-1)).toEqual({ kind: 'changed', topics: topics.filter((topic) => !watched.includes(topic)) });
});

test('a session that ended is told', async () => {
  const { hub, streams, run } = setting(401);
  const heard: LiveMessage[] = [];
  hub.watch((message) => heard.push(message), ['queue']);
  await run();
  streams[0]!.readyState = 2;
  streams[0]!.dispatchEvent(new Event('error'));
  await run();
  expect(heard).toContainEqual({ kind: 'signed-out' });
});

test('after a cut everything may be old', async () => {
  const { hub, streams, run } = setting();
  const heard: LiveMessage[] = [];
  hub.watch((message) => heard.push(message), ['queue']);
  await run();
  streams[0]!.say('hello');
  await run();
  streams[0]!.readyState = 2;
  streams[0]!.dispatchEvent(new Event('error'));
  await run();
  expect(heard.at(-1)).toEqual({ kind: 'state', state: 'cut' });
  await run();
  streams[1]!.say('hello');
  expect(heard.slice(-2)).toEqual([{ kind: 'state', state: 'open' }, { kind: 'changed', topics: ['queue'] }]);
});

test('a server without the route is told from a cut', async () => {
  const { hub, streams, run } = setting(404);
  const heard: LiveMessage[] = [];
  hub.watch((message) => heard.push(message), ['queue']);
  await run();
  streams[0]!.readyState = 2;
  streams[0]!.dispatchEvent(new Event('error'));
  await run();
  expect(heard).toContainEqual({ kind: 'state', state: 'absent' });
});

test('once a server has the route again, everything may be old', async () => {
  const { hub, streams, run } = setting(404);
  const heard: LiveMessage[] = [];
  hub.watch((message) => heard.push(message), ['queue']);
  await run();
  streams[0]!.say('hello');
  await run();
  streams[0]!.readyState = 2;
  streams[0]!.dispatchEvent(new Event('error'));
  await run();
  heard.length = 0;
  await run();
  await run();
  streams[1]!.say('hello');
  await run();
  expect(heard).toEqual([{ kind: 'state', state: 'open' }, { kind: 'changed', topics: ['queue'] }]);
});
