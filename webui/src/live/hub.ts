// One event stream for many listeners: the union of the topics that they watch. Runs in the SharedWorker, or in a tab without one.
export type LiveState = 'connecting' | 'open' | 'cut' | 'absent';
export type LiveMessage = { kind: 'state'; state: LiveState } | { kind: 'changed'; topics: string[] } | { kind: 'signed-out' };
export type Listener = (message: LiveMessage) => void;

// What the hub needs of the world; tests give their own.
export interface World {
  open(url: string): EventSource;
  status(url: string): Promise<number>;  // of a GET that is ended at once; 0: no answer
  later(milliseconds: number, work: () => void): void;
}

const kMost = 64;  // topics that the server takes of one stream
const kRetryMs = 3000;
const kAbsentRetryMs = 60_000;

export class LiveHub {
  private readonly watched = new Map<Listener, readonly string[]>();
  private source: EventSource | undefined;
  private topics: readonly string[] = [];
  private rest: readonly string[] = [];  // of experiments and trials, beyond what one stream has room for
  private state: LiveState = 'connecting';
  private isDue = false;

  constructor(private readonly address: string, private readonly world: World) {}

  watch(listener: Listener, topics: readonly string[]): void {
    this.watched.set(listener, topics);
    listener({ kind: 'state', state: this.state });
    this.schedule(30);
  }

  leave(listener: Listener): void {
    this.watched.delete(listener);
    this.schedule(2000);  // not at once: the next page watches soon
  }

  private schedule(milliseconds: number): void {
    if (this.isDue || this.state === 'absent') return;
    this.isDue = true;
    this.world.later(milliseconds, () => { this.isDue = false; this.connect(); });
  }

  private connect(): void {
    const all = [...new Set([...this.watched.values()].flat())].sort();
    // The list changes whenever one of them does.
    const isTooMany = all.length > kMost;
    const wanted = isTooMany ? [...new Set(['experiments', ...all.filter((topic) => !topic.includes(':')), ...all])].slice(0, kMost) : all;
    this.rest = all.filter((topic) => !wanted.includes(topic));
    if (wanted.length === 0) {
      this.source?.close();
      this.source = undefined;
      this.topics = [];
      return;
    }
    if (this.source && this.topics.join('\n') === wanted.join('\n')) return;
    const url = this.address + '?' + wanted.map((topic) => 'watch=' + encodeURIComponent(topic)).join('&');
    const before = this.source;
    const source = this.world.open(url);
    this.source = source;
    this.topics = wanted;
    // The old stream ends only when the new one stands: nothing is missed between them.
    source.addEventListener('hello', () => { before?.close(); this.enter('open'); });
    source.addEventListener('changed', (event) => this.tell([(JSON.parse(event.data) as { topic: string }).topic]));
    source.addEventListener('look-again', (event) => this.tell((JSON.parse(event.data) as { topics: string[] }).topics));
    source.addEventListener('error', () => {
      before?.close();
      if (this.source === source) void this.lost(url, source);
    });
  }

  private async lost(url: string, source: EventSource): Promise<void> {
    if (source.readyState !== 2) return this.enter('cut');  // the browser tries again, with the last event's id
    this.source = undefined;
    const status = await this.world.status(url);
    const isAbsent = status === 404 || status === 501;
    this.enter(isAbsent ? 'absent' : 'cut');
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
};
