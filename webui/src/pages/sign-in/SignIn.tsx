import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { useState } from 'react';
import { call, serverRoot } from '../../api/client';
import { serverQuery } from '../../api/queries';
import { Heading } from '../../components/Heading';
import { startHere } from '../../lib/focus';
import { safeNext, signOnHref } from '../../lib/next';

export function SignIn() {
  const { next } = useSearch({ from: '/sign-in' });
  const server = useQuery(serverQuery);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    const result = await call('post', '/api/v1/auth/login', {
      body: { username: String(form.get('username')), password: String(form.get('password')) },
    });
    setBusy(false);
    if (!result.ok) return setError(result.message);
    await queries.resetQueries();
    await navigate({ href: safeNext(next), replace: true });
  };

  const providers = (server.data?.ssoProviders ?? []) as { name?: string; ssoUrl?: string }[];
  return (
    <div className="card stack sign-in">
      <Heading title="Sign in" />
      <p className="soft">{server.data?.clusterName ? `Cluster ${server.data.clusterName}` : 'det-operator'}</p>
      {providers.filter(({ ssoUrl }) => ssoUrl && /^https?:$/.test(new URL(ssoUrl, serverRoot()).protocol)).map(({ name, ssoUrl }) => (
        <a className="button primary" key={name} href={signOnHref(new URL(ssoUrl!, serverRoot()), next, document.baseURI)}>Sign in with {name}</a>
      ))}
      <form className="stack" onSubmit={(event) => void submit(event)}>
        <label className="field">Name<input className="input" name="username" autoComplete="username" required ref={startHere} /></label>
        <label className="field">Password<input className="input" name="password" type="password" autoComplete="current-password" /></label>
        {error && <p className="notice" role="alert">{error}</p>}
        <button className="button primary" disabled={isBusy}>{isBusy ? 'Signing in …' : 'Sign in'}</button>
      </form>
      {server.error && <p className="notice" role="alert">{server.error.message}</p>}
    </div>
  );
}
