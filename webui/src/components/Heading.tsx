// What a page is called: on the page, in the browser's tab, its history and bookmarks.
import type { ReactNode } from 'react';
import { useEffect } from 'react';

const kProduct = 'det-operator';

// `children`: what the page itself shows of it, where that is more than `title`.
export function Heading({ title, children }: { title: string; children?: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · ${kProduct}`;
    return () => { document.title = kProduct; };
  }, [title]);
  return <h1>{children ?? title}</h1>;
}
