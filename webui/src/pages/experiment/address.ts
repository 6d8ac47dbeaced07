// What the address of an experiment's part says beside its name. It comes from anybody: what is not right is left out.
export interface TabSearch { page?: number | undefined; trial?: number | undefined; file?: string | undefined }

const whole = (value: unknown, least: number) => (typeof value === 'number' && Number.isSafeInteger(value) && value >= least ? value : undefined);

export function readTabSearch(search: Record<string, unknown>): TabSearch {
  const file = typeof search['file'] === 'string' && search['file'].length <= 1024 ? search['file'] : undefined;
  const all = { page: whole(search['page'], 0), trial: whole(search['trial'], 1), file };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
