// Shares as they are drawn and told.

// Below it the forest knows next to nothing of trials that it has not seen.
export const kPoorFit = 0.1;

export function percent(share: number): string {
  const value = share * 100;
  return `${value > 0 && value < 0.95 ? value.toFixed(1) : Math.round(value)} %`;
}

// One standard deviation to both sides, within what there is.
export const whisker = (mean: number, deviation: number) => ({ from: Math.max(0, mean - deviation), to: Math.min(1, mean + deviation) });
