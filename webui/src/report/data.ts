// What `det experiment report` puts into the file. It comes from anybody: every part may be missing.
import type { Schemas } from '../api/client';
import type { Experiment, Trial } from '../api/queries';
import type { Curve } from '../charts/curves';
import { curveOf, finite } from '../charts/curves';

type Part<T> = Partial<T> & { failed?: string };
export interface ReportData {
  made?: string; experiment?: Experiment; trials?: Trial[]; trialCount?: number; metric?: string;
  curves?: Part<Schemas['v1CompareTrialsResponse']>; importance?: Part<Schemas['v1GetHyperparameterImportanceResponse']>; search?: Part<Schemas['v1ReplaySummary']> | null;
}

export function readData(text: string): ReportData | undefined {
  try {
    const data = JSON.parse(text) as ReportData | null;
    return data?.experiment ? data : undefined;
  } catch {
    return undefined;
  }
}

export const curvesOf = ({ curves, metric = '' }: ReportData): Curve[] => (curves?.trials ?? []).flatMap(({ trial, metrics }) => (metrics ?? []).map(({ data }) => (
  curveOf(`Trial ${trial?.id}`, (data ?? []).filter(({ values }) => values?.[metric] !== undefined).map(({ batches, time, values }) => ({ batches: batches ?? 0, time: time ?? '', value: finite(values?.[metric]) })), 'batches')
))).filter(({ ys }) => ys.some((value) => value !== null));

// A bracket's rungs in words.
export function rungWords({ rungs = [] }: Schemas['v1SearchBracket'], axis: string): string[] {
  return rungs.map(({ length, results = 0, trials = 0 }, i) => {
    const last = i === rungs.length - 1;
    const reached = `${results} ${results === 1 ? 'trial has' : 'trials have'} a result after ${length} ${axis}`;
    return last ? `${reached}, the end of the bracket.` : `${reached}; for ${trials} of them it is the highest rung so far.`;
  });
}
