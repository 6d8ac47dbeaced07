// What a log is narrowed to: a text or an expression, a level, a rank, a pod.
import { useField } from '../../lib/field';
import type { LogSearch } from './address';
import { kLevels } from './address';
import type { LoggedTrial } from './fields';
import { useLogFields } from './fields';

// `trial`: nothing where the log is that of many.
interface Props { trial?: LoggedTrial; search: LogSearch; change: (part: LogSearch) => void }
export function LogFilters({ trial, search, change }: Props) {
  const [text, setText] = useField(search.q ?? '', (q) => change({ q: q || undefined }));
  const fields = useLogFields(trial);
  const ranks = fields?.rankIds ?? [];
  const pods = fields?.containerIds ?? [];
  return (
    <div className="cluster" role="search">
      <label><span className="hidden-label">Search in the log</span><input className="input" type="search" placeholder="Search in the log" maxLength={1000} value={text} onChange={(event) => setText(event.target.value)} /></label>
      <label className="cluster"><input type="checkbox" checked={search.regex === true} onChange={(event) => change({ regex: event.target.checked || undefined })} /> Regular expression</label>
      <label><span className="hidden-label">Least level</span><select className="input" value={search.level ?? ''} onChange={(event) => change({ level: event.target.value || undefined })}>
        <option value="">All levels</option>{kLevels.slice(1).map((one) => <option key={one} value={one}>{one.toLowerCase()} and above</option>)}</select></label>
      {(ranks.length > 1 || search.rank !== undefined) && (
        <label><span className="hidden-label">Rank</span><select className="input" value={search.rank ?? ''} onChange={(event) => change({ rank: event.target.value === '' ? undefined : Number(event.target.value) })}>
          <option value="">All ranks</option>{[...new Set([...ranks, ...(search.rank !== undefined ? [search.rank] : [])])].sort((a, b) => a - b).map((rank) => <option key={rank} value={rank}>rank {rank}</option>)}</select></label>
      )}
      {(pods.length > 1 || search.pod) && (
        <label><span className="hidden-label">Pod</span><select className="input" value={search.pod ?? ''} onChange={(event) => change({ pod: event.target.value || undefined })}>
          <option value="">All pods</option>{[...new Set([...pods, ...(search.pod ? [search.pod] : [])])].map((pod) => <option key={pod} value={pod}>{pod}</option>)}</select></label>
      )}
    </div>
  );
}
