// Why an experiment has no slots yet, in the words of the queue.
import { useQuery } from '@tanstack/react-query';
import { reasonQuery } from '../../api/sections';
import { useLive } from '../../live/client';
import { reasonWords } from '../queue/order';

export function Waits({ job }: { job: string }) {
  useLive('queue');
  const { data, error } = useQuery(reasonQuery(job));
  const reason = data?.reason;
  if (error && data === undefined) return <p className="reason">Why it waits could not be loaded: {error.message}</p>;
  return reason ? <p className="reason">It waits: {reasonWords(reason)}</p> : null;
}
