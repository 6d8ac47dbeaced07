// The versions of a model: checkpoints with what training said of them.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { address, ask } from '../../api/client';
import type { Model, ModelVersion } from '../../api/sections';
import { rightsQuery, versionsQuery } from '../../api/sections';
import { Confirm, Frame } from '../../components/Dialog';
import { NotesEditor } from '../../components/NotesEditor';
import type { Column } from '../../components/VirtualTable';
import { VirtualTable } from '../../components/VirtualTable';
import { useChange } from '../../components/change';
import { Field, FormDialog, textOf } from '../../components/forms';
import { Labels, RelativeTime } from '../../components/small';
import { Empty, Loaded } from '../../components/states';
import { startHere } from '../../lib/focus';
import { bytes, metric } from '../../lib/format';
import { draftOf } from './draft-of';
import { labelsOf } from './labels';
import { mayDeleteVersion } from './may';

const size = ({ checkpoint }: ModelVersion) => Object.values(checkpoint?.resources ?? {}).reduce<number>((sum, count) => sum + Number(count), 0);
const uuidPattern = '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';

function Register({ model, close }: { model: string; close: () => void }) {
  const register = useChange((form: FormData) => ask('post', '/api/v1/models/{name}/versions', {
    path: { name: model }, body: { checkpointUuid: textOf(form, 'uuid'), name: textOf(form, 'name'), comment: textOf(form, 'comment'), labels: labelsOf(textOf(form, 'labels')) },
  }), [['models']], close);
  return (
    <FormDialog title={`Register a version of ${model}`} verb="Register" isBusy={register.isPending} error={register.error?.message} close={close} submit={register.mutate}>
      <Field label="Checkpoint" hint="Its id stands in the list of checkpoints of an experiment or a trial."><input className="input mono" name="uuid" required pattern={uuidPattern} autoComplete="off" ref={startHere} /></Field>
      <Field label="Name"><input className="input" name="name" autoComplete="off" /></Field>
      <Field label="Comment"><input className="input" name="comment" autoComplete="off" /></Field>
      <Field label="Labels" hint="With commas between"><input className="input" name="labels" autoComplete="off" /></Field>
    </FormDialog>
  );
}

interface VersionProps {
  model: Model; version: ModelVersion; mayChange: boolean; mayDelete: boolean; close: () => void;
}
function Version({ model, version, mayChange, mayDelete, close }: VersionProps) {
  const path = { name: model.name ?? '', num: version.version ?? 0 };
  const [isAsked, setAsked] = useState(false);
  const keep = useChange((notes: string) => ask('patch', '/api/v1/models/{name}/versions/{num}', { path, body: { notes } }), [['models']]);
  const remove = useChange(() => ask('delete', '/api/v1/models/{name}/versions/{num}', { path }), [['models']], close);
  const { checkpoint } = version;
  const validation = Object.entries((checkpoint?.training?.validationMetrics?.avgMetrics ?? {}) as Record<string, unknown>);
  if (isAsked) {
    return <Confirm title={`Delete version ${version.version}?`} means="It goes from the registry. Its checkpoint stays, until the experiment's policy removes it." verb="Delete" isOpen isBusy={remove.isPending}
      error={remove.error?.message} close={() => setAsked(false)} act={() => remove.mutate()} />;
  }
  return (
    <Frame title={`Version ${version.version}${version.name ? `: ${version.name}` : ''}`} isOpen isWide
      isBusy={keep.isPending} close={close}>
      {version.comment && <p>{version.comment}</p>}
      <div className="cluster"><Labels labels={version.labels ?? []} /></div>
      <dl className="facts">
        <div><dt>Checkpoint</dt><dd className="mono">{checkpoint?.uuid}</dd></div>
        <div><dt>Of trial</dt><dd>{checkpoint?.training?.trialId ? <Link to="/trials/$id/$tab" params={{ id: String(checkpoint.training.trialId), tab: 'checkpoints' }}>{checkpoint.training.trialId}</Link> : '–'}</dd></div>
        <div><dt>Size</dt><dd>{bytes(size(version))}</dd></div>
        <div><dt>Registered</dt><dd><RelativeTime time={version.creationTime} /></dd></div>
        <div><dt>By</dt><dd>{version.username}</dd></div>
        {validation.map(([name, value]) => <div key={name}><dt>{name}</dt><dd className="number">{metric(value)}</dd></div>)}
      </dl>
      <NotesEditor text={version.notes ?? ''} draftOf={draftOf(model, version)} hint="What is this version good for?"
        isBusy={keep.isPending} error={keep.error?.message} mayChange={mayChange} save={keep.mutateAsync} />
      <div className="cluster">
        <button className="button" disabled={keep.isPending} onClick={close}>Close</button>
        {mayDelete && (
          <button className="button danger" disabled={keep.isPending} onClick={() => setAsked(true)}>
            Delete version
          </button>
        )}
      </div>
    </Frame>
  );
}

