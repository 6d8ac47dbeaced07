// Who has which role where, where the server has roles.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api/client';
import { serverQuery } from '../../api/queries';
import { groupsQuery, rolesQuery, usersQuery, workspacesQuery } from '../../api/sections';
import { Confirm } from '../../components/Dialog';
import type { Column } from '../../components/VirtualTable';
import { VirtualTable } from '../../components/VirtualTable';
import { useChange } from '../../components/change';
import { WorkspaceChoice } from '../../components/choices';
import { Field, FormDialog, textOf } from '../../components/forms';
import { Empty, Loaded } from '../../components/states';
import { Only } from './Only';
import type { Assignment } from './assignments';
import { assignmentsOf, bodyOf } from './assignments';

const kOld = [['roles'], ['me', 'rights']];

function Assign({ close }: { close: () => void }) {
  const users = useQuery(usersQuery).data?.users ?? [];
  const groups = useQuery(groupsQuery).data?.groups ?? [];
  const roles = useQuery(rolesQuery).data?.roles ?? [];
  const give = useChange((form: FormData) => {
    const [kind, id] = textOf(form, 'who').split(':');
    const workspace = Number(textOf(form, 'workspaceId'));
    return ask('post', '/api/v1/roles/add-assignments', { body: bodyOf({ role: Number(textOf(form, 'role')), ...(kind === 'user' ? { user: Number(id) } : { group: Number(id) }), ...(workspace > 0 && { workspace }) }) });
  }, kOld, close);
  return (
    <FormDialog title="Give a role" verb="Give" isBusy={give.isPending} error={give.error?.message} close={close} submit={give.mutate}>
      <Field label="To">
        <select className="input" name="who" required>
          <option value="">Choose a user or a group</option>
          <optgroup label="Groups">{groups.map(({ group }) => <option key={group?.groupId} value={`group:${group?.groupId}`}>{group?.name}</option>)}</optgroup>
          <optgroup label="Users">{users.map(({ id, username }) => <option key={id} value={`user:${id}`}>{username}</option>)}</optgroup>
        </select>
      </Field>
      <Field label="Role">
        <select className="input" name="role" required>
          <option value="">Choose a role</option>
          {roles.map(({ role }) => <option key={role?.roleId} value={role?.roleId}>{role?.name}</option>)}
        </select>
      </Field>
      <WorkspaceChoice label="In" all="Everywhere" />
    </FormDialog>
  );
}

function Table() {
  const query = useQuery(rolesQuery);
  const users = useQuery(usersQuery).data?.users ?? [];
  const groups = useQuery(groupsQuery).data?.groups ?? [];
  const workspaces = useQuery(workspacesQuery).data?.workspaces ?? [];
  const [isNew, setNew] = useState(false);
  const [taken, setTaken] = useState<Assignment>();
  const take = useChange((one: Assignment) => ask('post', '/api/v1/roles/remove-assignments', { body: bodyOf(one) }), kOld, () => setTaken(undefined));
  const who = ({ user, group }: Assignment) => (user !== undefined ? users.find(({ id }) => id === user)?.username ?? `user ${user}` : `${groups.find((one) => one.group?.groupId === group)?.group?.name ?? group} (group)`);
  const where = ({ workspace }: Assignment) => (workspace === undefined ? 'everywhere' : workspaces.find(({ id }) => id === workspace)?.name ?? `workspace ${workspace}`);
  const columns: readonly Column<Assignment>[] = [
    { key: 'who', name: 'Who', width: 'minmax(160px, 1fr)', cell: (one) => <span title={who(one)}>{who(one)}</span> },
    { key: 'role', name: 'Role', width: 'minmax(140px, 1fr)', cell: ({ roleName }) => roleName },
    { key: 'where', name: 'Where', width: 'minmax(140px, 1fr)', cell: (one) => <span title={where(one)}>{where(one)}</span> },
    { key: 'do', name: 'Actions', width: '130px', cell: (one) => <button className="button danger" aria-label={`Take ${one.roleName} from ${who(one)}`} onClick={() => { take.reset(); setTaken(one); }}>Take away</button> },
  ];
  return (
    <>
      <div className="spread"><p className="soft">What a role permits, it permits in its workspace, or everywhere.</p><button className="button primary" onClick={() => setNew(true)}>Give a role</button></div>
      <Loaded query={query} what="roles">
        {({ roles = [] }) => {
          const lines = assignmentsOf(roles);
          return lines.length === 0 ? <div className="card"><Empty title="Nobody has a role yet">Give one to a user or a group.</Empty></div>
            : <VirtualTable label="Roles" columns={columns} count={lines.length} rowAt={(index) => lines[index]} rowKey={({ user, group, workspace, role }) => `${user} ${group} ${workspace} ${role}`} />;
        }}
      </Loaded>
      {isNew && <Assign close={() => setNew(false)} />}
      {taken && (
        <Confirm title={`Take ${taken.roleName} from ${who(taken)}?`} means={`What the role permits ${where(taken)}, they may no longer do.`} verb="Take away" isOpen isBusy={take.isPending}
          error={take.error?.message} close={() => setTaken(undefined)} act={() => take.mutate(taken)} />
      )}
    </>
  );
}

export function Roles() {
  const query = useQuery(serverQuery);
  return (
    <Loaded query={query} what="the server">
      {({ rbacEnabled }) => (rbacEnabled ? <Only permission="ASSIGN_ROLES" what="give roles"><Table /></Only> : (
        <div className="card"><Empty title="This server has no roles">Everybody may do what is theirs, administrators everything. Roles are switched on by <code>security.authz.type: rbac</code> in master.yaml.</Empty></div>
      ))}
    </Loaded>
  );
}
