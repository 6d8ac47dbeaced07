// What the server's forest says of the trials that have ended: how much of the metric's variance each hyperparameter makes.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ask } from '../../../api/client';
import { Empty, Loaded } from '../../../components/states';
import { kPoorFit, percent, whisker } from './shares';

interface BarProps { name: string; note?: string; mean: number; deviation: number }
function Bar({ name, note, mean, deviation }: BarProps) {
  const { from, to } = whisker(mean, deviation);
  return (
    <tr>
      <th scope="row">{name}{note && <span className="soft"> {note}</span>}</th>
      <td className="share-cell" aria-hidden="true">
        <div className="share"><div className="share-bar" style={{ width: `${mean * 100}%` }} /><div className="whisker" style={{ left: `${from * 100}%`, width: `${(to - from) * 100}%` }} /></div>
      </td>
      <td className="right number">{percent(mean)} ± {percent(deviation)}</td>
    </tr>
  );
}

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
        {({ metric, trials = 0, trialsEnded = 0, hyperparameters = [], leftOut = 0, together = 0, togetherDeviation = 0, fit = 0, reason }) => (reason
          ? <Empty title="Not known yet">{reason[0]!.toUpperCase() + reason.slice(1)}.</Empty>
          : (
            <>
              <p className="soft">How much of the differences in {metric} each makes, by a forest fitted to {trials.toLocaleString('en')}{trials < trialsEnded && ` of ${trialsEnded.toLocaleString('en')}`} trials
                that have ended. Lines show one standard deviation over its trees: where they overlap, the order may be chance.</p>
              {fit < kPoorFit
                ? <p className="notice" role="status">The forest predicts trials that it has not seen hardly better than their mean: do not rely on these numbers. More trials may help.</p>
                : <p className="soft">It explains {percent(Math.min(1, fit))} of the differences between trials that it has not seen.</p>}
              <table className="plain-table shares">
                <thead><tr><th scope="col">Hyperparameter</th><th scope="col" className="share-cell" aria-hidden="true" /><th scope="col" className="right">Importance</th></tr></thead>
                <tbody>
                  {hyperparameters.map(({ name = '', importance = 0, deviation = 0 }) => <Bar key={name} name={name} mean={importance} deviation={deviation} />)}
                  {hyperparameters.length > 1 && <Bar name="Several together" note="what no single one explains" mean={together} deviation={togetherDeviation} />}
                </tbody>
              </table>
              {leftOut > 0 && <p className="soft">{leftOut.toLocaleString('en')} more hyperparameters were left out.</p>}
            </>
          ))}
      </Loaded>
    </section>
  );
}
