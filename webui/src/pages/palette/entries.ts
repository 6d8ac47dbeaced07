// What the palette offers: pages and actions that fit the words, and what the server finds by them.
export interface Entry { key: string; name: string; kind: string; href: string }

// `keys`: typed after another, outside of fields.
export const kPages: readonly (Entry & { keys?: string })[] = [
  { key: 'home', name: 'Home', kind: 'Page', href: '/', keys: 'g h' },
  { key: 'experiments', name: 'Experiments', kind: 'Page', href: '/experiments', keys: 'g e' },
  { key: 'tasks', name: 'Tasks', kind: 'Page', href: '/tasks', keys: 'g t' },
  { key: 'queue', name: 'Queue', kind: 'Page', href: '/queue', keys: 'g q' },
  { key: 'cluster', name: 'Cluster', kind: 'Page', href: '/cluster', keys: 'g c' },
  { key: 'workspaces', name: 'Workspaces', kind: 'Page', href: '/workspaces', keys: 'g w' },
  { key: 'models', name: 'Models', kind: 'Page', href: '/models', keys: 'g m' },
  { key: 'templates', name: 'Templates', kind: 'Page', href: '/templates' },
  { key: 'settings', name: 'Settings', kind: 'Page', href: '/settings', keys: 'g s' },
  ...['Users', 'Groups', 'Roles', 'Tokens', 'Webhooks', 'Policies', 'Message'].map((name) => ({
    key: `admin ${name}`, name: `Administration: ${name.toLowerCase()}`, kind: 'Page', href: `/admin/${name.toLowerCase()}`,
  })),
];
export const kActions: readonly Entry[] = [
  { key: 'theme light', name: 'Light colours', kind: 'Action', href: '' },
  { key: 'theme dark', name: 'Dark colours', kind: 'Action', href: '' },
  { key: 'theme system', name: 'Colours of the system', kind: 'Action', href: '' },
  { key: 'tensorboard', name: 'Start a TensorBoard', kind: 'Action', href: '/tasks?tensorboard=' },
  { key: 'shortcuts', name: 'Keyboard shortcuts', kind: 'Action', href: '' },
];

// Every word has to be in the name, wherever.
export function fits(name: string, text: string): boolean {
  const low = name.toLowerCase();
  return text.toLowerCase().split(/\s+/).filter(Boolean).every((word) => low.includes(word));
}

export function local(text: string): Entry[] {
  const found: Entry[] = [...kPages, ...kActions].filter(({ name }) => fits(name, text));
  const number = /^#?([1-9]\d{0,8})$/.exec(text.trim())?.[1];
  // What the server finds by the number comes later: until then Enter leads to the experiment, which is wanted more often.
  return number ? [{ key: `number ${number}`, name: `Experiment ${number}`, kind: 'Go to', href: `/experiments/${number}/overview` }, { key: `trial ${number}`, name: `Trial ${number}`, kind: 'Go to', href: `/trials/${number}/metrics` }, ...found] : found;
}

// Where the chosen one is now: what the server finds comes before it. The first where none is, or it is gone.
export const placeOf = (entries: readonly Entry[], chosen: string | undefined) => Math.max(0, entries.findIndex(({ key }) => key === chosen));

// Which place of `count` the keys lead to from `at`; it goes round.
export function moved(at: number, key: string, count: number): number {
  if (count === 0) return 0;
  if (key === 'ArrowDown') return (at + 1) % count;
  if (key === 'ArrowUp') return (at + count - 1) % count;
  return at;
}

// What two keys lead to, such as g and then e.
export const pageOfKeys = (keys: string) => kPages.find((page) => page.keys === keys)?.href;
