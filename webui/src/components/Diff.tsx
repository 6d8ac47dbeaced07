// Two texts as their differences, with some lines around.
import { useMemo } from 'react';
import { diff, parts } from '../lib/diff';
import { Empty } from './states';
import './diff.css';

const kMarks = { same: ' ', added: '+', removed: '−' };
const kMost = 5000;

interface Props { before: string; after: string; label: string; same: string }
export default function Diff({ before, after, label, same }: Props) {
  const shown = useMemo(() => parts(diff(before, after)), [before, after]);
  if (shown.length === 0) return <Empty title="No difference">{same}</Empty>;
  const count = (kind: string) => shown.filter((line) => line?.kind === kind).length;
  return (
    <>
      <p className="soft">{count('added')} lines added, {count('removed')} removed{shown.length > kMost ? `; the first ${kMost} lines of it` : ''}.</p>
      <div className="diff" tabIndex={0} role="group" aria-label={label}>
        {shown.slice(0, kMost).map((line, i) => (line === undefined ? <div className="diff-gap soft" key={i}>⋯</div> : (
          <div className={`diff-line ${line.kind}`} key={i}>
            <span className="diff-number soft">{line.before ?? ''}</span><span className="diff-number soft">{line.after ?? ''}</span>
            <span className="diff-mark">{kMarks[line.kind]}</span><span>{line.text}</span>
          </div>
        )))}
      </div>
    </>
  );
}
