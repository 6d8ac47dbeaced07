// Rows that are ticked: they stay ticked while one scrolls, sorts and filters.
import { useMemo, useRef, useState } from 'react';
import type { Column } from './VirtualTable';

// Each with the list in which it was ticked: what is done with them is also done with those that are not seen now.
export type Ticked = ReadonlyMap<number, string>;
export const ofOthers = (chosen: Ticked, list: string): number => [...chosen.values()].filter((one) => one !== list).length;

// With more of one list; what was ticked elsewhere stays so.
export const withMore = (chosen: Ticked, ids: readonly number[], list: string): Ticked => new Map([...chosen, ...ids.map((id) => [id, list] as const)]);

interface Chosen { chosen: Ticked; choose: (ids: readonly number[]) => void; clear: () => void; column: Column<{ id?: number | undefined }>; isChosen: (row: { id?: number | undefined }) => boolean }
// `list`: what rows there are to tick.
export function useChosen(what: 'experiment' | 'trial', list = ''): Chosen {
  const [chosen, setChosen] = useState<Ticked>(new Map());
  const now = useRef(list);
  now.current = list;
  // The same column whatever is chosen, so that a tick draws one row.
  const column = useMemo((): Chosen['column'] => {
    const toggle = (id: number) => setChosen((before) => {
      const after = new Map(before);
      if (!after.delete(id)) after.set(id, now.current);
      return after;
    });
    return {
      key: 'chosen', name: 'Chosen', width: '44px', header: <span className="hidden-label">Chosen</span>,
      cell: ({ id = 0 }, isTicked) => <input type="checkbox" aria-label={`Choose ${what} ${id}`} checked={isTicked} onChange={() => toggle(id)} />,
    };
  }, [what]);
  return { chosen, choose: (ids) => setChosen((before) => withMore(before, ids, list)), clear: () => setChosen(new Map()), column, isChosen: ({ id = 0 }) => chosen.has(id) };
}
