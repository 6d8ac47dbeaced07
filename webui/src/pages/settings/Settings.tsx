// What one sets for oneself.
import { useQuery } from '@tanstack/react-query';
import { useState, useSyncExternalStore } from 'react';
import { ask } from '../../api/client';
import { meQuery, serverQuery } from '../../api/queries';
import type { User } from '../../api/sections';
import { AccessTokens } from '../../components/AccessTokens';
import { Heading } from '../../components/Heading';
import { useChange } from '../../components/change';
import { Field, textOf } from '../../components/forms';
import { useMay } from '../../components/rights';
import { Loaded } from '../../components/states';
import { choose, theme, watchTheme } from '../../lib/theme';

function Name({ user }: { user: User }) {
  const keep = useChange((form: FormData) => ask('patch', '/api/v1/users/{id}', { path: { id: user.id ?? 0 }, body: { displayName: textOf(form, 'displayName') } }), [['me'], ['users']]);
  return (
    <form className="card stack" onSubmit={(event) => { event.preventDefault(); keep.mutate(new FormData(event.currentTarget)); }}>
      <h2>You</h2>
      <p className="soft">You sign in as <strong className="break">{user.username}</strong>{user.admin && ', an administrator'}.</p>
      <Field label="Display name" hint="What others see in place of the name that you sign in with."><input className="input" name="displayName" defaultValue={user.displayName} maxLength={250} autoComplete="name" /></Field>
      {keep.error && <p className="notice" role="alert">{keep.error.message}</p>}
      {keep.isSuccess && <p className="soft" role="status">Saved.</p>}
      <div><button className="button primary" disabled={keep.isPending}>Save name</button></div>
    </form>
  );
}

function Password({ user }: { user: User }) {
  const [wrong, setWrong] = useState<string>();
  const keep = useChange((password: string) => ask('patch', '/api/v1/users/{id}', { path: { id: user.id ?? 0 }, body: { password } }), []);
  return (
    <form className="card stack" onSubmit={(event) => {
      event.preventDefault();
      const form = event.currentTarget;
      const given = new FormData(form);
      const password = String(given.get('password'));
      if (password !== given.get('again')) return setWrong('The two are not the same.');
      setWrong(undefined);
      keep.mutate(password, { onSuccess: () => form.reset() });
    }}>
      <h2>Password</h2>
      <input className="hidden-label" name="username" autoComplete="username" value={user.username} readOnly tabIndex={-1} aria-hidden />
      <Field label="New password"><input className="input" name="password" type="password" required autoComplete="new-password" /></Field>
      <Field label="The same again"><input className="input" name="again" type="password" required autoComplete="new-password" /></Field>
      {(wrong ?? keep.error?.message) && <p className="notice" role="alert">{wrong ?? keep.error?.message}</p>}
      {keep.isSuccess && !wrong && <p className="soft" role="status">Your password is changed.</p>}
      <div><button className="button primary" disabled={keep.isPending}>Change password</button></div>
    </form>
  );
}

function Colours() {
  const now = useSyncExternalStore(watchTheme, theme);  // the header's menu changes it, too
  return (
    <fieldset className="card stack choices">
      <legend className="hidden-label">Colours</legend>
      <h2>Colours</h2>
      {([['system', 'As the system has them'], ['light', 'Light'], ['dark', 'Dark']] as const).map(([key, words]) => (
        <label className="cluster" key={key}><input type="radio" name="theme" checked={now === key} onChange={() => choose(key)} /> {words}</label>
      ))}
    </fieldset>
  );
}

function Tokens({ user }: { user: User }) {
  const mayCreate = useMay('CREATE_TOKEN', { owner: user.id });
  const maySee = useMay('VIEW_TOKEN', { owner: user.id });
  return (
    <section className="stack" aria-label="Access tokens">
      <h2>Your access tokens</h2>
      {maySee && <AccessTokens user={user.id ?? 0} mayCreate={mayCreate === true} />}
      {(maySee === false || mayCreate === false) && <p className="soft">You may not make access tokens: that takes the role TokenCreator.</p>}
    </section>
  );
}

export function Settings() {
  const query = useQuery(meQuery);
  const managed = useQuery(serverQuery).data?.userManagementEnabled !== false;
  return (
    <>
      <Heading title="Settings" />
      <Loaded query={query} what="your settings">
        {({ user }) => user && (
          <>
            <div className="home-grid"><Name user={user} />{managed && !user.remote && <Password user={user} />}<Colours /></div>
            <Tokens user={user} />
          </>
        )}
      </Loaded>
    </>
  );
}
