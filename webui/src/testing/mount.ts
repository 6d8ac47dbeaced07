// What a component does while it is there, in tests without a browser. Nothing is drawn: the component gives null, and
// so does what it has in it.
import { act as flushed } from 'preact/test-utils';
import type { ReactElement } from 'react';
import { vi } from 'vitest';

// As much of a document as is asked about where there is nothing to draw.
const listens = { addEventListener: () => {}, removeEventListener: () => {} };
const page = {
  ...listens, nodeType: 9, visibilityState: 'visible', baseURI: 'http://host/ui/', activeElement: null, body: null,
  defaultView: { HTMLIFrameElement: class {} },
  createElement: () => element(),
};
const element = () => ({
  ...listens, nodeType: 1, nodeName: 'DIV', tagName: 'DIV', namespaceURI: 'http://www.w3.org/1999/xhtml',
  ownerDocument: page, textContent: '',
});

// Does it, and has all drawn that follows from it.
export const act = (what: () => unknown): Promise<void> => flushed(async () => { await what(); });

export interface Mounted { draw: (element: ReactElement) => Promise<void>; leave: () => Promise<void> }
// Once for a test: `vi.unstubAllGlobals` ends what it lends.
export async function mount(what: ReactElement): Promise<Mounted> {
  vi.stubGlobal('document', page);
  vi.stubGlobal('window', { ...listens, document: page });
  const { createRoot } = await import('react-dom/client');
  const root = createRoot(element() as unknown as Element);
  const draw = (one: ReactElement) => act(async () => root.render(one));
  await draw(what);
  return { draw, leave: () => act(async () => root.unmount()) };
}

interface Props { children?: unknown; onClick?: () => void; [name: string]: unknown }
// Of the first element in what a component gave that is so: what nothing draws, a test presses by itself.
export function propsOf(shown: unknown, isIt: (props: Props) => boolean): Props {
  const find = (one: unknown): Props | undefined => {
    if (Array.isArray(one)) return one.map(find).find(Boolean);
    const props = (one as { props?: Props } | null | undefined)?.props;
    return props && (isIt(props) ? props : find(props.children));
  };
  const found = find(shown);
  if (!found) throw new Error('Nothing that is shown is so.');
  return found;
}
