// The filter, built from parts or written as text: two ways to the same address.
import { useEffect, useRef, useState } from 'react';
import { useField, useOwn } from '../../lib/field';
import type { Named } from './column-names';
import type { Condition, Group, Operator } from './language';
import { hasValue, kOperators, parse, print } from './language';
import type { Typed } from './typed';
import { conditionOf, kNew, typedOf } from './typed';

interface Props { filter: string; names: readonly Named[]; change: (filter: string | undefined) => void }

const isFlat = (group: Group) => group.children.every(({ kind }) => kind === 'field');
const kTypingMs = 250;  // so long after the last letter the list is asked for

function flatOf(filter: string): Group | undefined {
  const parsed = parse(filter);
  return parsed.ok && isFlat(parsed.group) ? parsed.group : undefined;
}
const rowsOf = (group: Group | undefined): Typed[] => (group && group.children.length > 0 ? (group.children as Condition[]).map(typedOf) : [kNew]);

function Builder({ filter, names, change }: Props) {
  const first = flatOf(filter);
  // Parts that are not whole yet are no filter; they live here until they are.
  const [rows, setRows] = useState<Typed[]>(() => rowsOf(first));
  const [conjunction, setConjunction] = useState<'and' | 'or'>(first?.conjunction ?? 'and');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const { note } = useOwn(filter, (other) => {
    clearTimeout(timer.current);
    const group = flatOf(other);
    setRows(rowsOf(group));
    setConjunction(group?.conjunction ?? 'and');
  });
  if (!first) return <p className="notice">This filter has parentheses, or is not understood. Change it as text.</p>;
  const set = (next: Typed[], join = conjunction, wait = 0) => {
    setRows(next);
    setConjunction(join);
    const children = next.flatMap((row) => conditionOf(row, names) ?? []);
    const text = children.length > 0 ? print({ kind: 'group', conjunction: join, children }) : '';
    const send = () => { note(text); change(text || undefined); };
    clearTimeout(timer.current);
    if (wait > 0) timer.current = setTimeout(send, wait);
    else send();
  };
  const edit = (index: number, part: Partial<Typed>, wait = 0) => set(rows.map((row, i) => (i === index ? { ...row, ...part } : row)), conjunction, wait);
  return (
    <div className="stack filter-parts">
      {rows.map((row, i) => (
        <div className="cluster" key={i} role="group" aria-label={`Condition ${i + 1}`}>
          {i === 0 ? <span className="filter-join soft">Where</span> : i === 1
            ? <select className="input filter-join" aria-label="All or any" value={conjunction} onChange={(event) => set(rows, event.target.value as 'and' | 'or')}><option value="and">and</option><option value="or">or</option></select>
            : <span className="filter-join soft">{conjunction}</span>}
          <select className="input filter-column" aria-label="Column" value={row.column} onChange={(event) => edit(i, { column: event.target.value, isQuoted: false })}>
            {!names.some(({ column }) => column === row.column) && <option value={row.column}>{row.column}</option>}
            {names.map(({ column, name }) => <option key={column} value={column}>{name}</option>)}
          </select>
          <select className="input" aria-label="Comparison" value={row.operator} onChange={(event) => edit(i, { operator: event.target.value as Operator })}>
            {kOperators.map(([operator, words]) => <option key={operator} value={operator}>{words}</option>)}
          </select>
          {hasValue(row.operator) && <input className="input" aria-label="Value" value={row.text} onChange={(event) => edit(i, { text: event.target.value }, kTypingMs)} />}
          <button className="button plain" aria-label={`Take condition ${i + 1} away`} onClick={() => set(rows.length > 1 ? rows.filter((_, at) => at !== i) : [kNew])}>✕</button>
        </div>
      ))}
      <div><button className="button" onClick={() => setRows([...rows, kNew])}>Add a condition</button></div>
    </div>
  );
}

function AsText({ filter, change }: Props) {
  const [text, setText] = useField(filter, (typed) => change(typed.trim() === '' ? undefined : typed), { ms: 400, isRight: (typed) => parse(typed).ok });
  const parsed = parse(text);
  return (
    <div className="stack filter-parts">
      <label className="field">Filter<textarea className="input" rows={2} maxLength={8192} spellCheck="false" value={text} onChange={(event) => setText(event.target.value)} aria-describedby="filter-help" /></label>
      {!parsed.ok && <p className="notice" role="status">{parsed.message}, at letter {parsed.at + 1}.</p>}
      <p className="soft" id="filter-help">For example <code>state = ERROR and (hp.lr &lt; 0.01 or name contains baseline)</code>. Comparisons: = != &lt; &lt;= &gt; &gt;=, contains, not contains, is empty, is not empty. Names with spaces stand in `backticks`.</p>
    </div>
  );
}

export default function FilterPanel(props: Props) {
  const [isText, setText] = useState(() => { const parsed = parse(props.filter); return !parsed.ok || !isFlat(parsed.group); });
  return (
    <section className="card stack" aria-label="Filter">
      <div className="cluster" role="group" aria-label="How to write the filter">
        <button className="button" aria-pressed={!isText} onClick={() => setText(false)}>From parts</button>
        <button className="button" aria-pressed={isText} onClick={() => setText(true)}>As text</button>
        {props.filter !== '' && <button className="button plain" onClick={() => { props.change(undefined); setText(false); }}>No filter</button>}
      </div>
      {isText ? <AsText {...props} /> : <Builder {...props} />}
    </section>
  );
}
