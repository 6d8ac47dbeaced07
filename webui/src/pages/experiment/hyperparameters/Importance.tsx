// What the server's forest says of the trials that have ended: how much of the metric's variance each hyperparameter makes.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ask } from '../../../api/client';
import { Loaded } from '../../../components/states';
import { Shares } from './Shares';

interface Props { experiment: number; ended: number }
export function Importance({ experiment, ended }: Props) {
  // Asked anew when another trial has ended, not at each report.
  const query = useQuery({
    queryKey: ['importance', experiment, ended], staleTime: Infinity, placeholderData: keepPreviousData,
    queryFn: ({ signal }) => ask('get', '/api/v1/experiments/{id}/hyperparameter-importance', { path: { id: experiment }, signal }),
  });
  return (
    <section className="card stack" aria-labelledby="importance">
      <h2 id="importance">Which hyperparameters matter</h2>
      <Loaded query={query} what="the importance of the hyperparameters">
        {(answer) => <Shares {...answer} />}
      </Loaded>
    </section>
  );
}
