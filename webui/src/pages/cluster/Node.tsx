// A node with its slots, each a cell.
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../../api/client';
import type { Schemas } from '../../api/client';
import type { Agent } from '../../api/sections';
import { Confirm, Frame } from '../../components/Dialog';
import { useChange } from '../../components/change';
import type { Holder } from './holders';
import { kSlotWords, slotState } from './holders';

type Slot = Schemas['v1Slot'];
const kOld = [['queue']];

function HolderLink({ holder }: { holder: Holder }) {
  if (holder.trial !== undefined) return <Link to="/trials/$id/$tab" params={{ id: String(holder.trial), tab: 'metrics' }}>{holder.name}</Link>;
  return <Link to="/tasks/$id/logs" params={{ id: holder.task ?? '' }}>{holder.name}</Link>;
}

interface SlotProps { agent: Agent; slot: Slot; holder: Holder | undefined; mayChange: boolean; close: () => void }
function SlotDialog({ agent, slot, holder, mayChange, close }: SlotProps) {
  const path = { id: agent.id ?? '', slot: Number(slot.id) };
  const change = useChange((isOn: boolean) => (isOn
    ? ask('post', '/api/v1/agents/{id}/slots/{slot}/enable', { path }) : ask('post', '/api/v1/agents/{id}/slots/{slot}/disable', { path, body: { drain: true } })), kOld, close);
  const isOn = slot.enabled !== false && !slot.draining;
  return (
    <Frame title={`Slot ${slot.id} of ${agent.id}`} isOpen isBusy={change.isPending} close={close}>
      <dl className="facts">
        <div><dt>State</dt><dd>{kSlotWords[slotState(slot)]}</dd></div>
        <div><dt>Device</dt><dd>{[slot.device?.type?.replace(/^TYPE_/, ''), slot.device?.brand].filter(Boolean).join(' ') || '–'}</dd></div>
        <div><dt>Held by</dt><dd>{holder ? <HolderLink holder={holder} /> : slot.container ? slot.container.permissionDenied ? 'somebody else' : slot.container.id : 'nobody'}</dd></div>
      </dl>
      {change.error && <p className="notice" role="alert">{change.error.message}</p>}
      <div className="cluster">
        {mayChange && <button className="button" disabled={change.isPending} onClick={() => change.mutate(!isOn)}>{isOn ? 'Give it to nobody new' : 'Use it again'}</button>}
        <button className="button" disabled={change.isPending} onClick={close}>Close</button>
      </div>
    </Frame>
  );
}

interface Props { agent: Agent; held: ReadonlyMap<string, Holder>; mayChange: boolean }
export function Node({ agent, held, mayChange }: Props) {
  const [shown, setShown] = useState<string>();
  const [isAsked, setAsked] = useState(false);
  const path = { id: agent.id ?? '' };
  const change = useChange((isOn: boolean) => (isOn
    ? ask('post', '/api/v1/agents/{id}/enable', { path }) : ask('post', '/api/v1/agents/{id}/disable', { path, body: { drain: true } })), kOld, () => setAsked(false));
  const slots = Object.entries(agent.slots ?? {}).sort(([one], [other]) => one.localeCompare(other)).map(([, slot]) => slot);
  const used = slots.filter(({ container }) => container).length;
  const isOn = agent.enabled !== false && !agent.draining;
  const open = slots.find(({ id }) => id === shown);
  return (
    <section className="card stack" aria-label={`Node ${agent.id}`}>
      <div className="spread">
        <div className="cluster">
          <h3>{agent.id}</h3>
          {!isOn && <span className="badge wait">{agent.enabled === false && !agent.draining ? 'Switched off' : 'Takes nothing new'}</span>}
          <span className="soft">{agent.resourcePools?.join(', ')} · {used} of {slots.length} slots in use</span>
        </div>
        {mayChange && (isOn
          ? <button className="button" aria-label={`Disable ${agent.id}`} onClick={() => { change.reset(); setAsked(true); }}>Disable</button>
          : <button className="button" aria-label={`Enable ${agent.id}`} disabled={change.isPending} onClick={() => change.mutate(true)}>Enable</button>)}
      </div>
      {change.error && !isAsked && <p className="notice" role="alert">{change.error.message}</p>}
      {slots.length === 0 ? <p className="soft">This node has no slots.</p> : (
        <ul className="slots" aria-label={`Slots of ${agent.id}`}>
          {slots.map((slot) => {
            const state = slotState(slot);
            const holder = held.get(slot.container?.id ?? '');
            const words = `Slot ${slot.id}: ${kSlotWords[state]}${holder ? `, by ${holder.name}` : ''}`;
            return <li key={slot.id}><button className={`slot ${state}`} title={words} aria-label={words} onClick={() => setShown(slot.id)}><span aria-hidden>{slot.id}</span></button></li>;
          })}
        </ul>
      )}
      {open && <SlotDialog agent={agent} slot={open} holder={held.get(open.container?.id ?? '')} mayChange={mayChange} close={() => setShown(undefined)} />}
      {isAsked && (
        <Confirm title={`Disable node ${agent.id}?`} means="Nothing new starts there. What runs there goes on until it ends." verb="Disable" isOpen isBusy={change.isPending}
          error={change.error?.message} close={() => setAsked(false)} act={() => change.mutate(false)} />
      )}
    </section>
  );
}