export function Versions({ model: whole, mayChange }: { model: Model; mayChange: boolean }) {
  const model = whole.name ?? '';
  const rights = useQuery(rightsQuery).data;
  const [isNew, setNew] = useState(false);
  const [open, setOpen] = useState<number>();
  const query = useQuery(versionsQuery(model));
  const columns: readonly Column<ModelVersion>[] = [
    { key: 'version', name: 'Version', width: '100px', cell: ({ version }) => <button className="button" aria-label={`Version ${version}`} onClick={() => setOpen(version)}>{version}</button> },
    { key: 'name', name: 'Name', width: 'minmax(160px, 1fr)', cell: ({ name, comment }) => <span title={[name, comment].filter(Boolean).join(': ')}>{name || <span className="soft">{comment || '–'}</span>}</span> },
    { key: 'metric', name: 'Metric', width: '120px', isNumber: true, cell: ({ checkpoint }) => metric(checkpoint?.training?.searcherMetric) },
    { key: 'batches', name: 'Batches', width: '100px', isNumber: true, cell: ({ checkpoint }) => String(checkpoint?.metadata?.['steps_completed'] ?? '–') },
    { key: 'size', name: 'Size', width: '100px', isNumber: true, cell: (one) => bytes(size(one)) },
    { key: 'labels', name: 'Labels', width: 'minmax(120px, 1fr)', cell: ({ labels }) => <Labels labels={labels ?? []} /> },
    { key: 'time', name: 'Registered', width: '140px', cell: ({ creationTime }) => <RelativeTime time={creationTime} /> },
    { key: 'files', name: 'Files', width: '120px', cell: ({ checkpoint }) => (checkpoint?.state === 'STATE_COMPLETED' ? <a href={address(`/checkpoints/${checkpoint.uuid}`).href} download={`${checkpoint.uuid}.tar.gz`}>Download</a> : '–') },
  ];
  return (
    <>
      <div className="spread"><h2>Versions</h2>{mayChange && <button className="button primary" onClick={() => setNew(true)}>Register a version</button>}</div>
      <Loaded query={query} what="versions">
        {({ modelVersions = [] }) => {
          const shown = modelVersions.find(({ version }) => version === open);
          return (
            <>
              {modelVersions.length > 0 ? <VirtualTable label="Versions" columns={columns} count={modelVersions.length} rowAt={(index) => modelVersions[index]} rowKey={({ version = 0 }) => version} />
                : <div className="card"><Empty title="No versions yet">Register a checkpoint that is worth keeping.</Empty></div>}
              {shown && (
                <Version key={open} model={whole} version={shown} mayChange={mayChange}
                  mayDelete={mayDeleteVersion(rights, whole, shown)} close={() => setOpen(undefined)} />
              )}
            </>
          );
        }}
      </Loaded>
      {isNew && <Register model={model} close={() => setNew(false)} />}
    </>
  );
}
