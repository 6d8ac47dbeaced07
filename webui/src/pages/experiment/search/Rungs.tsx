// A bracket drawn: a column for each rung, a box for each trial that reached it, the best on top, lines to where they came next.
import { useNavigate } from '@tanstack/react-router';
import type { Schemas } from '../../../api/client';
import { isPlain } from '../../../lib/click';
import { grouped, metric } from '../../../lib/format';
import type { Column, Place, Way } from './rungs';
import { columnsOf, kFates } from './rungs';

const kBox = { width: 168, height: 24, gap: 5, between: 70, top: 62 };
const left = (column: number) => column * (kBox.width + kBox.between);
const top = (row: number) => kBox.top + row * (kBox.height + kBox.gap);

function Line({ way }: { way: Way }) {
  const from = { x: left(way.column) + kBox.width, y: top(way.from) + kBox.height / 2 };
  const to = { x: left(way.column + 1), y: top(way.to) + kBox.height / 2 };
  const middle = (from.x + to.x) / 2;
  return <path className="rung-way" d={`M${from.x} ${from.y}C${middle} ${from.y} ${middle} ${to.y} ${to.x} ${to.y}`} />;
}

function Box({ place, x, y, goal }: { place: Place; x: number; y: number; goal: string }) {
  const navigate = useNavigate();
  const name = place.trial === undefined ? place.id.slice(0, 8) : `Trial ${place.trial}`;
  const told = `${name}, ${place.metric === null ? 'ended early' : `${goal} ${metric(place.metric)}`}: ${kFates[place.fate]}`;
  const content = (
    <>
      <title>{told}</title>
      <rect x={x} y={y} width={kBox.width} height={kBox.height} rx={6} />
      <text x={x + 10} y={y + 16.5}>{name}</text>
      <text x={x + kBox.width - 10} y={y + 16.5} textAnchor="end" className="number">{place.metric === null ? 'early' : metric(place.metric)}</text>
    </>
  );
  if (place.trial === undefined) return <g className={`rung-box ${place.fate}`}>{content}</g>;
  const id = String(place.trial);
  return (
    <a className={`rung-box ${place.fate}`} href={new URL(`trials/${id}/metrics`, document.baseURI).href}
      onClick={(event) => {
        if (!isPlain(event)) return;
        event.preventDefault();
        void navigate({ to: '/trials/$id/$tab', params: { id, tab: 'metrics' } });
      }}>
      {content}
    </a>
  );
}

function Head({ column, index, axis, isLast }: { column: Column; index: number; axis: string; isLast: boolean }) {
  const x = left(index);
  return (
    <g className="rung-head">
      <text x={x} y={16} className="rung-title">After {grouped(column.length)} {axis}</text>
      <text x={x} y={34}>{grouped(column.results)} {column.results === 1 ? 'result' : 'results'}</text>
      <text x={x} y={50}>{isLast ? 'The last rung' : `${grouped(column.stay)} came no further`}</text>
    </g>
  );
}

interface Props { bracket: Schemas['v1SearchBracket']; index: number; axis: string; goal: string; trains: (trial: number) => boolean | undefined }
export function Bracket({ bracket, index, axis, goal, trains }: Props) {
  const { columns, ways } = columnsOf(bracket, trains);
  const rows = Math.max(1, ...columns.map(({ places, hidden }) => places.length + (hidden > 0 ? 1 : 0)));
  const width = left(columns.length - 1) + kBox.width;
  const title = `Bracket ${index + 1}`;
  return (
    <section className="card stack" aria-label={title}>
      <div className="cluster"><h2>{title}</h2><span className="soft">{columns.length} {columns.length === 1 ? 'rung' : 'rungs'}, {grouped(columns[0]?.results ?? 0)} trials have a result</span></div>
      <div className="rungs" tabIndex={0} role="group" aria-label={`${title}, drawn`}>
        <svg width={width + 2} height={top(rows)} viewBox={`-1 0 ${width + 2} ${top(rows)}`}>
          {ways.map((way) => <Line key={`${way.column}.${way.from}`} way={way} />)}
          {columns.map((column, i) => (
            <g key={i}>
              <Head column={column} index={i} axis={axis} isLast={i === columns.length - 1} />
              {column.places.map((place, row) => <Box key={place.id} place={place} x={left(i)} y={top(row)} goal={goal} />)}
              {column.places.length === 0 && <text x={left(i)} y={top(0) + 16} className="rung-more">No trial yet</text>}
              {column.hidden > 0 && <text x={left(i)} y={top(column.places.length) + 16} className="rung-more">and {grouped(column.hidden)} more below</text>}
            </g>
          ))}
        </svg>
      </div>
    </section>
  );
}

export function Legend() {
  return (
    <ul className="rung-legend" aria-label="Colours">
      {(['went-on', 'finished', 'trains', 'stopped', 'unknown'] as const).map((fate) => <li key={fate}><span className={`rung-key ${fate}`} aria-hidden />{kFates[fate]}</li>)}
    </ul>
  );
}
