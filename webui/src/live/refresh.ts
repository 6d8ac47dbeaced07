// When what changed is asked for anew: at once, then at most every few seconds, never while the last answer is on its way (it would be
// thrown away, and a page whose answers are slow would never have one), and not while nobody sees the tab.
export interface Moments {
  now(): number;
  later(milliseconds: number, work: () => void): void;
  whenSeen(work: () => void): void;  // at once where the tab is in view
}

const kAgainMs = 100;
// What trains changes all the time, and so does the list of it; other lists are small and change when somebody does something.
const between = (topic: string) => (topic.includes(':') || topic === 'experiments' ? 3000 : 500);

export class Refresher {
  private readonly topics = new Map<string, { at: number; isDue: boolean }>();

  // `isAsking`: whether an answer about the topic is on its way. `ask` asks.
  constructor(private readonly isAsking: (topic: string) => boolean, private readonly ask: (topic: string) => void, private readonly moments: Moments) {}

  changed(topic: string): void {
    const one = this.topics.get(topic) ?? { at: -Infinity, isDue: false };
    this.topics.set(topic, one);
    if (one.isDue) return;
    one.isDue = true;
    const look = () => {
      if (this.isAsking(topic)) return this.moments.later(kAgainMs, look);
      one.isDue = false;
      one.at = this.moments.now();
      this.ask(topic);
    };
    this.moments.later(Math.max(0, one.at + between(topic) - this.moments.now()), () => this.moments.whenSeen(look));
  }
}

export const browserMoments: Moments = {
  now: () => Date.now(),
  later: (milliseconds, work) => void setTimeout(work, milliseconds),
  whenSeen: (work) => {
    if (document.visibilityState !== 'hidden') return work();
    const seen = () => {
      if (document.visibilityState === 'hidden') return;
      document.removeEventListener('visibilitychange', seen);
      work();
    };
    document.addEventListener('visibilitychange', seen);
  },
};
