// A table of any number of rows, of which only those in view are in the document. Rows may be unknown yet: `rowAt` gives undefined for
// them, and `onRange` tells which are in view so that they can be fetched.
import { useVirtualizer } from '@tanstack/react-virtual';
import type { CSSProperties, ReactNode } from 'react';
import { memo, useEffect, useMemo, useRef } from 'react';
import { useSliced } from '../lib/slices';

export interface Column<Row> {
  key: string;
  name: string;
  width: string;  // of CSS grid, such as minmax(200px, 2fr)
  cell: (row: Row, isChosen: boolean) => ReactNode;
  header?: ReactNode;  // in place of the name
  isNumber?: boolean;
  sort?: string;  // the server's name of it; without one it is not sorted by
}
interface Props<Row> {
  label: string;
  columns: readonly Column<Row>[];
  count: number;
  rowAt: (index: number) => Row | undefined;
  rowKey: (row: Row) => string | number;  // what stays the row's own when others come before it: what is open in it goes with it
  isChosen?: (row: Row) => boolean;
  sort?: { column: string; isDown: boolean } | undefined;
  onSort?: (column: string) => void;
  onRange?: (first: number, last: number) => void;
}

const kRow = 44;
const kMost = 15_000_000;  // pixels: browsers end near 17 million

// Keys of rows in view. One that is not known yet has its place; pages that were asked for at different times may have the same row twice.
export function keysOf<Row>(indexes: readonly number[], rowAt: (index: number) => Row | undefined, rowKey: (row: Row) => string | number): string[] {
  const used = new Set<string>();
  return indexes.map((index) => {
    const row = rowAt(index);
    const own = row === undefined ? `place ${index}` : `row ${rowKey(row)}`;
    const key = used.has(own) ? `${own} at ${index}` : own;
    used.add(key);
    return key;
  });
}

interface RowProps<Row> { row: Row | undefined; columns: readonly Column<Row>[]; grid: CSSProperties; start: number; index: number; isChosen: boolean }
function Drawn<Row>({ row, columns, grid, start, index, isChosen }: RowProps<Row>) {
  return (
    <div role="row" aria-rowindex={index + 2} className={`table-row${isChosen ? ' chosen' : ''}`} style={{ ...grid, transform: `translateY(${start}px)` }}>
      {columns.map((column) => (
        <div key={column.key} role="cell" className={column.isNumber ? 'right number' : ''}>{row ? column.cell(row, isChosen) : <span className="soft">…</span>}</div>
      ))}
    </div>
  );
}
// Drawn anew only when something of it changes: tables of thousands of rows give the same `columns`, and the same row as long as it is the same.
const RowView = memo(Drawn) as typeof Drawn;

export function VirtualTable<Row>({ label, columns, count, rowAt, rowKey, isChosen, sort, onSort, onRange }: Props<Row>) {
  const frame = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({ count: Math.min(count, Math.floor(kMost / kRow)), getScrollElement: () => frame.current, estimateSize: () => kRow, overscan: 4, useFlushSync: false });
  const wanted = rows.getVirtualItems();
  const inView = useSliced(wanted);
  const keys = keysOf(inView.map(({ index }) => index), rowAt, rowKey);
  const first = wanted[0]?.index ?? 0;
  const last = wanted[wanted.length - 1]?.index ?? 0;
  useEffect(() => onRange?.(first, last), [first, last, onRange]);
  // Each row is a grid of its own: only with one least width for all, from the columns alone, they stand below each other.
  const grid = useMemo(() => ({
    gridTemplateColumns: columns.map((column) => column.width).join(' '), minWidth: columns.reduce((sum, { width }) => sum + Number(/(\d+)px/.exec(width)?.[1] ?? 0), 0),
  }), [columns]);
  return (
    <div className="table-frame" ref={frame} role="table" aria-label={label} aria-rowcount={count + 1} tabIndex={0}
      style={{ height: `min(${Math.max(1, count) * kRow + 40}px, max(320px, calc(100vh - 270px)))` }}>
      <div role="rowgroup" className="table-head-group">
        <div className="table-row table-head" role="row" aria-rowindex={1} style={grid}>
          {columns.map((column) => {
            const isSorted = sort !== undefined && sort.column === column.sort;
            return (
              <div key={column.key} role="columnheader" title={column.name} className={column.isNumber ? 'right' : ''}
                {...(column.sort && { 'aria-sort': isSorted ? (sort.isDown ? 'descending' as const : 'ascending' as const) : 'none' as const })}>
                {column.header ?? (column.sort && onSort
                  ? <button onClick={() => onSort(column.sort!)}>{column.name}{isSorted ? (sort.isDown ? ' ↓' : ' ↑') : ''}</button>
                  : column.name)}
              </div>
            );
          })}
        </div>
      </div>
      <div role="rowgroup" className="table-body" style={{ height: rows.getTotalSize() }}>
        {inView.map((item, i) => {
          const row = rowAt(item.index);
          return <RowView key={keys[i]} row={row} columns={columns} grid={grid} start={item.start} index={item.index} isChosen={row !== undefined && isChosen?.(row) === true} />;
        })}
      </div>
    </div>
  );
}
