// What a view shows when it has nothing, waits, or failed. Every view has all three.
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Heading } from './Heading';

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

// The data of a query, or its state until there is any. What was loaded stays visible when a refetch fails.
interface LoadedProps<T> { query: UseQueryResult<T, Error>; what: string; isPage?: boolean; children: (data: T) => ReactNode }
export function Loaded<T>({ query, what, isPage, children }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Failure what={what[0]!.toUpperCase() + what.slice(1)} error={query.error} isPage={isPage} again={() => void query.refetch()} />;
  return <Loading what={what} />;
}
