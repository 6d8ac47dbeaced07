// How much of the cluster was used, day by day.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { usageQuery } from '../../api/sections';
import { Empty, Loaded } from '../../components/states';
import type { Cut, Day } from './holders';
import { daysOf, hours } from './holders';

const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);

function Bars({ days }: { days: readonly Day[] }) {
  const most = Math.max(...days.map(({ seconds }) => seconds), 1);
  const total = days.reduce((sum, { seconds }) => sum + seconds, 0);
  return (
    <figure className="bars-figure">
      <div className="bars" role="img" aria-label={`${hours(total)} slot hours in ${days.length} days; the table below has each day`}>
        {days.map(({ date, seconds }) => <div key={date} title={`${date}: ${hours(seconds)} slot hours`}><div style={{ height: `${(100 * seconds) / most}%` }} /></div>)}
      </div>
      <figcaption className="spread soft"><span>{days[0]?.date}</span><span>at most {hours(most)} slot hours a day, from midnight to midnight UTC</span><span>{days[days.length - 1]?.date}</span></figcaption>
    </figure>
  );
}

export function Usage() {
  const [back, setBack] = useState(30);
  const [cut, setCut] = useState<Cut>('byUsername');
  const [first, last] = [day(back - 1), day(0)];
  const query = useQuery(usageQuery(first, last));
  return (
    <section className="card stack" aria-label="Use over time">
      <div className="spread">
        <h2>Use over time</h2>
        <div className="cluster">
          <select className="input" aria-label="Days" value={back} onChange={(event) => setBack(Number(event.target.value))}>
            {[7, 30, 90, 365].map((count) => <option key={count} value={count}>{count} days</option>)}
          </select>
          <select className="input" aria-label="Divided by" value={cut} onChange={(event) => setCut(event.target.value as Cut)}>
            <option value="byUsername">By user</option><option value="byResourcePool">By pool</option><option value="byExperimentLabel">By label</option>
          </select>
        </div>
      </div>
      <Loaded query={query} what="the use">
        {({ resourceEntries = [] }) => {
          const days = daysOf(resourceEntries, first, last, cut);
          const used = days.filter(({ seconds }) => seconds > 0).reverse();
          if (used.length === 0) return <Empty title="Nothing ran in these days">A slot hour is one slot that was held for an hour.</Empty>;
          return (
            <>
              <Bars days={days} />
              <details>
                <summary>As a table</summary>
                <div className="scroll" tabIndex={0} role="region" aria-label="Use by day">
                  <table className="plain-table">
                    <thead><tr><th scope="col">Day</th><th scope="col" className="right">Slot hours</th><th scope="col">Most of it</th></tr></thead>
                    <tbody>
                      {used.map(({ date, seconds, parts }) => (
                        <tr key={date}><th scope="row">{date}</th><td className="right number">{hours(seconds)}</td><td>{parts.slice(0, 5).map(([name, one]) => `${name} ${hours(one)}`).join(', ') || '–'}</td></tr>
                      ))}
                    </tbody>
                  </table>
                </div>
              </details>
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
