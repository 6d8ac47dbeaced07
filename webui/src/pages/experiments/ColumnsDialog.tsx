// Which columns the table has, and in which order.
import { useState } from 'react';
import { Frame } from '../../components/Dialog';
import type { Named } from './column-names';
import { isOwn } from './column-names';
import { columnOf, kColumns, kUsual } from './columns';

const kMostShown = 200;
interface Props { cols: readonly string[]; names: readonly Named[]; change: (cols: string[] | undefined) => void; close: () => void }
export default function ColumnsDialog({ cols, names, change, close }: Props) {
  const [text, setText] = useState('');
  const move = (index: number, by: number) => {
    const next = [...cols];
    const [one] = next.splice(index, 1);
    next.splice(index + by, 0, one!);
    change(next);
  };
  const others = [...kColumns.map(({ key, name }) => ({ column: key, name })), ...names.filter(({ column }) => isOwn(column))]
    .filter(({ column, name }) => !cols.includes(column) && `${column} ${name}`.toLowerCase().includes(text.toLowerCase()));
  return (
    <Frame title="Columns" isOpen close={close} isWide>
      <div className="columns-choice">
        <section className="stack">
          <strong>Shown, from left to right</strong>
          <ol className="rows">
            {cols.map((key, i) => {
              const name = columnOf(key)?.name ?? key;
              return (
                <li key={key}><span className="name">{name}</span><span className="cluster">
                  <button className="button plain" disabled={i === 0} aria-label={`Move ${name} to the left`} onClick={() => move(i, -1)}>↑</button>
                  <button className="button plain" disabled={i === cols.length - 1} aria-label={`Move ${name} to the right`} onClick={() => move(i, 1)}>↓</button>
                  <button className="button plain" disabled={cols.length === 1} aria-label={`Take ${name} away`} onClick={() => change(cols.filter((one) => one !== key))}>✕</button></span></li>
              );
            })}
          </ol>
        </section>
        <section className="stack">
          <label><span className="hidden-label">Search columns</span><input className="input" type="search" placeholder="Search columns, such as lr" value={text} onChange={(event) => setText(event.target.value)} /></label>
          <ul className="rows">
            {others.slice(0, kMostShown).map(({ column, name }) => <li key={column}><span className="name" title={column}>{name}</span><button className="button" aria-label={`Add ${name}`} onClick={() => change([...cols, column])}>Add</button></li>)}
          </ul>
          {others.length > kMostShown && <p className="soft">And {others.length - kMostShown} more: search for them.</p>}
          {others.length === 0 && <p className="soft">No other column is like that.</p>}
        </section>
      </div>
      <div className="cluster"><button className="button primary" onClick={close}>Done</button><button className="button" onClick={() => change(undefined)}>The usual {kUsual.length}</button></div>
    </Frame>
  );
}
