// A button with a menu: https://www.w3.org/WAI/ARIA/apg/patterns/menu-button/.
import type { KeyboardEvent, ReactNode } from 'react';
import { useId, useLayoutEffect, useRef, useState } from 'react';
import { nextItem, placeBelow } from './menu';

export interface MenuEntry { id: string; name: string; isOff?: boolean }
// `label`: the button's name, where what it shows is none. `menu`: the menu's.
interface MenuProps {
  className: string; label?: string; menu: string; items: readonly MenuEntry[]; act: (id: string) => void;
  children: ReactNode;
}

type From = 'first' | 'last';
export function MenuButton({ className, label, menu, items, act, children }: MenuProps) {
  const [from, open] = useState<From>();
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    open(event.key === 'ArrowUp' ? 'last' : 'first');
  };
  const close = () => open(undefined);
  return (
    <>
      <button className={className} type="button" ref={button} aria-label={label} aria-haspopup="menu" aria-expanded={from !== undefined} aria-controls={from && id}
        onClick={() => open(from === undefined ? 'first' : undefined)} onKeyDown={press}>{children}</button>
      {from && <Items id={id} menu={menu} items={items} from={from} button={button} close={close} act={act} />}
    </>
  );
}

interface ItemsProps extends Pick<MenuProps, 'menu' | 'items' | 'act'> { id: string; from: From; button: { current: HTMLButtonElement | null }; close: () => void }
function Items({ id, menu, items, from, button, close, act }: ItemsProps) {
  const list = useRef<HTMLDivElement>(null);
  const entries = () => [...list.current!.children] as HTMLElement[];
  useLayoutEffect(() => {
    const shown = list.current!;
    shown.showPopover();  // above everything, also above the dialog it is in
    const place = () => {
      const { left, top } = placeBelow(button.current!.getBoundingClientRect(), shown.getBoundingClientRect(), { width: innerWidth, height: innerHeight });
      shown.style.left = `${left}px`;
      shown.style.top = `${top}px`;
    };
    place();
    entries().at(from === 'first' ? 0 : -1)?.focus();
    const leave = ({ target }: Event) => { if (!shown.contains(target as Node) && !button.current?.contains(target as Node)) close(); };
    document.addEventListener('pointerdown', leave, true);
    document.addEventListener('focusin', leave);
    addEventListener('scroll', place, { capture: true, passive: true });
    addEventListener('resize', place);
    return () => {
      document.removeEventListener('pointerdown', leave, true);
      document.removeEventListener('focusin', leave);
      removeEventListener('scroll', place, true);
      removeEventListener('resize', place);
    };
  }, []);
  const back = () => { button.current?.focus(); close(); };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Tab') return back();  // and on from the button
    event.stopPropagation();
    if (event.key === 'Escape') { event.preventDefault(); return back(); }
    const all = entries();
    const next = nextItem(all.map((entry) => entry.textContent), all.indexOf(document.activeElement as HTMLElement), event);
    if (next === undefined) return undefined;
    event.preventDefault();
    return all[next]?.focus();
  };
  return (
    <div className="menu" id={id} role="menu" aria-label={menu} popover="manual" ref={list} onKeyDown={press} onClick={(event) => event.stopPropagation()}>
      {items.map(({ id: key, name, isOff }) => (
        <button key={key} className="menu-item" type="button" role="menuitem" tabIndex={-1} aria-disabled={isOff} onPointerMove={(event) => event.currentTarget.focus()}
          onClick={() => { if (!isOff) { back(); act(key); } }}>{name}</button>
      ))}
    </div>
  );
}
