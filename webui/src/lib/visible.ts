import { useSyncExternalStore } from 'react';

function subscribe(reader: () => void): () => void {
  document.addEventListener('visibilitychange', reader);
  return () => document.removeEventListener('visibilitychange', reader);
}

// Whether somebody can see this tab.
export const useVisible = (): boolean => useSyncExternalStore(subscribe, () => document.visibilityState !== 'hidden');
