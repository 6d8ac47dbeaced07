// What a view shows when it has nothing, waits, or failed. Every view has all three.
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { createContext, useContext } from 'react';
import { isGone } from '../api/client';
import { Heading } from './Heading';
import { RelativeTime } from './small';

// `isPage`: there is nothing else on the page, so this is its heading.
const Title = ({ isPage, title }: { isPage?: boolean | undefined; title: string }) => (isPage ? <Heading title={title} /> : <strong>{title}</strong>);

export function Empty({ title, isPage, children }: { title: string; isPage?: boolean; children?: ReactNode }) {
  return <div className="state"><Title isPage={isPage} title={title} />{children && <p>{children}</p>}</div>;
}

export function Loading({ what }: { what: string }) {
  return <div className="state" role="status"><div className="spinner" /><span>Loading {what} …</span></div>;
}

// `error` in the server's own words.
export function Failure({ what, error, again, isPage }: { what: string; error: Error; again?: () => void; isPage?: boolean | undefined }) {
  return (
    <div className="state failure" role="alert">
      <Title isPage={isPage} title={`${what} could not be loaded`} />
      <p>{error.message}</p>
      {again && <button className="button" onClick={again}>Try again</button>}
    </div>
  );
}

// Above what is shown, where it cannot be had anew. `updated`: when it came, in ms.
export function NotUpToDate({ error, updated }: { error: Error; updated: number }) {
  return <p className="notice" role="status">Not up to date, this is from <RelativeTime time={new Date(updated).toISOString()} />: {error.message}</p>;
}
// Above a log of which more could not be loaded.
export function MoreFailed({ error }: { error: Error }) {
  return <p className="notice" role="alert">More lines could not be loaded: {error.message}</p>;
}
// What the view around already says: parts of one answer fail together.
const Told = createContext('');

// The data of a query, or its state until there is any. What was loaded stays visible when a refetch fails, except where the server has it no more,
// or not for this person.
interface LoadedProps<T> { query: UseQueryResult<T, Error>; what: string; isPage?: boolean; children: (data: T) => ReactNode }
export function Loaded<T>({ query: { data, error, dataUpdatedAt, refetch }, what, isPage, children }: LoadedProps<T>) {
  const told = useContext(Told);
  if (error && (data === undefined || isGone(error))) return <Failure what={what[0]!.toUpperCase() + what.slice(1)} error={error} isPage={isPage} again={() => void refetch()} />;
  if (data === undefined) return <Loading what={what} />;
  return <Told value={error?.message ?? told}>{error && error.message !== told && <NotUpToDate error={error} updated={dataUpdatedAt} />}{children(data)}</Told>;
}
