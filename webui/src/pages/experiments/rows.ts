// The rows of the experiments table: pages of 100, fetched as they come into view.
import { useQueries } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import type { Experiment, Trial } from '../../api/queries';
import { searchQuery } from '../../api/queries';
import { isOver } from '../../lib/state';
import { useInterval } from '../../live/client';
import type { TableSearch } from './search';
import { filterText } from './search';

export const kPage = 100;
export type Row = Experiment & { bestTrial?: Trial | null | undefined };

export function useRows(search: TableSearch) {
  const [range, setRange] = useState({ first: 0, last: 0 });
  const filter = filterText(search);
  const sort = search.sort ?? 'id=desc';
  const pages = useMemo(() => {
    const chosen: number[] = [];
    for (let page = Math.floor(range.first / kPage); page <= Math.floor(range.last / kPage); page += 1) chosen.push(page);
    return chosen;
  }, [range.first, range.last]);
  const interval = useInterval(true);
  const queries = useQueries({
    queries: pages.map((page) => ({
      ...searchQuery({ offset: page * kPage, limit: kPage, sort, filter, ...(search.project !== undefined && { projectId: search.project }) }),
      // Old rows stay while new ones of the same place come; those of another place or filter are none.
      placeholderData: undefined,
      refetchInterval: (query: { state: { data?: { experiments?: { experiment?: Experiment }[] } | undefined } }) =>
        (query.state.data?.experiments?.some(({ experiment }) => !isOver(experiment?.state ?? '')) ? interval : false),
    })),
  });
  const [total, setTotal] = useState<{ of: string; count: number }>();
  const told = queries.find((query) => query.data)?.data?.pagination?.total;
  const of = `${filter}${sort}${search.project ?? ''}`;
  if (told !== undefined && (total?.of !== of || total.count !== told)) setTotal({ of, count: told });
  const rowAt = (index: number): Row | undefined => {
    const place = pages.indexOf(Math.floor(index / kPage));
    const found = place < 0 ? undefined : queries[place]?.data?.experiments?.[index % kPage];
    return found?.experiment && { ...found.experiment, bestTrial: found.bestTrial };
  };
  const onRange = useCallback((first: number, last: number) => setRange({ first, last }), []);
  return {
    rowAt, onRange, filter, sort,
    total: total?.of === of ? total.count : undefined,
    error: queries.find((query) => query.error)?.error ?? null,
    again: () => queries.forEach((query) => void query.refetch()),
  };
}
