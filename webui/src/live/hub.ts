// One event stream for many listeners: the union of the topics that they watch. Runs in the SharedWorker, or in a tab without one.
export type LiveState = 'connecting' | 'open' | 'cut' | 'absent';
export type LiveMessage = { kind: 'state'; state: LiveState } | { kind: 'changed'; topics: string[] } | { kind: 'signed-out' };
export type Listener = (message: LiveMessage) => void;

// What the hub needs of the world; tests give their own.
export interface World {
  open(url: string): EventSource;
  status(url: string): Promise<number>;  // of a GET that is ended at once; 0: no answer
  later(milliseconds: number, work: () => void): void;
  now(): number;  // milliseconds
}

const kMost = 64;  // topics that the server takes of one stream
const kRetryMs = 3000;
const kAbsentRetryMs = 60_000;
const kLateMs = 1000;  // a page has its first answers by then

export class LiveHub {
  private readonly watched = new Map<Listener, readonly string[]>();
  private source: EventSource | undefined;
  private topics: readonly string[] = [];
  private rest: readonly string[] = [];  // of experiments and trials, beyond what one stream has room for
  private state: LiveState = 'connecting';
  private dueIn = Infinity;
  private timer = 0;
  private askedAt: number | undefined;  // when topics were asked for that no stream was opened for yet
  private standing: EventSource[] = [];  // the oldest first; all but the last end when a later one stands
  private heard: readonly string[] = [];  // topics of the stream that told last

  constructor(private readonly address: string, private readonly world: World) {}

  watch(listener: Listener, topics: readonly string[]): void {
    const before = this.watched.get(listener) ?? [];
    const told = topics.filter((topic) => this.heard.includes(topic) && !before.includes(topic));
    this.watched.set(listener, topics);
    listener({ kind: 'state', state: this.state });
    // The stream has them for others; nobody told this one what changed since its page asked for them.
    if (told.length > 0) this.world.later(kLateMs, () => { if (this.watched.has(listener)) listener({ kind: 'changed', topics: told }); });
    this.askedAt ??= this.world.now();
    this.schedule(30);
  }

  leave(listener: Listener): void {
    this.watched.delete(listener);
    this.schedule(2000);  // not at once: the next page watches soon
  }

  private schedule(milliseconds: number): void {
    if (milliseconds >= this.dueIn || this.state === 'absent') return;
    this.dueIn = milliseconds;
    const own = ++this.timer;
    this.world.later(milliseconds, () => {
      if (own !== this.timer) return;  // a sooner one came
      this.dueIn = Infinity;
      this.connect();
    });
  }

  private connect(): void {
    const all = [...new Set([...this.watched.values()].flat())].sort();
    // The list changes whenever one of them does.
    const isTooMany = all.length > kMost;
    const wanted = isTooMany ? [...new Set(['experiments', ...all.filter((topic) => !topic.includes(':')), ...all])].slice(0, kMost) : all;
    this.rest = all.filter((topic) => !wanted.includes(topic));
    const asked = this.askedAt ?? this.world.now();
    this.askedAt = undefined;
    if (wanted.length === 0) {
      for (const one of this.standing.splice(0)) one.close();
      this.source = undefined;
      this.topics = this.heard = [];
      return;
    }
    if (this.source && this.topics.join('\n') === wanted.join('\n')) return;
    const url = this.address + '?' + wanted.map((topic) => 'watch=' + encodeURIComponent(topic)).join('&');
    const source = this.world.open(url);
    this.source = source;
    this.topics = wanted;
    this.standing.push(source);
    // Older streams end only when a newer one stands: nothing of their topics is missed between them.
    const closeOlder = () => { for (const one of this.standing.splice(0, this.standing.indexOf(source))) one.close(); };
    source.addEventListener('hello', () => {
      closeOlder();
      this.enter('open');
      // Of topics that are new nobody told what changed since a page asked for them.
      const fresh = wanted.filter((topic) => !this.heard.includes(topic));
      this.heard = wanted;
      if (fresh.length === 0) return;
      if (this.world.now() - asked > kLateMs) this.tell(fresh);
      else this.world.later(kLateMs, () => this.tell(fresh));  // not in the way of the first answers
    });
    source.addEventListener('changed', (event) => this.tell([(JSON.parse(event.data) as { topic: string }).topic]));
    source.addEventListener('look-again', (event) => this.tell((JSON.parse(event.data) as { topics: string[] }).topics));
    source.addEventListener('error', () => {
      closeOlder();
      if (this.source === source) void this.lost(url, source);
    });
  }

  private async lost(url: string, source: EventSource): Promise<void> {
    if (source.readyState !== 2) return this.enter('cut');  // the browser tries again, with the last event's id
    this.source = undefined;
    this.standing = this.standing.filter((one) => one !== source);
    const status = await this.world.status(url);
    const isAbsent = status === 404 || status === 501;
    this.enter(isAbsent ? 'absent' : 'cut');
    if (isAbsent) this.heard = [];  // nobody tells until there is a stream again
    if (status === 401) for (const listener of this.watched.keys()) listener({ kind: 'signed-out' });
    this.world.later(isAbsent ? kAbsentRetryMs : kRetryMs, () => {
      if (this.state === 'absent') this.state = 'connecting';
      this.schedule(0);
    });
  }

  private enter(state: LiveState): void {
    const isBack = state === 'open' && this.state !== 'open' && this.state !== 'connecting';
    if (state !== this.state) {
      this.state = state;
      for (const listener of this.watched.keys()) listener({ kind: 'state', state });
    }
    if (isBack) this.tell(this.topics);
  }

  private tell(told: readonly string[]): void {
    const topics = told.includes('experiments') ? [...told, ...this.rest] : told;
    for (const [listener, watched] of this.watched) {
      const own = topics.filter((topic) => watched.includes(topic));
      if (own.length > 0) listener({ kind: 'changed', topics: own });
    }
  }
}

export const browser: World = {
  open: (url) => new EventSource(url),
  status: async (url) => {
    const stop = new AbortController();
    try {
      return (await fetch(url, { signal: stop.signal })).status;
    } catch {
      return 0;
    } finally {
      stop.abort();
    }
  },
  later: (milliseconds, work) => void setTimeout(work, milliseconds),
  now: () => performance.now(),
};
