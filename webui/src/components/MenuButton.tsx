// A button with a menu. Until it is pressed it is a plain one: see overlays.ts.
import type { KeyboardEvent, ReactNode } from 'react';
import { useState } from 'react';
import { useOverlays } from './overlays';

export interface MenuEntry { id: string; name: string; isOff?: boolean }
// `label`: the button's name, where what it shows is none. `menu`: the menu's.
export interface MenuProps {
  className: string; label?: string; menu: string; items: readonly MenuEntry[]; act: (id: string) => void;
  children: ReactNode;
}
export function MenuButton(props: MenuProps) {
  const [wasPressed, setPressed] = useState(false);
  const Shown = useOverlays(wasPressed)?.OpenMenu;
  if (wasPressed && Shown) return <Shown {...props} />;
  const { className, label, children } = props;
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    setPressed(true);
  };
  return (
    <button className={className} type="button" aria-label={label} aria-haspopup="menu" aria-expanded={wasPressed}
      onClick={() => setPressed(true)} onKeyDown={press}>{children}</button>
  );
}
