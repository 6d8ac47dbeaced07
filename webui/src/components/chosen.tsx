// Rows that are ticked: they stay ticked while one scrolls, sorts and filters.
import { useMemo, useState } from 'react';
import type { Column } from './VirtualTable';

interface Chosen { chosen: ReadonlySet<number>; choose: (ids: readonly number[]) => void; column: Column<{ id?: number | undefined }>; isChosen: (row: { id?: number | undefined }) => boolean }
export function useChosen(what: 'experiment' | 'trial'): Chosen {
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  // The same column whatever is chosen, so that a tick draws one row.
  const column = useMemo((): Chosen['column'] => {
    const toggle = (id: number) => setChosen((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
    return {
      key: 'chosen', name: 'Chosen', width: '44px', header: <span className="hidden-label">Chosen</span>,
      cell: ({ id = 0 }, isTicked) => <input type="checkbox" aria-label={`Choose ${what} ${id}`} checked={isTicked} onChange={() => toggle(id)} />,
    };
  }, [what]);
  return { chosen, choose: (ids) => setChosen(new Set(ids)), column, isChosen: ({ id = 0 }) => chosen.has(id) };
}
