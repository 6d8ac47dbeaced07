// Events and decisions of a search as sentences. What they contain comes from anybody: they are read with care and shown as text.
import { metric } from '../../../lib/format';

export type Said = Record<string, unknown>;
export type Tone = 'good' | 'bad' | 'calm' | 'run';
export interface Words { text: string; tone: Tone; trial: number | undefined; hparams?: Record<string, unknown> | undefined }

const number = (value: unknown) => (typeof value === 'number' ? value : undefined);
const text = (value: unknown) => (typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value));
// By its number; those of a search that has not numbered it yet by the id of the request.
const trialName = (said: Said) => (number(said['trial']) !== undefined ? `Trial ${said['trial']}` : `The trial of request ${text(said['id']).slice(0, 8)}`);

function reported(said: Said, wanted: string): string {
  const metrics = said['metrics'] as Said | undefined;
  if (metrics === undefined || metrics === null) return '';
  const names = wanted in metrics ? [wanted] : Object.keys(metrics).sort().slice(0, 3);
  return names.map((name) => `${name} ${metric(metrics[name])}`).join(', ');
}

// `wanted`: the metric of the search, `axis`: what its lengths count.
export function eventWords(said: Said, wanted: string, axis: string): Words {
  const name = trialName(said);
  const trial = number(said['trial']);
  const of = (sentence: string, tone: Tone = 'calm'): Words => ({ text: sentence, tone, trial });
  switch (said['in']) {
    case 'initial': return of('The search began');
    case 'released': return of(`Up to ${text(said['limit'])} trials may begin`);
    case 'widened': return of(`Up to ${text(said['to'])} trials may run at once, instead of ${text(said['from'])}`);
    case 'commands': return of(`The search's runner answered, number ${text(said['number'])}`);
    case 'created': return of(`${name} was made`);
    case 'exited': case 'closed': return of(`${name} ended`);
    case 'exited_early': return of(`${name} ended early: ${text(said['reason'])}`, 'bad');
    case 'progress': return of(`${name} is at ${metric(said['value'])}`);
    case 'set_aside': return of(`A report of ${name.toLowerCase()} does not count: ${text(said['why'])}`);
    case 'validation': {
      if (said['length'] !== undefined) return of(`${name} trained to ${text(said['length'])} ${axis}: ${metric(said['metric'])}`);
      const at = (said['metrics'] as Said | undefined)?.[axis];
      return of(`${name} reported ${reported(said, wanted)}${at === undefined ? '' : ` after ${metric(at)} ${axis}`}`);
    }
    default: return of(`${name}: ${text(said['in'])}`);
  }
}

export function decisionWords(said: Said, axis: string): Words {
  const name = trialName(said);
  const trial = number(said['trial']);
  const of = (sentence: string, tone: Tone, hparams?: Record<string, unknown>): Words => ({ text: sentence, tone, trial, hparams });
  switch (said['t']) {
    case 'create': return of(`Make ${name.toLowerCase()}`, 'run', said['hp'] as Record<string, unknown> | undefined);
    case 'stop': return of(`Stop ${name.toLowerCase()}`, 'bad');
    case 'close': return of(`End ${name.toLowerCase()}`, 'calm');
    case 'validate_after': return of(`Let ${name.toLowerCase()} train to ${text(said['length'])} ${axis}`, 'good');
    case 'tell': return of(`Tell the search's runner, number ${text(said['number'])}`, 'calm');
    case 'shutdown': return said['failure'] === true ? of('The search failed', 'bad') : said['cancel'] === true ? of('The search was canceled', 'calm') : of('The search is over', 'good');
    default: return of(`${text(said['t'])}: ${name.toLowerCase()}`, 'calm');
  }
}

// What the lengths of a search count: batches, epochs or a metric of the trial's own.
export function axisOf(searcher: Said): string {
  if (typeof searcher['time_metric'] === 'string') return searcher['time_metric'];
  const length = searcher['max_length'];
  return length !== null && typeof length === 'object' ? Object.keys(length)[0] ?? 'batches' : 'batches';
}

const kMethods: Record<string, string> = {
  single: 'One trial, with the values of the configuration.',
  random: 'Every trial draws its values by chance, and trains to its end.',
  grid: 'A trial for every point of the grid; each trains to its end.',
  async_halving: 'Every trial trains a little. At each rung the better ones go on and the others are stopped, so that most time goes to good ones.',
  adaptive_asha: 'Every trial trains a little. At each rung the better ones go on and the others are stopped. Brackets differ in how early they judge.',
  custom: 'A program of the user decides, outside of the cluster.',
};
export const methodWords = (name: string) => kMethods[name] ?? `The method ${name}.`;
