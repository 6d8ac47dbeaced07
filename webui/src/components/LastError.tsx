// What an experiment's programs wrote to stderr last: mostly why they failed.
import { useQuery } from '@tanstack/react-query';
import { lastErrorQuery } from '../api/queries';

export function LastError({ experiment, ended, otherwise = '' }: { experiment: number; ended: string | null | undefined; otherwise?: string }) {
  const { data, error } = useQuery(lastErrorQuery(experiment, ended));
  if (data) return <span className="soft last-error" title={data}>{data}</span>;
  if (error) return <span className="soft">Its error output could not be loaded: {error.message}</span>;
  return otherwise && data !== undefined ? <span>{otherwise}</span> : null;
}
