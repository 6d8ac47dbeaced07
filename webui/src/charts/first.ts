// Which metric is shown before somebody chooses. Of one trial the loss has a curve soonest; of many what the search looks for tells them apart.
export function firstMetric(all: readonly string[], searched: string, trials: number): string | undefined {
  const wanted = [`validation.${searched}`, `training.${searched}`];
  const order = trials > 1 ? [...wanted, 'training.loss'] : ['training.loss', ...wanted];
  // Harnesses count beside what they measure.
  return order.find((one) => all.includes(one)) ?? all.find((one) => !/\.(batches|epochs)$/.test(one)) ?? all[0];
}
