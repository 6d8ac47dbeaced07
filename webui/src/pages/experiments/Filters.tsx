import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { stateWords } from '../../lib/state';
import { kColumns, kUsual } from './columns';
import type { TableSearch } from './search';
import { kStates } from './search';

export function Filters({ search }: { search: TableSearch }) {
  const navigate = useNavigate({ from: '/experiments' });
  const change = (part: TableSearch) => void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  const [text, setText] = useState(search.q ?? '');
  useEffect(() => setText(search.q ?? ''), [search.q]);
  useEffect(() => {
    if (text === (search.q ?? '')) return;
    const timer = setTimeout(() => change({ q: text }), 250);
    return () => clearTimeout(timer);
  });
  const columns = search.cols?.split('.') ?? kUsual;
  return (
    <div className="cluster" role="search">
      <label><span className="hidden-label">Search names, descriptions, labels and ids</span>
        <input className="input" type="search" placeholder="Name, label or id" value={text} onChange={(event) => setText(event.target.value)} /></label>
      <select className="input" aria-label="State" value={search.state ?? ''} onChange={(event) => change({ state: event.target.value })}>
        <option value="">Any state</option>
        {kStates.map((state) => <option key={state} value={state}>{stateWords(state)[0]}</option>)}
      </select>
      <label className="cluster"><input type="checkbox" checked={search.archived === true} onChange={(event) => change({ archived: event.target.checked })} /> Archived too</label>
      <MenuTrigger>
        <Button className="button">Columns</Button>
        <Popover className="menu-popover">
          <Menu className="menu" aria-label="Columns" selectionMode="multiple" selectedKeys={columns} disallowEmptySelection
            onSelectionChange={(keys) => change({ cols: kColumns.map(({ key }) => key).filter((key) => keys === 'all' || keys.has(key)).join('.') })}>
            {kColumns.map(({ key, name }) => <MenuItem className="menu-item" id={key} key={key} textValue={name}>{({ isSelected }) => <>{isSelected ? '✓ ' : ' '}{name}</>}</MenuItem>)}
          </Menu>
        </Popover>
      </MenuTrigger>
    </div>
  );
}
