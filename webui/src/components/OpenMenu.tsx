// A button with a menu, which opens as soon as it is drawn: in place of the plain one that was pressed.
import { useEffect, useState } from 'react';
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import type { MenuProps } from './MenuButton';

export default function OpenMenu({ className, label, children, menu, items, act }: MenuProps) {
  // Not at once: what has the focus when it opens gets it back, and the plain button goes.
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(true), []);
  const off = items.filter(({ isOff }) => isOff).map(({ id }) => id);
  return (
    <MenuTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <Button className={className} autoFocus {...(label !== undefined && { 'aria-label': label })}>{children}</Button>
      <Popover className="menu-popover" placement="bottom end">
        <Menu className="menu" aria-label={menu} onAction={(key) => act(String(key))} disabledKeys={off}>
          {items.map(({ id, name }) => <MenuItem className="menu-item" key={id} id={id}>{name}</MenuItem>)}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
