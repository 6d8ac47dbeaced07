// What a view shows when it has nothing, waits, or failed. Every view has all three.
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return <div className="state"><strong>{title}</strong>{children && <p>{children}</p>}</div>;
}

export function Loading({ what }: { what: string }) {
  return <div className="state" role="status"><div className="spinner" /><span>Loading {what} …</span></div>;
}

// `error` in the server's own words.
export function Failure({ what, error, again }: { what: string; error: Error; again?: () => void }) {
  return (
    <div className="state failure" role="alert">
      <strong>{what} could not be loaded</strong>
      <p>{error.message}</p>
      {again && <button className="button" onClick={again}>Try again</button>}
    </div>
  );
}

// The data of a query, or its state until there is any. What was loaded stays visible when a refetch fails.
export function Loaded<T>({ query, what, children }: { query: UseQueryResult<T, Error>; what: string; children: (data: T) => ReactNode }) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Failure what={what[0]!.toUpperCase() + what.slice(1)} error={query.error} again={() => void query.refetch()} />;
  return <Loading what={what} />;
}
