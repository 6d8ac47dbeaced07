// Accounts: who may sign in.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api/client';
import type { User } from '../../api/sections';
import { usersQuery } from '../../api/sections';
import type { Column } from '../../components/VirtualTable';
import { VirtualTable } from '../../components/VirtualTable';
import { useChange } from '../../components/change';
import { Field, FormDialog, textOf } from '../../components/forms';
import { RelativeTime } from '../../components/small';
import { Empty, Loaded } from '../../components/states';
import { changedOf } from '../../lib/changed';
import { startHere } from '../../lib/focus';
import { Only } from './Only';

const kOld = [['users'], ['me']];
const isOn = (form: FormData, name: string) => form.get(name) === 'on';

function Check({ name, label, on }: { name: string; label: string; on: boolean }) {
  return <label className="cluster"><input type="checkbox" name={name} defaultChecked={on} /> {label}</label>;
}

function NewUser({ close }: { close: () => void }) {
  const create = useChange((form: FormData) => {
    const password = String(form.get('password') ?? '');
    return ask('post', '/api/v1/users', {
      body: { user: { username: textOf(form, 'username'), displayName: textOf(form, 'displayName'), admin: isOn(form, 'admin'), active: true, remote: isOn(form, 'remote') }, ...(password && { password }) },
    });
  }, kOld, close);
  return (
    <FormDialog title="New user" verb="Create" isBusy={create.isPending} error={create.error?.message} close={close} submit={create.mutate}>
      <Field label="Name to sign in with"><input className="input" name="username" required minLength={2} maxLength={128} autoComplete="off" ref={startHere} /></Field>
      <Field label="Display name"><input className="input" name="displayName" autoComplete="off" /></Field>
      <Field label="Password" hint="Empty where they sign in with your organisation's account."><input className="input" name="password" type="password" autoComplete="new-password" /></Field>
      <Check name="admin" label="Administrator" on={false} />
      <Check name="remote" label="Signs in with your organisation's account only" on={false} />
    </FormDialog>
  );
}

function EditUser({ user, close }: { user: User; close: () => void }) {
  const keep = useChange((form: FormData) => {
    const password = String(form.get('password') ?? '');
    const now = { displayName: textOf(form, 'displayName'), admin: isOn(form, 'admin'), active: isOn(form, 'active') };
    const body = { ...changedOf(user, now), ...(password && { password }) };
    return ask('patch', '/api/v1/users/{id}', { path: { id: user.id ?? 0 }, body });
  }, kOld, close);
  return (
    <FormDialog title={`Change user ${user.username}`} verb="Save" isBusy={keep.isPending} error={keep.error?.message} close={close} submit={keep.mutate}>
      <Field label="Display name"><input className="input" name="displayName" defaultValue={user.displayName} autoComplete="off" /></Field>
      {!user.remote && <Field label="New password" hint="Empty: it stays as it is."><input className="input" name="password" type="password" autoComplete="new-password" /></Field>}
      <Check name="admin" label="Administrator" on={user.admin === true} />
      <Check name="active" label="May sign in" on={user.active === true} />
    </FormDialog>
  );
}

export function Users() {
  const query = useQuery(usersQuery);
  const [text, setText] = useState('');
  const [open, setOpen] = useState<'new' | User>();
  const close = () => setOpen(undefined);
  const columns: readonly Column<User>[] = [
    { key: 'name', name: 'Name', width: 'minmax(160px, 1fr)', cell: ({ username }) => <span title={username}>{username}</span> },
    { key: 'display', name: 'Display name', width: 'minmax(160px, 1fr)', cell: ({ displayName }) => <span title={displayName}>{displayName || '–'}</span> },
    { key: 'admin', name: 'Administrator', width: '130px', cell: ({ admin }) => (admin ? 'Yes' : 'No') },
    { key: 'state', name: 'Account', width: '150px', cell: ({ active, remote }) => <span className={`badge ${active ? 'good' : 'calm'}`}>{active ? remote ? 'On, remote' : 'On' : 'Switched off'}</span> },
    { key: 'seen', name: 'Signed in', width: '150px', cell: ({ lastAuthAt }) => <RelativeTime time={lastAuthAt} /> },
    { key: 'do', name: 'Actions', width: '110px', cell: (user) => <button className="button" aria-label={`Change ${user.username}`} onClick={() => setOpen(user)}>Change</button> },
  ];
  return (
    <Only permission="ADMINISTRATE_USER" what="change users">
      <div className="spread">
        <label><span className="hidden-label">Search names</span><input className="input" type="search" placeholder="Name" value={text} onChange={(event) => setText(event.target.value)} /></label>
        <button className="button primary" onClick={() => setOpen('new')}>New user</button>
      </div>
      <Loaded query={query} what="users">
        {({ users = [] }) => {
          const shown = users.filter(({ username = '', displayName = '' }) => `${username} ${displayName}`.toLowerCase().includes(text.toLowerCase()));
          return shown.length > 0 ? <VirtualTable label="Users" columns={columns} count={shown.length} rowAt={(index) => shown[index]} rowKey={({ id = 0 }) => id} /> : <div className="card"><Empty title="No user is like that" /></div>;
        }}
      </Loaded>
      {open === 'new' && <NewUser close={close} />}
      {open !== undefined && open !== 'new' && <EditUser user={open} close={close} />}
    </Only>
  );
}
