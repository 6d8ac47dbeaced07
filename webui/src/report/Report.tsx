// An experiment on paper: the page's own parts, without a server behind them.
import type { ReactNode } from 'react';
import Plot from '../charts/Plot';
import { StateBadge } from '../components/small';
import { duration, metric as number } from '../lib/format';
import { Markdown } from '../lib/markdown';
import { categoryOf, flat } from '../pages/experiment/hyperparameters/axes';
import { Shares } from '../pages/experiment/hyperparameters/Shares';
import { axisOf, methodWords } from '../pages/experiment/search/words';
import { varied } from '../pages/experiment/varied';
import type { ReportData } from './data';
import { curvesOf, rungWords } from './data';

const time = (value: string | null | undefined) => (value ? new Date(value).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' }) : '–');
const shown = (value: unknown) => (typeof value === 'number' ? number(value) : value === undefined ? '–' : categoryOf(value));
const Part = ({ title, children }: { title: string; children: ReactNode }) => <section className="card stack" aria-label={title}><h2>{title}</h2>{children}</section>;
const Fact = ({ name, children }: { name: string; children: ReactNode }) => <div><dt>{name}</dt><dd>{children}</dd></div>;

function Trials({ data }: { data: ReportData }) {
  const trials = data.trials ?? [];
  const rows = trials.map((trial) => ({ trial, values: flat(trial.hparams ?? {}) }));
  const names = varied(rows.map(({ values }) => ({ hparams: values })));
  return (
    <div className="scroll report-table" tabIndex={0} role="group" aria-label="Trials">
      <table className="plain-table">
        <thead><tr><th scope="col">Trial</th><th scope="col">State</th><th scope="col" className="right">{data.metric}</th><th scope="col" className="right">Batches</th>
          {names.map((name) => <th scope="col" className="right" key={name}>{name}</th>)}</tr></thead>
        <tbody>{rows.map(({ trial, values }) => (
          <tr key={trial.id}>
            <th scope="row">{trial.id}</th><td><StateBadge state={trial.state ?? ''} /></td>
            <td className="right number">{shown((trial.bestValidation?.metrics?.avgMetrics as Record<string, unknown> | undefined)?.[data.metric ?? ''])}</td>
            <td className="right number">{trial.totalBatchesProcessed}</td>
            {names.map((name) => <td className="right number break" key={name}>{shown(values[name])}</td>)}
          </tr>
        ))}</tbody>
      </table>
    </div>
  );
}

function Search({ data: { search }, searcher }: { data: ReportData; searcher: Record<string, unknown> }) {
  const brackets = search?.brackets ?? [];
  return (
    <>
      <p>{methodWords(String(searcher['name'] ?? ''))}</p>
      {search?.failed && <p className="soft">Where the search stands could not be read: {search.failed}</p>}
      {brackets.map((bracket, i) => <div key={i}><h3>Bracket {i + 1}</h3><ul>{rungWords(bracket, axisOf(searcher)).map((words) => <li key={words}>{words}</li>)}</ul></div>)}
      {search && !search.failed && <p className="soft">{search.isOver ? 'The search is over.' : 'The search goes on.'}</p>}
    </>
  );
}

export function Report({ data }: { data: ReportData }) {
  const { experiment = {}, trials = [], trialCount = trials.length, metric = '' } = data;
  const curves = curvesOf(data);
  const best = trials.find(({ id }) => id === experiment.bestTrialId);
  return (
    <main className="content">
      <header className="stack">
        <div className="cluster"><h1>{experiment.name}</h1><StateBadge state={experiment.state ?? ''} /></div>
        {experiment.description && <p>{experiment.description}</p>}
        <dl className="facts">
          <Fact name="Experiment">{experiment.id}</Fact><Fact name="By">{experiment.displayName || experiment.username}</Fact>
          <Fact name="Project">{experiment.workspaceName} / {experiment.projectName}</Fact>
          <Fact name="Started">{time(experiment.startTime)}</Fact><Fact name="Ended">{time(experiment.endTime)}</Fact>
          {experiment.duration ? <Fact name="Took">{duration(experiment.duration)}</Fact> : null}
          <Fact name="Trials">{trialCount}</Fact><Fact name="Labels">{(experiment.labels ?? []).join(', ') || '–'}</Fact>
        </dl>
      </header>
      {best && (
        <Part title="The best trial">
          <p>Trial {best.id}: {metric} {shown(experiment.bestTrialSearcherMetric)}</p>
          <dl className="facts">{Object.entries(flat(best.hparams ?? {})).map(([name, value]) => <Fact key={name} name={name}>{shown(value)}</Fact>)}</dl>
        </Part>
      )}
      <Part title={`Curves of ${metric}`}>
        {curves.length === 0 ? <p className="soft">{data.curves?.failed ?? 'No trial has reported a number for it.'}</p>
          : <><Plot label={metric} curves={curves} axis="batches" weight={0} isLog={false} />{trialCount > curves.length && <p className="soft">The best {curves.length} of {trialCount} trials.</p>}</>}
      </Part>
      <Part title="The search"><Search data={data} searcher={(experiment.config?.['searcher'] ?? {}) as Record<string, unknown>} /></Part>
      <Part title="Which hyperparameters matter">
        {data.importance?.failed ? <p className="soft">It could not be read: {data.importance.failed}</p> : <Shares {...data.importance} />}
      </Part>
      <Part title="Trials">
        {trials.length === 0 ? <p className="soft">There are none.</p> : <><Trials data={data} />{trialCount > trials.length && <p className="soft">The best {trials.length} of {trialCount}.</p>}</>}
      </Part>
      {experiment.notes && <Part title="Notes"><Markdown text={experiment.notes} /></Part>}
      <Part title="Configuration"><pre className="command" tabIndex={0} aria-label="Configuration as it was handed in">{experiment.originalConfig}</pre></Part>
      <footer className="soft">Made at {time(data.made)} by det experiment report.</footer>
    </main>
  );
}
