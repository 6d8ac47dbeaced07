// What is done with experiments that are ticked. To compare them is for everybody.
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { rightsQuery } from '../../api/sections';
import { Confirm } from '../../components/Dialog';
import { useAction } from '../../components/act';
import { mayDoAnywhere } from '../../components/rights';
import { grouped } from '../../lib/format';
import type { Action } from '../../lib/state';
import { kActionWords } from '../../lib/state';
import { kMost } from './all';

const kActions: readonly Action[] = ['pause', 'activate', 'cancel', 'kill', 'archive', 'delete'];

const kMostCompared = 100;

const countOf = (ids: readonly number[]) => (ids.length === 1 ? '1 experiment' : `${grouped(ids.length)} experiments`);
const elsewhereOf = (others: number) => (others > 0 ? `${grouped(others)} of them under another filter` : '');

// What is asked about: those that were chosen when the button was pressed, whatever is chosen meanwhile.
export interface Asked { action: Action; ids: readonly number[]; others: number }
export function questionOf({ action, ids, others }: Asked): { title: string; means: string } {
  const elsewhere = elsewhereOf(others);
  return { title: `${kActionWords[action].name} ${countOf(ids)}?`, means: `${elsewhere && `You chose ${elsewhere}. `}${kActionWords[action].means}` };
}

// `others`: how many of them were ticked in another list than the one that is shown, which has `total`.
interface Props { ids: readonly number[]; others: number; clear: () => void; total: number | undefined; isChoosing: boolean; chooseAll: () => void }
export function BulkActions({ ids, others, clear, total, isChoosing, chooseAll }: Props) {
  const [asked, setAsked] = useState<Asked>();
  const action = useAction(() => { setAsked(undefined); clear(); });
  const navigate = useNavigate();
  const rights = useQuery(rightsQuery).data;
  const elsewhere = elsewhereOf(others);
  return (
    <div className="cluster" role="toolbar" aria-label="What to do with the chosen experiments">
      <strong>{countOf(ids)} chosen{elsewhere && `, ${elsewhere}`}</strong>
      <button className="button" disabled={ids.length < 2 || ids.length > kMostCompared} title={`2 to ${kMostCompared} experiments`} onClick={() => void navigate({ to: '/compare', search: { experiments: [...ids] } })}>Compare</button>
      {kActions.filter((one) => mayDoAnywhere(rights, one)).map((one) => (
        <button key={one} className={`button${one === 'kill' || one === 'delete' ? ' danger' : ''}`} disabled={action.isPending || isChoosing} onClick={() => { action.reset(); setAsked({ action: one, ids, others }); }}>{kActionWords[one].name}</button>
      ))}
      {total !== undefined && ids.length - others < Math.min(total, kMost) && (
        <button className="button plain" disabled={isChoosing} onClick={chooseAll}>{isChoosing ? 'Choosing …' : `Choose all ${grouped(Math.min(total, kMost))}`}</button>
      )}
      <button className="button plain" onClick={clear}>Choose none</button>
      {asked && (
        <Confirm {...questionOf(asked)} verb={kActionWords[asked.action].name} isOpen isBusy={action.isPending}
          error={action.error?.message} close={() => setAsked(undefined)} act={() => action.mutate(asked)} />
      )}
    </div>
  );
}
