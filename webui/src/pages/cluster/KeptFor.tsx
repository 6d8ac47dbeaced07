// For which workspaces a pool is kept. A pool that is kept for none is everybody's.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api/client';
import { poolWorkspacesQuery, workspacesQuery } from '../../api/sections';
import { useChange } from '../../components/change';
import { FormDialog } from '../../components/forms';
import { Loaded } from '../../components/states';

interface Props { pool: string; close: () => void }
function Choice({ pool, bound, close }: Props & { bound: number[] }) {
  const workspaces = useQuery(workspacesQuery).data?.workspaces ?? [];
  const [chosen, setChosen] = useState<readonly number[]>(bound);
  const keep = useChange(() => ask('put', '/api/v1/resource-pools/{name}/workspace-bindings', { path: { name: pool }, body: { workspaceIds: [...chosen] } }), [['queue']], close);
  const choose = (id: number, isOn: boolean) => setChosen(isOn ? [...chosen, id] : chosen.filter((one) => one !== id));
  return (
    <FormDialog title={`Who may use pool ${pool}`} verb="Save" isBusy={keep.isPending} error={keep.error?.message} close={close} submit={() => keep.mutate()}>
      <p>{chosen.length === 0 ? 'Everybody may use it. Choose workspaces, and only what is started in them may.' : 'Only what is started in these workspaces may use it.'}</p>
      <fieldset className="card stack choices scrolled">
        <legend>Workspaces</legend>
        {workspaces.map(({ id = 0, name }) => (
          <label className="cluster" key={id}><input type="checkbox" checked={chosen.includes(id)} onChange={(event) => choose(id, event.target.checked)} /> <span className="break">{name}</span></label>
        ))}
      </fieldset>
    </FormDialog>
  );
}

export function KeptFor({ pool, close }: Props) {
  // The choice begins from what holds now: it replaces the list, and what somebody else chose since would go with it.
  const query = useQuery({ ...poolWorkspacesQuery(pool), gcTime: 0 });
  return <Loaded query={query} what="the pool's workspaces">{({ workspaceIds = [] }) => <Choice pool={pool} bound={workspaceIds} close={close} />}</Loaded>;
}
