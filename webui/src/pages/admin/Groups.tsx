// Groups of users: who gets a role together.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api/client';
import type { Schemas } from '../../api/client';
import { groupsQuery, usersQuery } from '../../api/sections';
import { Confirm, Frame } from '../../components/Dialog';
import type { Column } from '../../components/VirtualTable';
import { VirtualTable } from '../../components/VirtualTable';
import { useChange } from '../../components/change';
import { Field, FormDialog, textOf } from '../../components/forms';
import { Empty, Loaded } from '../../components/states';
import { startHere } from '../../lib/focus';
import { Only } from './Only';

type Found = Schemas['v1GroupSearchResult'];
const kOld = [['groups']];

function NewGroup({ close }: { close: () => void }) {
  const create = useChange((form: FormData) => ask('post', '/api/v1/groups', { body: { name: textOf(form, 'name') } }), kOld, close);
  return (
    <FormDialog title="New group" verb="Create" isBusy={create.isPending} error={create.error?.message} close={close} submit={create.mutate}>
      <Field label="Name"><input className="input" name="name" required maxLength={255} autoComplete="off" ref={startHere} /></Field>
    </FormDialog>
  );
}

function Members({ id, close }: { id: number; close: () => void }) {
  const query = useQuery({ queryKey: ['groups', 'one', id], queryFn: ({ signal }) => ask('get', '/api/v1/groups/{id}', { path: { id }, signal }) });
  const users = useQuery(usersQuery).data?.users ?? [];
  const [added, setAdded] = useState('');
  const change = useChange((body: { addUsers?: number[]; removeUsers?: number[] }) => ask('put', '/api/v1/groups/{id}', { path: { id }, body }), kOld, () => setAdded(''));
  return (
    <Frame title={`Members of ${query.data?.group?.name ?? 'the group'}`} isOpen isBusy={change.isPending}
      close={close}>
      <Loaded query={query} what="members">
        {({ group }) => {
          const members = group?.users ?? [];
          const others = users.filter((user) => !members.some((member) => member.id === user.id));
          return (
            <>
              {members.length === 0 ? <p className="soft">Nobody yet.</p> : (
                <ul className="rows">
                  {members.map((user) => (
                    <li key={user.id}><span className="break">{user.displayName || user.username}</span>
                      <button className="button" aria-label={`Take out ${user.username}`} disabled={change.isPending} onClick={() => change.mutate({ removeUsers: [user.id ?? 0] })}>Take out</button></li>
                  ))}
                </ul>
              )}
              {change.error && <p className="notice" role="alert">{change.error.message}</p>}
              <form className="cluster" onSubmit={(event) => { event.preventDefault(); if (added) change.mutate({ addUsers: [Number(added)] }); }}>
                <select className="input narrow" aria-label="User" value={added} onChange={(event) => setAdded(event.target.value)}>
                  <option value="">Choose a user</option>
                  {others.map((user) => <option key={user.id} value={user.id}>{user.username}</option>)}
                </select>
                <button className="button" disabled={!added || change.isPending}>Add</button>
              </form>
            </>
          );
        }}
      </Loaded>
      <div><button className="button" disabled={change.isPending} onClick={close}>Close</button></div>
    </Frame>
  );
}

export function Groups() {
  const query = useQuery(groupsQuery);
  const [open, setOpen] = useState<{ what: 'new' | 'members' | 'delete'; found?: Found }>();
  const close = () => setOpen(undefined);
  const remove = useChange((id: number) => ask('delete', '/api/v1/groups/{id}', { path: { id } }), kOld, close);
  const columns: readonly Column<Found>[] = [
    { key: 'name', name: 'Name', width: 'minmax(180px, 1fr)', cell: ({ group }) => <span title={group?.name}>{group?.name}</span> },
    { key: 'members', name: 'Members', width: '110px', isNumber: true, cell: ({ numMembers }) => numMembers },
    {
      key: 'do', name: 'Actions', width: '220px', cell: (found) => (
        <span className="cluster tight">
          <button className="button" aria-label={`Members of ${found.group?.name}`} onClick={() => setOpen({ what: 'members', found })}>Members</button>
          <button className="button danger" aria-label={`Delete ${found.group?.name}`} onClick={() => { remove.reset(); setOpen({ what: 'delete', found }); }}>Delete</button>
        </span>
      ),
    },
  ];
  const id = open?.found?.group?.groupId ?? 0;
  return (
    <Only permission="UPDATE_GROUP" what="change groups">
      <div className="spread"><p className="soft">A role that a group gets, all its members have.</p><button className="button primary" onClick={() => setOpen({ what: 'new' })}>New group</button></div>
      <Loaded query={query} what="groups">
        {({ groups = [] }) => (groups.length > 0 ? <VirtualTable label="Groups" columns={columns} count={groups.length} rowAt={(index) => groups[index]} rowKey={({ group }) => group?.groupId ?? 0} /> : <div className="card"><Empty title="No groups yet">Make one for a team.</Empty></div>)}
      </Loaded>
      {open?.what === 'new' && <NewGroup close={close} />}
      {open?.what === 'members' && <Members id={id} close={close} />}
      {open?.what === 'delete' && (
        <Confirm title={`Delete group ${open.found?.group?.name}?`} means="Its members lose the roles that they have by it. The users stay." verb="Delete" isOpen isBusy={remove.isPending}
          error={remove.error?.message} close={close} act={() => remove.mutate(id)} />
      )}
    </Only>
  );
}
