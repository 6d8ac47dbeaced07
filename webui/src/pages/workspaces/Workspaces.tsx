// All workspaces, those that one has pinned first.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { ask } from '../../api/client';
import type { Workspace } from '../../api/sections';
import { workspacesQuery } from '../../api/sections';
import { Heading } from '../../components/Heading';
import type { Column } from '../../components/VirtualTable';
import { VirtualTable } from '../../components/VirtualTable';
import { useChange } from '../../components/change';
import { useMay } from '../../components/rights';
import { Empty, Loaded } from '../../components/states';
import { useLive } from '../../live/client';
import { WorkspaceDialog } from './dialogs';

// `tell` hears why it was refused, nothing when it was not: beside the star there is no room for that.
export function Pin({ workspace, tell }: { workspace: Workspace; tell: (refusal: string | undefined) => void }) {
  const { id = 0, name, pinned } = workspace;
  const pin = useChange(() => (pinned ? ask('post', '/api/v1/workspaces/{id}/unpin', { path: { id } }) : ask('post', '/api/v1/workspaces/{id}/pin', { path: { id } })), [['workspaces']]);
  const press = () => pin.mutate(undefined, { onSuccess: () => tell(undefined), onError: ({ message }) => tell(`${name} could not be ${pinned ? 'unpinned' : 'pinned'}: ${message}`) });
  return <button className="button plain star" aria-pressed={pinned === true} aria-label={`Pin ${name}`} title={pinned ? 'Pinned: it comes first in your lists' : 'Pin it to the top of your lists'} disabled={pin.isPending} onClick={press}><span aria-hidden>{pinned ? '★' : '☆'}</span></button>;
}

const kColumns: readonly Column<Workspace>[] = [
  { key: 'name', name: 'Name', width: 'minmax(220px, 2fr)', cell: ({ id, name, archived }) => <><Link to="/workspaces/$id" params={{ id: String(id) }} title={name}>{name}</Link>{archived && <span className="soft"> (archived)</span>}</> },
  { key: 'projects', name: 'Projects', width: '110px', isNumber: true, cell: ({ numProjects }) => numProjects },
  { key: 'experiments', name: 'Experiments', width: '130px', isNumber: true, cell: ({ numExperiments }) => numExperiments },
  { key: 'owner', name: 'Owner', width: 'minmax(140px, 1fr)', cell: ({ username }) => <span title={username}>{username}</span> },
];

export function Workspaces() {
  useLive('workspaces');
  const [isNew, setNew] = useState(false);
  const [text, setText] = useState('');
  const [isArchived, setArchived] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const columns = useMemo((): Column<Workspace>[] => [{ key: 'pin', name: 'Pinned', width: '80px', cell: (one) => <Pin workspace={one} tell={setRefusal} /> }, ...kColumns], []);
  const query = useQuery(workspacesQuery);
  const mayCreate = useMay('CREATE_WORKSPACE', { owner: 'anybody' });
  return (
    <>
      <div className="spread"><Heading title="Workspaces" />{mayCreate && <button className="button primary" onClick={() => setNew(true)}>New workspace</button>}</div>
      <div className="cluster" role="search">
        <label><span className="hidden-label">Search names</span><input className="input" type="search" placeholder="Name" value={text} onChange={(event) => setText(event.target.value)} /></label>
        <label className="cluster"><input type="checkbox" checked={isArchived} onChange={(event) => setArchived(event.target.checked)} /> Archived too</label>
      </div>
      {refusal && <p className="notice" role="alert">{refusal}</p>}
      <Loaded query={query} what="workspaces">
        {({ workspaces = [] }) => {
          const shown = workspaces.filter(({ name, archived }) => (isArchived || !archived) && name?.toLowerCase().includes(text.toLowerCase()))
            .sort((one, other) => Number(other.pinned) - Number(one.pinned));
          return shown.length > 0 ? <VirtualTable label="Workspaces" columns={columns} count={shown.length} rowAt={(index) => shown[index]} rowKey={({ id = 0 }) => id} />
            : <div className="card"><Empty title="No workspace is like that">{text ? 'Change the search.' : 'Create one above, or ask an administrator for a role in one.'}</Empty></div>;
        }}
      </Loaded>
      {isNew && <WorkspaceDialog close={() => setNew(false)} />}
    </>
  );
}
