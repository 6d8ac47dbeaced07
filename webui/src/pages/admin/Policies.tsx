// What is fixed for configurations, everywhere or in a workspace.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api/client';
import { workspacesQuery } from '../../api/sections';
import { ChangedSince } from '../../components/ChangedSince';
import { Confirm } from '../../components/Dialog';
import { useChange } from '../../components/change';
import { useMay } from '../../components/rights';
import { Empty, Loaded } from '../../components/states';
import { useDraft } from '../../lib/draft';
import { writeYaml } from '../../lib/yaml';

type Type = 'EXPERIMENT' | 'NTSC';
const policiesQuery = (id: number, type: Type) => queryOptions({
  queryKey: ['policies', id, type],
  queryFn: async ({ signal }) => {
    const { configPolicies } = id === 0 ? await ask('get', '/api/v1/config-policies/global/{type}', { path: { type }, signal }) : await ask('get', '/api/v1/config-policies/workspaces/{id}/{type}', { path: { id, type }, signal });
    return configPolicies && Object.keys(configPolicies).length > 0 ? writeYaml(configPolicies) : '';
  },
});

function Editor({ id, type, text, mayChange }: { id: number; type: Type; text: string; mayChange: boolean }) {
  const { draft = text, isChanged, write, drop } = useDraft(`policies ${id} ${type}`, text);
  const [isAsked, setAsked] = useState(false);
  const old = [['policies', id, type]];
  const keep = useChange(async (configPolicies: string) => {
    if (id === 0) await ask('put', '/api/v1/config-policies/global/{type}', { path: { type }, body: { configPolicies } });
    else await ask('put', '/api/v1/config-policies/workspaces/{id}/{type}', { path: { id, type }, body: { configPolicies } });
    return configPolicies;
  }, old, drop);
  const remove = useChange((): Promise<unknown> => (id === 0
    ? ask('delete', '/api/v1/config-policies/global/{type}', { path: { type } }) : ask('delete', '/api/v1/config-policies/workspaces/{id}/{type}', { path: { id, type } })), old, () => { drop(); setAsked(false); });
  return (
    <div className="stack">
      {isChanged && <ChangedSince what="these policies" saved={text} />}
      <label className="field">Policies, in YAML
        <textarea className="input" rows={14} spellCheck="false" readOnly={!mayChange} value={draft} onChange={(event) => write(event.target.value)}
          placeholder={mayChange ? 'invariant_config:\n  checkpoint_storage:\n    type: s3\nconstraints:\n  resources:\n    max_slots: 8' : 'Nothing is fixed.'} /></label>
      {keep.error && <p className="notice" role="alert">{keep.error.message}</p>}
      {keep.isSuccess && draft === text && <p className="soft" role="status">Saved. It counts for what starts from now on.</p>}
      {mayChange ? (
        <div className="cluster">
          <button className="button primary" disabled={keep.isPending || draft === text || draft.trim() === ''} onClick={() => keep.mutate(draft)}>Save</button>
          {draft !== text && <button className="button" onClick={() => drop()}>Do not save</button>}
          {text && <button className="button danger" onClick={() => { remove.reset(); setAsked(true); }}>Take away</button>}
        </div>
      ) : <p className="soft">You may look at this, not change it.</p>}
      {isAsked && <Confirm title="Take these policies away?" means="Configurations are no longer held to them." verb="Take away" isOpen isBusy={remove.isPending} error={remove.error?.message} close={() => setAsked(false)} act={() => remove.mutate()} />}
    </div>
  );
}

export function Policies() {
  const [id, setId] = useState(0);
  const [type, setType] = useState<Type>('EXPERIMENT');
  const workspaces = useQuery(workspacesQuery).data?.workspaces ?? [];
  const owner = workspaces.find((one) => one.id === id)?.userId;
  const mayGlobal = useMay('MODIFY_GLOBAL_CONFIG_POLICIES');
  const mayHere = useMay('MODIFY_WORKSPACE_CONFIG_POLICIES', { workspace: id, owner });
  const seesGlobal = useMay('VIEW_GLOBAL_CONFIG_POLICIES', { owner: 'anybody' });
  const seesHere = useMay('VIEW_WORKSPACE_CONFIG_POLICIES', { workspace: id, owner: 'anybody' });
  const maySee = id === 0 ? seesGlobal : seesHere;
  const query = useQuery({ ...policiesQuery(id, type), enabled: maySee === true });
  return (
    <section className="card stack">
      <p className="soft">What every configuration gets (<code>invariant_config</code>) and what it may ask for at most (<code>constraints</code>).</p>
      <div className="cluster">
        <select className="input narrow" aria-label="Where" value={id} onChange={(event) => setId(Number(event.target.value))}>
          <option value={0}>Everywhere</option>
          {workspaces.map((one) => <option key={one.id} value={one.id}>{one.name}</option>)}
        </select>
        <select className="input" aria-label="Of what" value={type} onChange={(event) => setType(event.target.value as Type)}>
          <option value="EXPERIMENT">Experiments</option><option value="NTSC">Notebooks, shells, commands, TensorBoards</option>
        </select>
      </div>
      {maySee === false ? <Empty title="These are not yours to see">Choose a workspace in which you have a role, or ask an administrator.</Empty> : <Loaded query={query} what="policies">{(text) => <Editor key={`${id} ${type}`} id={id} type={type} text={text} mayChange={(id === 0 ? mayGlobal : mayHere) === true} />}</Loaded>}
    </section>
  );
}
