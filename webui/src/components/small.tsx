// The small words of the page: a state, a time, progress, labels.
import { useSyncExternalStore } from 'react';
import { ago } from '../lib/format';
import { stateWords } from '../lib/state';

export function StateBadge({ state }: { state: string }) {
  const [words, tone] = stateWords(state);
  return <span className={`badge ${tone}`}>{words}</span>;
}

// Draws what tells times anew twice a minute.
export function useMinute(): void { useSyncExternalStore(eachMinute, () => count, () => count); }

// One clock for all of them: a table has dozens.
let count = 0;
let timer: ReturnType<typeof setInterval> | undefined;
const readers = new Set<() => void>();
function eachMinute(reader: () => void): () => void {
  readers.add(reader);
  timer ??= setInterval(() => { count += 1; for (const one of readers) one(); }, 30_000);
  return () => {
    readers.delete(reader);
    if (readers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

// "3 minutes ago", with the exact time when pointed at; kept right while it is shown.
export function RelativeTime({ time }: { time: string | null | undefined }) {
  useMinute();
  if (!time) return <span className="soft">–</span>;
  return <time dateTime={time} onPointerEnter={({ currentTarget }) => { currentTarget.title = new Date(time).toLocaleString(); }}>{ago(time)}</time>;
}

export function Progress({ value, name }: { value: number; name: string }) {
  const percent = Math.round(Math.min(1, Math.max(0, value)) * 100);
  return (
    <div className="progress" role="progressbar" aria-label={name} aria-valuenow={percent} aria-valuemin={0} aria-valuemax={100}>
      <div style={{ width: `${percent}%` }} />
    </div>
  );
}

export function Labels({ labels }: { labels: readonly string[] }) {
  return <>{labels.map((label) => <span className="label" key={label} title={label}>{label}</span>)}</>;
}
