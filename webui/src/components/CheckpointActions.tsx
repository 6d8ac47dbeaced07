// What can be done with a checkpoint: download its files, name it a version of a model, delete it.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { address, ask } from '../api/client';
import type { Copied } from '../lib/copy';
import { copyFrom, copyWords } from '../lib/copy';
import { Confirm, Frame } from './Dialog';
import { MenuButton } from './MenuButton';
import { Loaded } from './states';

function Download({ uuid, close }: { uuid: string; close: () => void }) {
  const command = `det checkpoint download ${uuid}`;
  const [copied, setCopied] = useState<Copied>('not yet');
  const place = useRef<HTMLPreElement>(null);
  const copy = async () => setCopied(await copyFrom(place.current, command) ? 'copied' : 'selected');
  return (
    <Frame title="Download the checkpoint" isOpen close={close}>
      <p>Its files as one archive: <a href={address(`/checkpoints/${uuid}`).href} download={`${uuid}.tar.gz`}>{uuid}.tar.gz</a></p>
      <p>Or into a folder, with the command line:</p>
      <pre className="command" tabIndex={0} ref={place}>{command}</pre>
      <div className="cluster">
        <button className="button primary" onClick={() => void copy()}>{copyWords(copied, 'Copy the command')}</button>
        <button className="button" onClick={close}>Close</button>
      </div>
    </Frame>
  );
}

function Register({ uuid, close }: { uuid: string; close: () => void }) {
  const queries = useQueryClient();
  const [model, setModel] = useState('');
  const [name, setName] = useState('');
  const [comment, setComment] = useState('');
  const models = useQuery({ queryKey: ['models', 'choice'], queryFn: ({ signal }) => ask('get', '/api/v1/models', { query: { limit: 500, archived: false, sortBy: 'SORT_BY_NAME' }, signal }) });
  const register = useMutation({
    mutationFn: () => ask('post', '/api/v1/models/{name}/versions', { path: { name: model }, body: { checkpointUuid: uuid, ...(name && { name }), ...(comment && { comment }) } }),
    onSuccess: async () => { await queries.invalidateQueries({ queryKey: ['models'] }); close(); },
  });
  return (
    <Frame title="Register as a version of a model" isOpen isFirm isBusy={register.isPending} close={close}>
      <p>A version names a checkpoint so that others find it. Its files are kept as long as the version is there.</p>
      <Loaded query={models} what="the models">
        {({ models: found = [] }) => (found.length === 0 ? <p className="soft">There is no model yet. Create one with <code>det model create NAME</code>.</p> : (
          <label className="field">Model<select className="input" value={model} onChange={(event) => setModel(event.target.value)}>
            <option value="" disabled>Choose a model</option>{found.map((one) => <option key={one.id} value={one.name}>{one.name}</option>)}</select></label>
        ))}
      </Loaded>
      <label className="field">Name of the version, if it is to have one<input className="input" value={name} onChange={(event) => setName(event.target.value)} /></label>
      <label className="field">Comment<input className="input" value={comment} onChange={(event) => setComment(event.target.value)} /></label>
      {register.error && <p className="notice" role="alert">{register.error.message}</p>}
      <div className="cluster">
        <button className="button primary" disabled={register.isPending || model === ''} onClick={() => register.mutate()}>{register.isPending ? 'Working …' : 'Register'}</button>
        <button className="button" disabled={register.isPending} onClick={close}>Close</button>
      </div>
    </Frame>
  );
}

function Delete({ uuid, close }: { uuid: string; close: () => void }) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => ask('delete', '/api/v1/checkpoints', { body: { checkpointUuids: [uuid] } }),
    onSuccess: async () => { await Promise.all([queries.invalidateQueries({ queryKey: ['trial'] }), queries.invalidateQueries({ queryKey: ['experiment'] })]); close(); },
  });
  return (
    <Confirm title="Delete this checkpoint?" means={`All files of ${uuid} are removed. This cannot be undone. Its metrics stay.`} verb="Delete" isOpen isBusy={remove.isPending}
      error={remove.error?.message} close={close} act={() => remove.mutate()} />
  );
}

const kDialogs = { download: Download, register: Register, delete: Delete };
export interface AskedCheckpoint { what: keyof typeof kDialogs; uuid: string }

// `ask` has the dialog shown above the table: a row may leave the view, or its checkpoint the list, while somebody
// writes in it.
interface Props { uuid: string; mayRegister: boolean; mayDelete: boolean; ask: (asked: AskedCheckpoint) => void }
export function CheckpointActions({ uuid, mayRegister, mayDelete, ask: show }: Props) {
  const items = [
    { id: 'download', name: 'Download' },
    ...(mayRegister ? [{ id: 'register', name: 'Register as a version of a model' }] : []),
    ...(mayDelete ? [{ id: 'delete', name: 'Delete' }] : []),
  ];
  return (
    <MenuButton className="button plain" label={`What to do with checkpoint ${uuid}`} menu="Checkpoint" items={items}
      act={(what) => show({ what: what as AskedCheckpoint['what'], uuid })}>⋯</MenuButton>
  );
}

export function CheckpointDialog({ asked: { what, uuid }, close }: { asked: AskedCheckpoint; close: () => void }) {
  const Asked = kDialogs[what];
  return <Asked uuid={uuid} close={close} />;
}
