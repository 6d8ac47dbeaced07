// Shares of a metric's variance as bars with their uncertainty; the table's text says the same.
import type { Schemas } from '../../../api/client';
import { Empty } from '../../../components/states';
import { grouped } from '../../../lib/format';
import { kPoorFit, percent, whisker } from './share';

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

type Answer = Partial<Schemas['v1GetHyperparameterImportanceResponse']>;
export function Shares({ metric, trials = 0, trialsEnded = 0, hyperparameters = [], leftOut = 0, together = 0, togetherDeviation = 0, fit = 0, reason }: Answer) {
  if (reason) return <Empty title="Not known yet">{reason[0]!.toUpperCase() + reason.slice(1)}.</Empty>;
  return (
    <>
      <p className="soft">How much of the differences in {metric} each makes, by a forest fitted to {grouped(trials)}{trials < trialsEnded && ` of ${grouped(trialsEnded)}`} trials
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
      {leftOut > 0 && <p className="soft">{grouped(leftOut)} more hyperparameters were left out.</p>}
    </>
  );
}
