import { useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useState } from 'react';
import { Frame } from '../../components/Dialog';
import { Loaded } from '../../components/states';
import type { TableSearch } from './search';
import { useSaveViews, viewsQuery, withView } from './views';

interface Props { search: TableSearch; open: (search: TableSearch) => void; close: () => void }
export default function ViewsDialog({ search, open, close }: Props) {
  const query = useQuery(viewsQuery);
  const save = useSaveViews();
  const [name, setName] = useState('');
  return (
    <Frame title="Saved views" isOpen isFirm isBusy={save.isPending} close={close}>
      <Loaded query={query} what="your views">
        {(views) => {
          const add = (event: FormEvent) => {
            event.preventDefault();
            if (name.trim()) save.mutate((now) => withView(now, { name: name.trim(), search }), { onSuccess: () => setName('') });
          };
          return (
            <>
              {views.length === 0 ? <p className="soft">A view is the filter, the order and the columns of this table under a name. You have saved none yet.</p> : (
                <ul className="rows">
                  {views.map((view) => (
                    <li key={view.name}><span className="name">{view.name}</span><span className="cluster">
                      <button className="button" disabled={save.isPending} aria-label={`Open the view ${view.name}`}
                        onClick={() => { open(view.search); close(); }}>Open</button>
                      <button className="button plain" disabled={save.isPending} aria-label={`Delete the view ${view.name}`} onClick={() => save.mutate((now) => now.filter((one) => one.name !== view.name))}>✕</button></span></li>
                  ))}
                </ul>
              )}
              <form className="cluster" onSubmit={add}>
                <label><span className="hidden-label">Name of the view</span><input className="input" placeholder="Name for what is shown now" maxLength={100} value={name} onChange={(event) => setName(event.target.value)} /></label>
                <button className="button primary" disabled={save.isPending || !name.trim()}>Save</button>
                <button className="button" type="button" disabled={save.isPending} onClick={close}>Close</button>
              </form>
              {save.error && <p className="notice" role="alert">{save.error.message}</p>}
            </>
          );
        }}
      </Loaded>
    </Frame>
  );
}
