// Messages to other servers: about states of experiments, lines of logs, and what programs say.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api/client';
import type { Schemas } from '../../api/client';
import type { Webhook } from '../../api/sections';
import { rightsQuery, webhooksQuery, workspacesQuery } from '../../api/sections';
import { Confirm, Frame } from '../../components/Dialog';
import type { Column } from '../../components/VirtualTable';
import { VirtualTable } from '../../components/VirtualTable';
import { WorkspaceChoice } from '../../components/choices';
import { useChange } from '../../components/change';
import { Field, FormDialog, textOf } from '../../components/forms';
import { may } from '../../components/rights';
import { RelativeTime } from '../../components/small';
import { Empty, Loaded } from '../../components/states';
import { startHere } from '../../lib/focus';
import { triggerWords } from './triggers';

const kOld = [['webhooks']];
type Trigger = Schemas['v1Trigger'];

function triggerOf(form: FormData): Trigger {
  const kind = textOf(form, 'trigger');
  if (kind === 'log') return { triggerType: 'TRIGGER_TYPE_TASK_LOG', condition: { regex: textOf(form, 'regex') } };
  if (kind === 'custom') return { triggerType: 'TRIGGER_TYPE_CUSTOM', condition: {} };
  return { triggerType: 'TRIGGER_TYPE_EXPERIMENT_STATE_CHANGE', condition: { state: kind } };
}

function NewWebhook({ close }: { close: () => void }) {
  const [kind, setKind] = useState('COMPLETED');
  const create = useChange((form: FormData) => ask('post', '/api/v1/webhooks', {
    body: {
      url: textOf(form, 'url'), name: textOf(form, 'name'), workspaceId: Number(form.get('workspaceId')), webhookType: form.get('form') === 'slack' ? 'WEBHOOK_TYPE_SLACK' : 'WEBHOOK_TYPE_DEFAULT',
      mode: form.get('mode') === 'specific' || kind === 'custom' ? 'WEBHOOK_MODE_SPECIFIC' : 'WEBHOOK_MODE_WORKSPACE', triggers: [triggerOf(form)],
    },
  }), kOld, close);
  return (
    <FormDialog title="New webhook" verb="Create" isBusy={create.isPending} error={create.error?.message} close={close} submit={create.mutate}>
      <Field label="Name"><input className="input" name="name" required maxLength={256} autoComplete="off" ref={startHere} /></Field>
      <Field label="Address" hint="Where messages are sent, such as https://hooks.slack.com/..."><input className="input" name="url" type="url" required autoComplete="off" /></Field>
      <div className="form-grid">
        <WorkspaceChoice all="All workspaces" />
        <Field label="Form"><select className="input" name="form"><option value="plain">JSON, signed</option><option value="slack">Slack</option></select></Field>
        <Field label="When"><select className="input" name="trigger" value={kind} onChange={(event) => setKind(event.target.value)}>
          <option value="COMPLETED">an experiment completes</option><option value="ERROR">an experiment fails</option>
          <option value="log">a line of a log matches</option><option value="custom">a program says so</option></select></Field>
        {kind !== 'custom' && <Field label="For"><select className="input" name="mode"><option value="workspace">every experiment there</option><option value="specific">experiments that name it</option></select></Field>}
      </div>
      {kind === 'log' && <Field label="Regular expression"><input className="input mono" name="regex" required autoComplete="off" placeholder="out of memory" /></Field>}
    </FormDialog>
  );
}

function Deliveries({ webhook, close }: { webhook: Webhook; close: () => void }) {
  const id = webhook.id ?? 0;
  const query = useQuery({ queryKey: ['webhooks', 'deliveries', id], queryFn: ({ signal }) => ask('get', '/api/v1/webhooks/{id}/deliveries', { path: { id }, query: { limit: 50 }, signal }) });
  return (
    <Frame title={`What ${webhook.name} sent`} isOpen isWide close={close}>
      <Loaded query={query} what="messages">
        {({ deliveries = [] }) => (deliveries.length === 0 ? <p className="soft">Nothing yet.</p> : (
          <div className="scroll" tabIndex={0} role="region" aria-label="Messages">
            <table className="plain-table">
              <thead><tr><th scope="col">When</th><th scope="col">Why</th><th scope="col">State</th><th scope="col" className="right">Attempts</th><th scope="col">Answer</th></tr></thead>
              <tbody>
                {deliveries.map((one) => (
                  <tr key={one.id}><td><RelativeTime time={one.createdAt} /></td><td>{triggerWords({ triggerType: one.triggerType ?? 'TRIGGER_TYPE_UNSPECIFIED' })}</td><td>{one.state}</td>
                    <td className="right number">{one.attempts}</td><td className="break">{one.error || one.status || '–'}</td></tr>
                ))}
              </tbody>
            </table>
          </div>
        ))}
      </Loaded>
      <div><button className="button" onClick={close}>Close</button></div>
    </Frame>
  );
}

