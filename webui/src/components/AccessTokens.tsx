// Access tokens: for programs that work in somebody's name. One is shown once, when it is made.
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { ask } from '../api/client';
import type { Token } from '../api/sections';
import { tokensQuery, usersQuery } from '../api/sections';
import { startHere } from '../lib/focus';
import { Confirm, Frame } from './Dialog';
import type { Column } from './VirtualTable';
import { VirtualTable } from './VirtualTable';
import { useChange } from './change';
import { Copyable, Field, FormDialog, textOf } from './forms';
import { RelativeTime } from './small';
import { Empty, Loaded } from './states';

const kOld = [['tokens']];

function NewToken({ user, made, close }: { user: number; made: (token: string) => void; close: () => void }) {
  const create = useChange((form: FormData) => ask('post', '/api/v1/tokens', {
    body: { userId: user, description: textOf(form, 'description'), ...(textOf(form, 'days') && { lifespan: `${Number(form.get('days')) * 24}h` }) },
  }), kOld, ({ token }) => made(token ?? ''));
  return (
    <FormDialog title="New access token" verb="Create" isBusy={create.isPending} error={create.error?.message} close={close} submit={create.mutate}>
      <Field label="What it is for"><input className="input" name="description" maxLength={1000} autoComplete="off" ref={startHere} /></Field>
      <Field label="Days until it ends"><input className="input" name="days" type="number" min={1} max={3650} defaultValue={30} /></Field>
    </FormDialog>
  );
}

// `user`: only that user's; undefined: everybody's, and none is made here.
export function AccessTokens({ user, mayCreate }: { user?: number; mayCreate: boolean }) {
  const [isAll, setAll] = useState(false);
  const [open, setOpen] = useState<'new' | Token>();
  const [made, setMade] = useState<string>();
  const query = useQuery(tokensQuery(isAll));
  const users = useQuery({ ...usersQuery, enabled: user === undefined }).data?.users;
  const names = useMemo(() => new Map((users ?? []).map(({ id, username }) => [id ?? 0, username ?? ''])), [users]);
  const close = () => setOpen(undefined);
  const revoke = useChange((id: number) => ask('patch', '/api/v1/tokens/{id}', { path: { id }, body: { setRevoked: true } }), kOld, close);
  const isOver = ({ revoked, expiry }: Token) => revoked === true || Date.parse(expiry ?? '') < Date.now();
  const columns: readonly Column<Token>[] = [
    { key: 'id', name: 'Number', width: '90px', isNumber: true, cell: ({ id }) => id },
    ...(user === undefined ? [{ key: 'user', name: 'User', width: '140px', cell: ({ userId = 0 }: Token) => names.get(userId) ?? userId }] : []),
    { key: 'what', name: 'What it is for', width: 'minmax(200px, 1fr)', cell: ({ description }) => <span title={description}>{description || '–'}</span> },
    { key: 'made', name: 'Made', width: '140px', cell: ({ createdAt }) => <RelativeTime time={createdAt} /> },
    { key: 'ends', name: 'Ends', width: '140px', cell: (token) => (token.revoked ? <span className="badge calm">Revoked</span> : <RelativeTime time={token.expiry} />) },
    { key: 'do', name: 'Actions', width: '110px', cell: (token) => (isOver(token) ? '–' : <button className="button danger" aria-label={`Revoke token ${token.id}`} onClick={() => { revoke.reset(); setOpen(token); }}>Revoke</button>) },
  ];
  return (
    <>
      <div className="spread">
        <label className="cluster"><input type="checkbox" checked={isAll} onChange={(event) => setAll(event.target.checked)} /> Also those that ended</label>
        {mayCreate && <button className="button primary" onClick={() => setOpen('new')}>New access token</button>}
      </div>
      <Loaded query={query} what="access tokens">
        {({ tokenInfo = [] }) => {
          const shown = tokenInfo.filter(({ userId }) => user === undefined || userId === user);
          return shown.length > 0 ? <VirtualTable label="Access tokens" columns={columns} count={shown.length} rowAt={(index) => shown[index]} rowKey={({ id = 0 }) => id} />
            : <div className="card"><Empty title="No access tokens">A program that works in your name, such as a nightly job, signs in with one instead of your password.</Empty></div>;
        }}
      </Loaded>
      {open === 'new' && user !== undefined && <NewToken user={user} made={(token) => { setMade(token); close(); }} close={close} />}
      {open !== undefined && open !== 'new' && (
        <Confirm title={`Revoke token ${open.id}?`} means="Programs that use it are signed out at once. This cannot be undone." verb="Revoke" isOpen isBusy={revoke.isPending}
          error={revoke.error?.message} close={close} act={() => revoke.mutate(open.id ?? 0)} />
      )}
      {made !== undefined && (
        <Frame title="Your access token" isOpen isLast close={() => setMade(undefined)}>
          <p>Copy it now: it is shown this once.</p>
          <Copyable label="Access token" text={made} />
          <p className="soft">Whoever has it can do what you can do. A program puts it into <code>DET_USER_TOKEN</code>.</p>
          <div><button className="button" onClick={() => setMade(undefined)}>Close</button></div>
        </Frame>
      )}
    </>
  );
}
