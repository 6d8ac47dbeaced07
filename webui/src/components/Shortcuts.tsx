// Keys that work on every page, and the button for the palette, which loads when it is first asked for.
import { useNavigate } from '@tanstack/react-router';
import { Suspense, lazy, useEffect, useState } from 'react';
import { reloadOnce } from '../lib/newer';

const Palette = lazy(() => import('../pages/palette/Palette'));
const kWait = 1500;  // ms between two keys that belong together

// Whose keys are not the page's: fields, editors, lists that one types in, and everything while a dialog is above the page.
const isTaken = (target: EventTarget | null) => document.querySelector('dialog:modal') !== null || (target instanceof HTMLElement
  && (target.isContentEditable || target.shadowRoot !== null || target.closest('input, textarea, select, [role="menu"]') !== null));

export function Shortcuts() {
  const navigate = useNavigate();
  const [shown, show] = useState<'find' | 'keys'>();
  useEffect(() => {
    let first = '';
    let time = 0;
    const press = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        return show('find');
      }
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTaken(event.target)) return undefined;
      if (event.key === '?') return show('keys');
      const keys = Date.now() - time < kWait ? `${first} ${event.key}` : '';
      first = event.key;
      time = Date.now();
      if (keys) void import('../pages/palette/entries').then(({ pageOfKeys }) => { const href = pageOfKeys(keys); if (href) void navigate({ href }); }, () => void reloadOnce());
      return undefined;
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [navigate]);
  return (
    <>
      <button className="button find" onClick={() => show('find')} title="Find anything (Ctrl K)"><span aria-hidden>⌕</span> Find <kbd aria-hidden>Ctrl K</kbd></button>
      {shown && <Suspense fallback={null}><Palette what={shown} show={show} /></Suspense>}
    </>
  );
}
