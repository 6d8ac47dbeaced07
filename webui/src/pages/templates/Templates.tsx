// Parts of configurations that have names.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, lazy, useMemo, useState } from 'react';
import { ask } from '../../api/client';
import type { Template } from '../../api/sections';
import { rightsQuery, templatesQuery, workspacesQuery } from '../../api/sections';
import { ChangedSince } from '../../components/ChangedSince';
import { Confirm, Frame } from '../../components/Dialog';
import { Heading } from '../../components/Heading';
import type { Column } from '../../components/VirtualTable';
import { VirtualTable } from '../../components/VirtualTable';
import { WorkspaceChoice } from '../../components/choices';
import { useChange } from '../../components/change';
import { Field, FormDialog, textOf } from '../../components/forms';
import { may, mayAnywhere } from '../../components/rights';
import { Empty, Loaded, Loading } from '../../components/states';
import { useDraft } from '../../lib/draft';
import { startHere } from '../../lib/focus';
import { readYaml, writeYaml } from '../../lib/yaml';
import { ChangedMeanwhile, keepTemplate } from './keep';

const Yaml = lazy(() => import('../../components/Yaml'));
const kOld = [['templates']];

function Edit({ template, text: opened, close }: { template?: Template; text: string; close: () => void }) {
  const queries = useQueryClient();
  const [text, setText] = useState(opened);  // what is saved, as far as it is known here
  const { draft = text, isChanged, write, drop } = useDraft(template ? `template ${template.name}` : 'new template', text);
  const keep = useChange(async (form: FormData): Promise<unknown> => {
    if (!template) {
      const body = { config: await readYaml(textOf(form, 'config')), workspaceId: Number(form.get('workspaceId')) };
      return ask('post', '/api/v1/templates/{name}', { path: { name: textOf(form, 'name') }, body });
    }
    if (draft === text) return undefined;  // what others wrote meanwhile is not taken back for nothing
    return keepTemplate(queries, template, text, textOf(form, 'config')).catch((error: Error) => {
      if (error instanceof ChangedMeanwhile) setText(error.now);
      throw error;
    });
  }, kOld, () => { drop(); close(); });
  const verb = !template ? 'Create' : isChanged ? 'Replace what they wrote' : 'Save';
  return (
    <FormDialog title={template ? `Change template ${template.name}` : 'New template'} verb={verb} isWide
      isBusy={keep.isPending} error={keep.error?.message} close={close} submit={keep.mutate}>
      {isChanged && <ChangedSince what="this template" saved={text} />}
      {!template && (
        <div className="form-grid">
          <Field label="Name"><input className="input" name="name" required autoComplete="off" ref={startHere} /></Field>
          <WorkspaceChoice />
        </div>
      )}
      <Field label="Configuration, in YAML"><textarea className="input" name="config" rows={14} spellCheck="false" readOnly={keep.isPending} value={draft} onChange={(event) => write(event.target.value)} placeholder={'resources:\n  slots_per_trial: 2'} /></Field>
      {draft !== text && <div><button className="button" type="button" disabled={keep.isPending} onClick={() => drop()}>Undo what I wrote</button></div>}
    </FormDialog>
  );
}

export function Templates() {
  const [open, setOpen] = useState<{ what: 'show' | 'delete'; template: Template }>();
  const [draft, setDraft] = useState<{ template?: Template; text: string }>();
  const [failure, setFailure] = useState<string>();
  const change = async (template: Template) => {
    setFailure(undefined);
    try {
      setDraft({ template, text: await writeYaml(template.config) });
    } catch (error) {
      setFailure(`Template ${template.name} could not be opened: ${(error as Error).message}`);
    }
  };
  const query = useQuery(templatesQuery);
  const rights = useQuery(rightsQuery).data;
  const workspaces = useQuery(workspacesQuery).data?.workspaces;
  const names = useMemo(() => new Map((workspaces ?? []).map(({ id, name }) => [id ?? 0, name ?? ''])), [workspaces]);
  // Without roles templates do not say whose they are: the server refuses what is not one's own.
  const mayIn = (permission: string, workspace: number | undefined) => rights !== undefined && may(rights, permission, { workspace, owner: 'anybody' });
  const remove = useChange((name: string) => ask('delete', '/api/v1/templates/{name}', { path: { name } }), kOld, () => setOpen(undefined));
  const columns: readonly Column<Template>[] = [
    { key: 'name', name: 'Name', width: 'minmax(180px, 1fr)', cell: (template) => <button className="link" title={template.name} onClick={() => setOpen({ what: 'show', template })}>{template.name}</button> },
    { key: 'parts', name: 'What it sets', width: 'minmax(200px, 2fr)', cell: ({ config }) => { const parts = Object.keys(config ?? {}).join(', '); return <span className="soft" title={parts}>{parts || 'nothing'}</span>; } },
    { key: 'workspace', name: 'Workspace', width: '180px', cell: ({ workspaceId = 0 }) => names.get(workspaceId) ?? workspaceId },
    {
      key: 'do', name: 'Actions', width: '200px', cell: (template) => (
        <span className="cluster tight">
          {mayIn('UPDATE_TEMPLATES', template.workspaceId) && <button className="button" aria-label={`Change ${template.name}`} onClick={() => void change(template)}>Change</button>}
          {mayIn('DELETE_TEMPLATES', template.workspaceId) && <button className="button danger" aria-label={`Delete ${template.name}`} onClick={() => { remove.reset(); setOpen({ what: 'delete', template }); }}>Delete</button>}
        </span>
      ),
    },
  ];
  return (
    <>
      <div className="spread"><Heading title="Templates" />{rights && mayAnywhere(rights, 'CREATE_TEMPLATES') && <button className="button primary" onClick={() => setDraft({ text: '' })}>New template</button>}</div>
      <p className="soft">Parts of configurations that many share: <code>det experiment create --template NAME</code>. What the configuration itself says wins.</p>
      {failure && <p className="notice" role="alert">{failure}</p>}
      <Loaded query={query} what="templates">
        {({ templates = [] }) => (templates.length > 0 ? <VirtualTable label="Templates" columns={columns} count={templates.length} rowAt={(index) => templates[index]} rowKey={({ name = '' }) => name} />
          : <div className="card"><Empty title="No templates yet">A template has what you would otherwise copy from configuration to configuration.</Empty></div>)}
      </Loaded>
      {open?.what === 'show' && (
        <Frame title={`Template ${open.template.name}`} isOpen isWide close={() => setOpen(undefined)}>
          <Suspense fallback={<Loading what="the template" />}><Yaml label={`Template ${open.template.name}`} value={open.template.config ?? {}} /></Suspense>
          <div><button className="button" onClick={() => setOpen(undefined)}>Close</button></div>
        </Frame>
      )}
      {open?.what === 'delete' && (
        <Confirm title={`Delete template ${open.template.name}?`} means="Configurations that name it are refused from then on. Experiments that were made with it go on." verb="Delete" isOpen isBusy={remove.isPending}
          error={remove.error?.message} close={() => setOpen(undefined)} act={() => remove.mutate(open.template.name ?? '')} />
      )}
      {draft && <Edit {...draft} close={() => setDraft(undefined)} />}
    </>
  );
}
