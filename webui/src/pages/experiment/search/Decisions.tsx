// The search's log in words: what happened, what was decided on it, and why. A page at a time, the newest first.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { RelativeTime } from '../../../components/small';
import { Empty, Loaded, Loading } from '../../../components/states';
import { grouped, metric } from '../../../lib/format';
import type { Message } from './replay';
import { kPage, lastPage, replayQuery } from './replay';
import type { Said, Words } from './words';
import { decisionWords, eventWords } from './words';

function Sentence({ words }: { words: Words }) {
  return words.trial === undefined ? <>{words.text}</> : <Link to="/trials/$id/$tab" params={{ id: String(words.trial), tab: 'metrics' }}>{words.text}</Link>;
}

function Drawn({ hparams }: { hparams: Record<string, unknown> }) {
  return <span className="soft mono">{Object.entries(hparams).map(([name, value]) => `${name}=${typeof value === 'number' ? metric(value) : JSON.stringify(value)}`).join('  ')}</span>;
}

function Entry({ entry, goal, axis }: { entry: Message; goal: string; axis: string }) {
  const event = eventWords((entry.event ?? {}) as Said, goal, axis);
  return (
    <li className="entry">
      <span className="soft number entry-number">{entry.seq}</span>
      <div>
        <div className="spread"><span><Sentence words={event} /></span><span className="soft"><RelativeTime time={entry.time} /></span></div>
        {(entry.decisions ?? []).map((said, i) => {
          const words = decisionWords(said as Said, axis);
          return (
            <div className="decision" key={i}>
              <span className={`badge ${words.tone}`}>{words.text}</span>
              <span>because: {String((said as Said)['why'] ?? 'no reason was given')}</span>
              {words.hparams && <Drawn hparams={words.hparams} />}
            </div>
          );
        })}
      </div>
    </li>
  );
}

interface Props { id: number; events: number; page: number | undefined; show: (page: number | undefined) => void; goal: string; axis: string }
export function Decisions({ id, events, page, show, goal, axis }: Props) {
  const [isAll, setAll] = useState(false);
  const last = lastPage(events);
  const now = Math.min(page ?? last, last);
  const query = useQuery(replayQuery(id, now));
  return (
    <section className="card stack" aria-label="Decisions">
      <div className="spread">
        <h2>Decisions, the newest first</h2>
        <div className="cluster">
          <label className="cluster"><input type="checkbox" checked={isAll} onChange={(event) => setAll(event.target.checked)} /> Also what changed nothing</label>
          {last > 0 && (
            <>
              <button className="button" disabled={now >= last} onClick={() => show(now + 1 >= last ? undefined : now + 1)}>Newer</button>
              <span className="soft number">Events {grouped(now * kPage + 1)} to {grouped(Math.min(events, (now + 1) * kPage))} of {grouped(events)}</span>
              <button className="button" disabled={now <= 0} onClick={() => show(now - 1)}>Older</button>
            </>
          )}
        </div>
      </div>
      <Loaded query={query} what="the decisions">
        {({ entries }) => {
          // The heading names the events that are asked for; those of another page would stand under it.
          if (query.isPlaceholderData) return <Loading what="the decisions" />;
          const shown = entries.filter(({ decisions }) => isAll || (decisions ?? []).length > 0).reverse();
          if (shown.length === 0) return <Empty title="Nothing was decided here">{isAll ? 'The search has heard nothing yet.' : 'Tick “Also what changed nothing” to see what the search heard.'}</Empty>;
          return <ol className="entries">{shown.map((entry) => <Entry key={entry.seq} entry={entry} goal={goal} axis={axis} />)}</ol>;
        }}
      </Loaded>
    </section>
  );
}
