// A new experiment with the code of this one and a configuration of one's own, which the server checks while one writes.
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { parse, stringify } from 'yaml';
import { ApiError, ask, call } from '../../../api/client';
import type { Experiment } from '../../../api/queries';
import Editor from '../../../components/Editor';
import { useDraft } from '../../../lib/draft';
import { problems } from './problems';

// As it was handed in, in block style whatever it was written in; comments of YAML stay.
export function firstText({ originalConfig, config }: Experiment): string {
  const text = originalConfig ?? '';
  if (!text.trim()) return stringify(config);
  try {
    return text.trimStart().startsWith('{') ? stringify(parse(text)) : text;
  } catch {
    return text;
  }
}

function Verdict({ text, parent, project, show }: { text: string; parent: number; project: number; show: (line: number) => void }) {
  const [sent, setSent] = useState(text);
  useEffect(() => { const timer = setTimeout(() => setSent(text), 400); return () => clearTimeout(timer); }, [text]);
  const query = useQuery({
    queryKey: ['checked', parent, sent], gcTime: 10_000, staleTime: Infinity, retry: false, placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const told = await call('post', '/api/v1/experiments', { body: { config: sent, validateOnly: true, parentId: parent, projectId: project }, signal });
      // No verdict: the server was not reached, or could not look.
      if (!told.ok && (told.status === 0 || told.status >= 500)) throw new ApiError(told.status, told.message);
      return told;
    },
  });
  const isOld = sent !== text || query.isFetching;
  if (query.error && !query.isFetching) {
    return <p className="notice" role="status">The server could not look at it: {query.error.message} <button className="button" onClick={() => void query.refetch()}>Look again</button></p>;
  }
  if (!query.data) return <p className="soft" role="status">The server looks at it …</p>;
  if (!query.data.ok) {
    return (
      <div className="notice bad" role="status">
        <strong>{isOld ? 'It is looked at again …' : 'The server would refuse this:'}</strong>
        <ul className="problems">
          {problems(query.data.message).map(({ message, line }, i) => <li key={i}>{message}{line !== undefined && <> <button className="button" onClick={() => show(line)}>Go to line {line}</button></>}</li>)}
        </ul>
      </div>
    );
  }
  const warnings = [...(query.data.value.configWarnings ?? [])];
  return (
    <div className={`notice${warnings.length === 0 ? ' good' : ''}`} role="status">
      <strong>{isOld ? 'It is looked at again …' : 'The server would take this.'}</strong>
      {warnings.length > 0 && <ul className="problems">{warnings.map((warning) => <li key={warning}>{warning}</li>)}</ul>}
    </div>
  );
}

export default function Fork({ experiment }: { experiment: Experiment }) {
  const id = experiment.id ?? 0;
  const navigate = useNavigate();
  const [whole] = useState(() => firstText(experiment));
  const { draft, write, drop } = useDraft(`fork of experiment ${id}`, whole);
  const [first] = useState(draft ?? whole);  // what the editor begins with
  const text = draft ?? whole;
  const [isStarted, setStarted] = useState(true);
  const [line, setLine] = useState<{ line: number }>();
  const make = useMutation({
    mutationFn: () => ask('post', '/api/v1/experiments', { body: { config: text, parentId: id, projectId: experiment.projectId ?? 1, activate: isStarted } }),
    onSuccess: ({ experiment: made }) => { drop(); void navigate({ to: '/experiments/$id/$tab', params: { id: String(made?.id), tab: 'overview' } }); },
  });
  return (
    <section className="card stack">
      <h2>Fork experiment {id}</h2>
      <p className="soft">A new experiment with the same code. Change what is to be different; this one stays as it is.</p>
      <Editor text={first} label="Configuration of the fork, as YAML" language="yaml" onChange={write} isHeld={make.isPending} line={line} />
      <Verdict text={text} parent={id} project={experiment.projectId ?? 1} show={(to) => setLine({ line: to })} />
      {make.error && <p className="notice" role="alert">{make.error.message}</p>}
      <div className="cluster">
        <button className="button primary" disabled={make.isPending} onClick={() => make.mutate()}>{make.isPending ? 'Working …' : isStarted ? 'Fork and start' : 'Fork'}</button>
        <label className="cluster"><input type="checkbox" checked={isStarted} onChange={(event) => setStarted(event.target.checked)} /> Start it at once</label>
        <button className="button" onClick={() => { drop(); void navigate({ to: '/experiments/$id/$tab', params: { id: String(id), tab: 'overview' } }); }}>Do not fork</button>
      </div>
    </section>
  );
}
