import { createRoot } from 'react-dom/client';
import { runEffectsBeforeActs } from '../lib/effects';
import '../styles/tokens.css';
import '../styles/base.css';
import '../styles/components.css';
import '../styles/layout.css';
import '../styles/sections.css';
import '../pages/experiment/hyperparameters/hyperparameters.css';
import './report.css';
import { Report } from './Report';
import { readData } from './data';

runEffectsBeforeActs();
const dark = matchMedia('(prefers-color-scheme: dark)');
const show = () => {
  document.documentElement.dataset['theme'] = dark.matches ? 'dark' : 'light';
  dispatchEvent(new Event('themechange'));
};
show();
dark.addEventListener('change', show);

const data = readData(document.getElementById('report-data')?.textContent ?? '');
if (data) document.title = `${data.experiment?.name ?? 'Experiment'} · det-operator`;
createRoot(document.getElementById('root')!).render(data ? <Report data={data} />
  : <main className="content"><h1>An empty report</h1><p>det experiment report ID writes one with an experiment in it.</p></main>);
