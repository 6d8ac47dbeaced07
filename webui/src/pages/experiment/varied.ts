// The hyperparameters in which trials differ: those that say something about them.
export function varied(trials: readonly { hparams?: Record<string, unknown> }[]): string[] {
  const seen = new Map<string, Set<string>>();
  for (const { hparams } of trials) {
    for (const [name, value] of Object.entries(hparams ?? {})) {
      if (!seen.has(name)) seen.set(name, new Set());
      seen.get(name)!.add(JSON.stringify(value));
    }
  }
  return [...seen].filter(([, values]) => values.size > 1).map(([name]) => name).sort();
}
