// What a page is called: on the page, in the browser's tab, its history and bookmarks.
import type { ReactNode } from 'react';
import { useEffect, useRef } from 'react';

const kProduct = 'det-operator';

// `children`: what the page itself shows of it, where that is more than `title`.
export function Heading({ title, children }: { title: string; children?: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!heading.current?.isConnected) return undefined;  // of a page that is set aside while the next one's code comes
    document.title = `${title} · ${kProduct}`;
    return () => { document.title = kProduct; };
  }, [title]);
  return <h1 ref={heading}>{children ?? title}</h1>;
}
