// The small words of the page: a state, a time, progress, labels.
import { useEffect, useReducer } from 'react';
import { ago } from '../lib/format';
import { stateWords } from '../lib/state';

export function StateBadge({ state }: { state: string }) {
  const [words, tone] = stateWords(state);
  return <span className={`badge ${tone}`}>{words}</span>;
}

// Draws what tells times anew twice a minute.
export function useMinute(): void {
  const [, again] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(again, 30_000);
    return () => clearInterval(timer);
  }, []);
}

// "3 minutes ago", with the exact time when pointed at; kept right while it is shown.
export function RelativeTime({ time }: { time: string | null | undefined }) {
  useMinute();
  if (!time) return <span className="soft">–</span>;
  return <time dateTime={time} title={new Date(time).toLocaleString()}>{ago(time)}</time>;
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
