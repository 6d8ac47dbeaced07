// What can be done with an experiment, of what one may: the frequent things as buttons, the others in a menu.
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Experiment } from '../../../api/queries';
import { rightsQuery } from '../../../api/sections';
import { Confirm } from '../../../components/Dialog';
import { MenuButton } from '../../../components/MenuButton';
import { useAction } from '../../../components/act';
import { mayDo } from '../../../components/rights';
import type { Action } from '../../../lib/state';
import { actionsOf, isOver, kActionWords, kUnmanagedEnd } from '../../../lib/state';
import { ContinueDialog } from './ContinueDialog';
import { LabelsDialog } from './LabelsDialog';
import { MoveDialog } from './MoveDialog';

type Other = 'continue' | 'labels' | 'move';
const kOthers: readonly (readonly [Other, string])[] = [['continue', 'Continue it'], ['labels', 'Change labels'], ['move', 'Move to another project']];

export function Actions({ experiment }: { experiment: Experiment }) {
  const id = experiment.id ?? 0;
  const [asked, setAsked] = useState<Action>();
  const [other, setOther] = useState<Other>();
  const navigate = useNavigate();
  const action = useAction(() => {
    if (asked === 'delete') void navigate({ to: '/experiments' });
    setAsked(undefined);
  });
  const act = (one: Action) => {
    action.reset();
    if (one === 'pause' || one === 'activate' || one === 'unarchive') action.mutate({ action: one, ids: [id] });
    else setAsked(one);
  };
  const rights = useQuery(rightsQuery).data;
  const others = kOthers.filter(([one]) => mayDo(rights, one, experiment));
  const isUnmanaged = experiment.unmanaged === true;
  const mayGoOn = isOver(experiment.state ?? '') && !isUnmanaged;
  const close = () => setOther(undefined);
  return (
    <div className="cluster">
      {actionsOf(experiment.state ?? '', experiment.archived === true, isUnmanaged).filter((one) => mayDo(rights, one, experiment)).map((one) => (
        <button key={one} className={`button${one === 'kill' || one === 'delete' ? ' danger' : ''}`} disabled={action.isPending} onClick={() => act(one)}>{kActionWords[one].name}</button>
      ))}
      {mayDo(rights, 'fork', experiment) && <button className="button" onClick={() => void navigate({ to: '/experiments/$id/$tab', params: { id: String(id), tab: 'fork' } })}>Fork</button>}
      {others.length > 0 && (
        <MenuButton className="button" menu="More" act={(one) => setOther(one as Other)}
          items={others.map(([id, name]) => ({ id, name, isOff: id === 'continue' && !mayGoOn }))}>
          More <span aria-hidden>▾</span>
        </MenuButton>
      )}
      {action.error && !asked && <p className="notice" role="alert">{action.error.message}</p>}
      {asked && (
        <Confirm title={`${kActionWords[asked].name} experiment ${id}?`} means={isUnmanaged && (asked === 'cancel' || asked === 'kill') ? kUnmanagedEnd : kActionWords[asked].means} verb={kActionWords[asked].name} isOpen
          isBusy={action.isPending} error={action.error?.message} close={() => setAsked(undefined)} act={() => action.mutate({ action: asked, ids: [id] })} />
      )}
      {other === 'continue' && <ContinueDialog experiment={experiment} close={close} />}
      {other === 'labels' && <LabelsDialog experiment={experiment} close={close} />}
      {other === 'move' && <MoveDialog experiment={experiment} close={close} />}
    </div>
  );
}
