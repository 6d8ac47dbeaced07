// What an experiment's programs wrote to stderr last: mostly why they failed.
import { useQuery } from '@tanstack/react-query';
import { lastErrorQuery } from '../api/queries';

export function LastError({ experiment, otherwise = '' }: { experiment: number; otherwise?: string }) {
  const { data } = useQuery(lastErrorQuery(experiment));
  if (data) return <span className="soft last-error" title={data}>{data}</span>;
  return otherwise && data !== undefined ? <span>{otherwise}</span> : null;
}
