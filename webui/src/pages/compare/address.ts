// What is compared, as it stands in the address: experiments (by their best trials) or trials.
export interface CompareSearch { experiments?: number[]; trials?: number[]; metric?: string }
export const kMost = 100;

const ids = (value: unknown) => (Array.isArray(value) ? [...new Set(value.filter((one): one is number => typeof one === 'number' && Number.isSafeInteger(one) && one > 0))].slice(0, kMost) : []);

export function readCompare({ experiments, trials, metric }: Record<string, unknown>): CompareSearch {
  const chosen = ids(experiments);
  const single = ids(trials);
  return {
    ...(chosen.length > 0 && { experiments: chosen }), ...(chosen.length === 0 && single.length > 0 && { trials: single }),
    ...(typeof metric === 'string' && metric.length <= 1000 && { metric }),
  };
}
