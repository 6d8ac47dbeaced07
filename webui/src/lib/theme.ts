// Light or dark: the system's choice until somebody chooses. The attribute is what styles/tokens.css asks for.
export type Theme = 'system' | 'light' | 'dark';
const kKey = 'det-operator.theme';
const dark = () => matchMedia('(prefers-color-scheme: dark)');

export function theme(): Theme {
  const kept = localStorage.getItem(kKey);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

function show(): void {
  const chosen = theme();
  document.documentElement.dataset['theme'] = chosen === 'system' ? (dark().matches ? 'dark' : 'light') : chosen;
  dispatchEvent(new Event('themechange'));  // charts draw their own colours
}

// Calls `changed` when other colours show; what it returns ends that.
export function watchTheme(changed: () => void): () => void {
  addEventListener('themechange', changed);
  return () => removeEventListener('themechange', changed);
}

export function choose(chosen: Theme): void {
  localStorage.setItem(kKey, chosen);
  show();
}

export function startTheme(): void {
  show();
  dark().addEventListener('change', show);
}
