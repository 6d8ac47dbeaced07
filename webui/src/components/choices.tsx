// Fields of dialogs that are chosen from what the server has. What is chosen already can be, also before its list came or where that failed.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { poolsQuery, templatesQuery, workspacesQuery } from '../api/sections';
import { Field } from './forms';

const failed = (error: Error | null, what = 'The others') => (error ? { hint: `${what} could not be loaded: ${error.message}` } : {});

interface WorkspaceProps { label?: string; chosen?: number; all?: string }
// `all`: what stands for none of them. Without that, a form that has it cannot be sent before there is one to choose.
export function WorkspaceChoice({ label = 'Workspace', chosen, all }: WorkspaceProps) {
  const { data, error } = useQuery(workspacesQuery);
  const [picked, pick] = useState(chosen ?? (all ? 0 : undefined));
  const open = (data?.workspaces ?? []).filter(({ archived }) => !archived);
  const usual = open.find(({ id }) => id === 1) ?? open[0];
  return (
    <Field label={label} {...failed(error)}>
      <select className="input" name="workspaceId" required value={picked ?? usual?.id ?? ''} onChange={(event) => pick(Number(event.target.value))}>
        {all && <option value={0}>{all}</option>}
        {open.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
      </select>
    </Field>
  );
}

export function PoolChoice({ name = 'pool', label = 'Resource pool', none = 'The default', chosen = '' }: { name?: string; label?: string; none?: string; chosen?: string }) {
  const { data, error } = useQuery(poolsQuery);
  const [picked, pick] = useState(chosen);
  const found = (data?.resourcePools ?? []).map((pool) => pool.name ?? '');
  return (
    <Field label={label} {...failed(error)}>
      <select className="input" name={name} value={picked} onChange={(event) => pick(event.target.value)}>
        <option value="">{none}</option>
        {chosen !== '' && !found.includes(chosen) && <option value={chosen}>{chosen}</option>}
        {found.map((pool) => <option key={pool} value={pool}>{pool}</option>)}
      </select>
    </Field>
  );
}

export function TemplateChoice() {
  const { data, error } = useQuery(templatesQuery);
  return (
    <Field label="Template" {...failed(error, 'Templates')}>
      <select className="input" name="template">
        <option value="">None</option>
        {(data?.templates ?? []).map(({ name }) => <option key={name} value={name}>{name}</option>)}
      </select>
    </Field>
  );
}
