// The rows of the experiments table: pages of kPage, fetched as they come into view.
import { useQueries } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import type { Experiment, Trial } from '../../api/queries';
import { searchQuery } from '../../api/queries';
import { isOver } from '../../lib/state';
import { useInterval } from '../../live/client';
import type { TableSearch } from './search';
import { filterText } from './search';

export const kPage = 40;  // two screens: a longer answer takes a slow machine longer than a frame to read
export type Row = Experiment & { bestTrial?: Trial | null | undefined };

// The page of a list that begins the table; a route asks for it before the table is there.
const sortOf = ({ sort = 'id=desc' }: TableSearch) => sort;
export const pageQuery = (search: TableSearch, page: number) => searchQuery({
  offset: page * kPage, limit: kPage, sort: sortOf(search), filter: filterText(search), ...(search.project !== undefined && { projectId: search.project }),
});

// From which to which page is in view; the same while that does not change, whatever row of them one scrolls to.
export interface Pages { first: number; last: number }
export function pagesOf(now: Pages, firstRow: number, lastRow: number): Pages {
  const [first, last] = [Math.floor(firstRow / kPage), Math.floor(lastRow / kPage)];
  return now.first === first && now.last === last ? now : { first, last };
}

// What keeps rows from being shown: a page that is there stays when it cannot be had anew.
export const failureOf = (pages: readonly { data?: unknown; error: Error | null }[]): Error | null => pages.find(({ data, error }) => error !== null && data === undefined)?.error ?? null;

// A page that is shown although it could not be had anew.
export const staleOf = <P extends { data?: unknown; error: Error | null }>(pages: readonly P[]): P | undefined => pages.find(({ data, error }) => error !== null && data !== undefined);

// An entry of an answer as a row: the same row for the same entry, and an answer that comes anew has the same entries where nothing changed.
type Entry = { experiment?: Experiment; bestTrial?: Trial | null | undefined };
const kRows = new WeakMap<Entry, Row>();
export function rowOf(entry: Entry | undefined): Row | undefined {
  if (!entry?.experiment) return undefined;
  const row = kRows.get(entry) ?? { ...entry.experiment, bestTrial: entry.bestTrial };
  kRows.set(entry, row);
  return row;
}

export function useRows(search: TableSearch) {
  const [{ first, last }, setRange] = useState<Pages>({ first: 0, last: 0 });
  const filter = filterText(search);
  const sort = sortOf(search);
  const pages = useMemo(() => {
    const chosen: number[] = [];
    for (let page = first; page <= last; page += 1) chosen.push(page);
    return chosen;
  }, [first, last]);
  const interval = useInterval(true);
  const queries = useQueries({
    queries: pages.map((page) => ({
      ...pageQuery(search, page),
      // Old rows stay while new ones of the same place come; those of another place or filter are none.
      placeholderData: undefined,
      refetchInterval: (query: { state: { data?: { experiments?: { experiment?: Experiment }[] } | undefined } }) =>
        (query.state.data?.experiments?.some(({ experiment }) => !isOver(experiment?.state ?? '')) ? interval : false),
    })),
  });
  const [total, setTotal] = useState<{ of: string; count: number }>();
  const told = queries.find((query) => query.data)?.data?.pagination?.total;
  // In another order there are as many: the table stays, with what is open in it, while their rows come.
  const of = `${filter} ${search.project ?? ''}`;
  if (told !== undefined && (total?.of !== of || total.count !== told)) setTotal({ of, count: told });
  const rowAt = (index: number): Row | undefined => {
    const place = pages.indexOf(Math.floor(index / kPage));
    return place < 0 ? undefined : rowOf(queries[place]?.data?.experiments?.[index % kPage]);
  };
  const onRange = useCallback((firstRow: number, lastRow: number) => setRange((now) => pagesOf(now, firstRow, lastRow)), []);
  return {
    rowAt, onRange, filter, sort, of,
    total: total?.of === of ? total.count : undefined,
    error: failureOf(queries),
    stale: staleOf(queries),
    again: () => queries.forEach((query) => void query.refetch()),
  };
}