// `tell` hears why nothing was sent.
function Test({ webhook, tell }: { webhook: Webhook; tell: (failure: string | undefined) => void }) {
  const test = useChange(() => ask('post', '/api/v1/webhooks/{id}/test', { path: { id: webhook.id ?? 0 } }), kOld);
  const words = test.isPending ? 'Sending …' : test.error ? 'Not sent' : test.data ? test.data.completed ? 'Sent' : 'Not sent' : 'Test';
  const press = () => test.mutate(undefined, {
    onSuccess: ({ completed }) => tell(completed ? undefined : `The message of ${webhook.name} did not arrive. “Sent” shows what the other server answered.`),
    onError: ({ message }) => tell(`The message of ${webhook.name} was not sent: ${message}`),
  });
  return <button className="button" aria-label={`Test ${webhook.name}: ${words}`} title="Send a message now" disabled={test.isPending} onClick={press}>{words}</button>;
}

export function Webhooks() {
  const query = useQuery(webhooksQuery);
  const workspaces = useQuery(workspacesQuery).data?.workspaces ?? [];
  const rights = useQuery(rightsQuery).data;
  const mayIn = (workspace: number) => rights !== undefined && may(rights, 'EDIT_WEBHOOKS', { workspace, owner: workspaces.find(({ id }) => id === workspace)?.userId });
  const mayCreate = rights !== undefined && (mayIn(0) || workspaces.some(({ id = 0 }) => mayIn(id)));
  const [open, setOpen] = useState<{ what: 'new' | 'sent' | 'delete'; webhook?: Webhook }>();
  const [failure, setFailure] = useState<string>();
  const close = () => setOpen(undefined);
  const remove = useChange((id: number) => ask('delete', '/api/v1/webhooks/{id}', { path: { id } }), kOld, close);
  const columns: readonly Column<Webhook>[] = [
    { key: 'name', name: 'Name', width: 'minmax(160px, 1fr)', cell: ({ name }) => <span title={name}>{name || '–'}</span> },
    { key: 'url', name: 'Address', width: 'minmax(200px, 2fr)', cell: ({ url }) => <span className="mono" title={url}>{url}</span> },
    { key: 'when', name: 'When', width: 'minmax(200px, 1fr)', cell: ({ triggers = [] }) => { const words = triggers.map(triggerWords).join(', '); return <span title={words}>{words}</span>; } },
    { key: 'where', name: 'Workspace', width: '150px', cell: ({ workspaceId }) => (workspaceId ? workspaces.find(({ id }) => id === workspaceId)?.name ?? workspaceId : 'All') },
    {
      key: 'do', name: 'Actions', width: '260px', cell: (webhook) => (!mayIn(webhook.workspaceId ?? 0) ? <span className="soft">–</span> : (
        <span className="cluster tight">
          <Test webhook={webhook} tell={setFailure} />
          <button className="button" aria-label={`What ${webhook.name} sent`} onClick={() => setOpen({ what: 'sent', webhook })}>Sent</button>
          <button className="button danger" aria-label={`Delete ${webhook.name}`} onClick={() => { remove.reset(); setOpen({ what: 'delete', webhook }); }}>Delete</button>
        </span>
      )),
    },
  ];
  return (
    <>
      <div className="spread"><p className="soft">They tell another server, such as a chat, what happens here.</p>{mayCreate && <button className="button primary" onClick={() => setOpen({ what: 'new' })}>New webhook</button>}</div>
      {failure && <p className="notice" role="alert">{failure}</p>}
      <Loaded query={query} what="webhooks">
        {({ webhooks = [] }) => (webhooks.length > 0 ? <VirtualTable label="Webhooks" columns={columns} count={webhooks.length} rowAt={(index) => webhooks[index]} rowKey={({ id = 0 }) => id} />
          : <div className="card"><Empty title="No webhooks yet">With one, your chat hears when an experiment fails.</Empty></div>)}
      </Loaded>
      {open?.what === 'new' && <NewWebhook close={close} />}
      {open?.what === 'sent' && open.webhook && <Deliveries webhook={open.webhook} close={close} />}
      {open?.what === 'delete' && (
        <Confirm title={`Delete webhook ${open.webhook?.name}?`} means="Nothing is sent to it any more." verb="Delete" isOpen isBusy={remove.isPending} error={remove.error?.message} close={close}
          act={() => remove.mutate(open.webhook?.id ?? 0)} />
      )}
    </>
  );
}
