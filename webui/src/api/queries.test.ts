import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { curvesQuery } from './queries';

test('while curves of another metric come, those of the former are not shown for them; those of other trials are', () => {
  const client = new QueryClient();
  const asked = (metric: string, trials: number[]) => ({ ...curvesQuery(['trial', 7], trials, metric, 100, false), queryFn: () => new Promise<never>(() => {}) });
  const first = asked('training.loss', [7]);
  client.setQueryData(first.queryKey, { trials: [] });
  const observer = new QueryObserver(client, { ...first, staleTime: Infinity });
  const stop = observer.subscribe(() => {});
  observer.setOptions(asked('training.loss', [7, 8]));
  expect(observer.getCurrentResult()).toMatchObject({ data: { trials: [] }, isPlaceholderData: true });
  observer.setOptions(asked('validation.loss', [7, 8]));
  expect(observer.getCurrentResult().data).toBeUndefined();
  stop();
  client.clear();
});
