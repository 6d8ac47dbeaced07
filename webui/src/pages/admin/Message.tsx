// The message that everybody sees.
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api/client';
import { useChange } from '../../components/change';
import { Field, textOf } from '../../components/forms';
import { Loaded } from '../../components/states';
import { Only } from './Only';

const kOld = [['message'], ['server']];

function Shown() {
  const query = useQuery({ queryKey: ['message'], queryFn: ({ signal }) => ask('get', '/api/v1/master/cluster_message', { signal }) });
  const keep = useChange((form: FormData) => ask('put', '/api/v1/master/cluster_message', {
    body: { message: textOf(form, 'message'), ...(textOf(form, 'hours') && { duration: `${textOf(form, 'hours')}h` }) },
  }), kOld);
  const remove = useChange(() => ask('delete', '/api/v1/master/cluster_message', {}), kOld);
  const error = keep.error ?? remove.error;
  return (
    <Loaded query={query} what="the message">
      {({ clusterMessage }) => (
        <form className="card stack" key={clusterMessage?.createdTime ?? ''} onSubmit={(event) => { event.preventDefault(); keep.mutate(new FormData(event.currentTarget)); }}>
          <p className="soft">{clusterMessage ? `Shown ${clusterMessage.endTime ? `until ${new Date(clusterMessage.endTime).toLocaleString()}` : 'until you take it away'}.` : 'Nothing is shown now.'}</p>
          <Field label="Message" hint="At the top of every page, and to those who use the command line. Up to 250 characters.">
            <input className="input" name="message" required maxLength={250} defaultValue={clusterMessage?.message} autoComplete="off" placeholder="Maintenance on Friday at 18:00: running experiments go on afterwards." /></Field>
          <Field label="Hours to show it" hint="Empty: until you take it away."><input className="input narrow" name="hours" type="number" min={1} max={8760} /></Field>
          {error && <p className="notice" role="alert">{error.message}</p>}
          <div className="cluster">
            <button className="button primary" disabled={keep.isPending}>Show it</button>
            {clusterMessage && <button className="button danger" type="button" disabled={remove.isPending} onClick={() => remove.mutate()}>Take it away</button>}
          </div>
        </form>
      )}
    </Loaded>
  );
}

export function Message() {
  return <Only permission="UPDATE_MASTER_CONFIG" what="set the message to all users"><Shown /></Only>;
}
