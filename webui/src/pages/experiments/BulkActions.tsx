// What is done with experiments that are ticked. To compare them is for everybody.
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { rightsQuery } from '../../api/sections';
import { Confirm } from '../../components/Dialog';
import { useAction } from '../../components/act';
import { mayDoAnywhere } from '../../components/rights';
import type { Action } from '../../lib/state';
import { kActionWords } from '../../lib/state';

const kActions: readonly Action[] = ['pause', 'activate', 'cancel', 'kill', 'archive', 'delete'];

const kMostCompared = 100;

// `others`: how many of them were ticked in another list than the one that is shown, which has `total`.
interface Props { ids: readonly number[]; others: number; clear: () => void; total: number | undefined; isChoosing: boolean; chooseAll: () => void }
export function BulkActions({ ids, others, clear, total, isChoosing, chooseAll }: Props) {
  const [asked, setAsked] = useState<Action>();
  const action = useAction(() => { setAsked(undefined); clear(); });
  const navigate = useNavigate();
  const rights = useQuery(rightsQuery).data;
  const what = ids.length === 1 ? '1 experiment' : `${ids.length.toLocaleString('en')} experiments`;
  const elsewhere = others > 0 ? `${others.toLocaleString('en')} of them under another filter` : '';
  return (
    <div className="cluster" role="toolbar" aria-label="What to do with the chosen experiments">
      <strong>{what} chosen{elsewhere && `, ${elsewhere}`}</strong>
      <button className="button" disabled={ids.length < 2 || ids.length > kMostCompared} title={`2 to ${kMostCompared} experiments`} onClick={() => void navigate({ to: '/compare', search: { experiments: [...ids] } })}>Compare</button>
      {kActions.filter((one) => mayDoAnywhere(rights, one)).map((one) => (
        <button key={one} className={`button${one === 'kill' || one === 'delete' ? ' danger' : ''}`} disabled={action.isPending} onClick={() => { action.reset(); setAsked(one); }}>{kActionWords[one].name}</button>
      ))}
      {total !== undefined && ids.length - others < Math.min(total, 10_000) && (
        <button className="button plain" disabled={isChoosing} onClick={chooseAll}>{isChoosing ? 'Choosing …' : `Choose all ${Math.min(total, 10_000).toLocaleString('en')}`}</button>
      )}
      <button className="button plain" onClick={clear}>Choose none</button>
      {asked && (
        <Confirm title={`${kActionWords[asked].name} ${what}?`} means={`${elsewhere && `You chose ${elsewhere}. `}${kActionWords[asked].means}`} verb={kActionWords[asked].name} isOpen isBusy={action.isPending}
          error={action.error?.message} close={() => setAsked(undefined)} act={() => action.mutate({ action: asked, ids })} />
      )}
    </div>
  );
}
