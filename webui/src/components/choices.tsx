// Fields of dialogs that are chosen from what the server has.
import { useQuery } from '@tanstack/react-query';
import { poolsQuery, templatesQuery, workspacesQuery } from '../api/sections';
import { Field } from './forms';

interface WorkspaceProps { label?: string; chosen?: number; all?: string }
// `all`: what stands for none of them.
export function WorkspaceChoice({ label = 'Workspace', chosen, all }: WorkspaceProps) {
  const { data } = useQuery(workspacesQuery);
  const open = (data?.workspaces ?? []).filter(({ archived }) => !archived);
  return (
    <Field label={label}>
      <select className="input" name="workspaceId" key={open.length} defaultValue={chosen ?? (all ? 0 : open.find(({ id }) => id === 1)?.id ?? open[0]?.id)}>
        {all && <option value={0}>{all}</option>}
        {open.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
      </select>
    </Field>
  );
}

export function PoolChoice({ name = 'pool', label = 'Resource pool', none = 'The default', chosen = '' }: { name?: string; label?: string; none?: string; chosen?: string }) {
  const { data } = useQuery(poolsQuery);
  const pools = data?.resourcePools ?? [];
  return (
    <Field label={label}>
      <select className="input" name={name} key={pools.length} defaultValue={chosen}>
        <option value="">{none}</option>
        {pools.map((pool) => <option key={pool.name} value={pool.name}>{pool.name}</option>)}
      </select>
    </Field>
  );
}

export function TemplateChoice() {
  const { data } = useQuery(templatesQuery);
  return (
    <Field label="Template">
      <select className="input" name="template">
        <option value="">None</option>
        {(data?.templates ?? []).map(({ name }) => <option key={name} value={name}>{name}</option>)}
      </select>
    </Field>
  );
}
