// The command palette: one field that finds pages, things and actions. The list of shortcuts stands beside it.
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { KeyboardEvent } from 'react';
import { useEffect, useRef, useState } from 'react';
import { Frame } from '../../components/Dialog';
import { Modal } from '../../components/Modal';
import { startHere } from '../../lib/focus';
import type { Theme } from '../../lib/theme';
import { choose } from '../../lib/theme';
import type { Entry } from './entries';
import { kPages, local, moved, placeOf } from './entries';
import { findQuery } from './find';

function Finder({ close, showKeys }: { close: () => void; showKeys: () => void }) {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const [sent, setSent] = useState('');
  const [chosen, setChosen] = useState<string>();  // by its key: others come before it
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => { const timer = setTimeout(() => setSent(text.trim()), 150); return () => clearTimeout(timer); }, [text]);
  const found = useQuery(findQuery(sent));
  const entries = [...(sent === text.trim() ? found.data ?? [] : []), ...local(text)];
  const place = placeOf(entries, chosen);
  useEffect(() => { void list.current?.children[place]?.scrollIntoView({ block: 'nearest' }); }, [place]);
  const go = (entry: Entry | undefined) => {
    if (!entry) return;
    if (entry.key === 'shortcuts') return showKeys();
    if (entry.key.startsWith('theme ')) choose(entry.key.slice(6) as Theme);
    else void navigate({ href: entry.href });
    close();
  };
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;  // the keys choose letters of a script that is typed by sound
    if (event.key === 'Enter') { event.preventDefault(); go(entries[place]); }
    const next = moved(place, event.key, entries.length);
    if (next !== place || event.key.startsWith('Arrow')) { if (event.key === 'ArrowDown' || event.key === 'ArrowUp') event.preventDefault(); setChosen(entries[next]?.key); }
  };
  return (
    <>
      <input className="input palette-field" role="combobox" aria-expanded aria-controls="palette-list" aria-activedescendant={entries[place] ? `palette-${place}` : undefined} aria-autocomplete="list"
        aria-label="Find a page, an experiment, a model, a workspace" placeholder="Name or number" autoComplete="off" spellCheck="false" ref={startHere} value={text}
        onChange={(event) => { setText(event.target.value); setChosen(undefined); }} onKeyDown={press} />
      <ul className="palette-list" id="palette-list" role="listbox" aria-label="Found" ref={list}>
        {entries.map((entry, index) => (
          <li key={entry.key} id={`palette-${index}`} role="option" aria-selected={index === place} onPointerMove={() => setChosen(entry.key)} onClick={() => go(entry)}>
            <span className="name">{entry.name}</span><span className="soft">{entry.kind}</span>
          </li>
        ))}
      </ul>
      {entries.length === 0 && <p className="soft palette-none" role="status">{found.isFetching || sent !== text.trim() ? 'Looking …' : found.error?.message ?? 'Nothing is called like that.'}</p>}
    </>
  );
}

function Keys({ close }: { close: () => void }) {
  const rows = [['Ctrl K', 'Find anything'], ['?', 'This list'], ...kPages.flatMap(({ keys, name }) => (keys ? [[keys, name]] : [])), ['Tab', 'The next field or button'], ['Escape', 'Close a dialog']];
  return (
    <Frame title="Keyboard shortcuts" isOpen close={close}>
      <table className="plain-table">
        <thead><tr><th scope="col">Keys</th><th scope="col">What they do</th></tr></thead>
        <tbody>{rows.map(([keys = '', what]) => <tr key={keys}><td>{keys.split(' ').map((key) => <kbd key={key}>{key}</kbd>)}</td><td>{what}</td></tr>)}</tbody>
      </table>
      <div><button className="button" onClick={close}>Close</button></div>
    </Frame>
  );
}

export default function Palette({ what, show }: { what: 'find' | 'keys'; show: (what: 'find' | 'keys' | undefined) => void }) {
  const close = () => show(undefined);
  if (what === 'keys') return <Keys close={close} />;
  return <Modal className="modal palette" label="Find" leave={close}><Finder close={close} showKeys={() => show('keys')} /></Modal>;
}
