// The model code: its files as a tree, each to be read, and what changed since the experiment that this one was forked from.
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Suspense, lazy, useState } from 'react';
import { address } from '../../../api/client';
import type { Experiment } from '../../../api/queries';
import { Empty, Loaded, Loading } from '../../../components/states';
import { bytes } from '../../../lib/format';
import type { File } from '../../../lib/tar';
import { textOf } from '../../../lib/tar';
import { codeQuery } from './query';
import type { Change, Node } from './tree';
import { changesOf, firstFile, treeOf } from './tree';
import './code.css';

const Editor = lazy(() => import('../../../components/Editor'));
const Diff = lazy(() => import('../../../components/Diff'));
const kAsk = 8 * 1024 * 1024;  // packed; more is loaded when it is asked for
const kNames: Record<Change, string> = { added: 'new', removed: 'removed', changed: 'changed' };

function Tree({ node, chosen, changes }: { node: Node; chosen: string | undefined; changes: Map<string, Change> }) {
  return (
    <ul className="tree">
      {node.folders.map((folder) => (
        <li key={folder.path}><details open><summary>{folder.name}/</summary><Tree node={folder} chosen={chosen} changes={changes} /></details></li>
      ))}
      {node.files.map(({ name, path }) => {
        const change = changes.get(path);
        return (
          <li key={path}>
            <Link from="/experiments/$id/$tab" to="." search={(before) => ({ ...before, file: path })} resetScroll={false} className={`tree-file${path === chosen ? ' chosen' : ''}`} aria-current={path === chosen ? 'true' : undefined}>
              <span>{name}</span>{change && <span className={`tree-change ${change}`}>{kNames[change]}</span>}
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

function Shown({ id, path, file, old, parent }: { id: number; path: string; file: File | undefined; old: File | undefined; parent: number | undefined }) {
  const { view } = useSearch({ from: '/experiments/$id/$tab' });
  const navigate = useNavigate({ from: '/experiments/$id/$tab' });
  const isDiff = parent !== undefined && (view === 'diff' || file === undefined);
  const content = file && textOf(file);
  const before = old && textOf(old);
  const isText = (file === undefined || content !== undefined) && (!isDiff || old === undefined || before !== undefined);
  return (
    <section className="stack code-file">
      <div className="spread">
        <h2 className="mono">{path}</h2>
        <div className="cluster">
          {file && <span className="soft number">{bytes(file.content.length)}</span>}
          {parent !== undefined && file && (
            <button className="button" aria-pressed={isDiff} onClick={() => void navigate({ search: (now) => ({ ...now, view: isDiff ? undefined : 'diff' }), resetScroll: false })}>Changes since experiment {parent}</button>
          )}
          {file && <a className="button" href={address('/experiments/{id}/file/download', { id }, { path }).href} download={path.split('/').pop()}>Download</a>}
        </div>
      </div>
      <Suspense fallback={<Loading what="the file" />}>
        {!isText ? <Empty title="This file is not shown">It is no text, or too large. Download it instead.</Empty>
          : isDiff ? <Diff before={before ?? ''} after={content ?? ''} label={`Changes of ${path}`} same={`It is as in experiment ${parent}.`} />
            : content === '' ? <Empty title="An empty file" />
              : <PlainOrCode path={path} text={content ?? ''} />}
      </Suspense>
    </section>
  );
}

const PlainOrCode = lazy(async () => {
  const { languageOf } = await import('../../../components/Editor');
  return { default: ({ path, text }: { path: string; text: string }) => <Editor text={text} label={path} language={languageOf(path)} /> };
});

// `changed`: how many files; undefined until the other code is there. `error`: why it does not come.
interface SinceProps { parent: number; changed: number | undefined; error: Error | null }
export function Since({ parent, changed, error }: SinceProps) {
  const other = `experiment ${parent}`;
  if (changed === 0) return <p className="soft">The same as in {other}.</p>;
  if (changed !== undefined) return <p className="soft">{changed} changed since {other}.</p>;
  return error && <p className="notice" role="status">What changed since {other} cannot be shown: {error.message}</p>;
}

interface FilesProps extends Omit<SinceProps, 'parent' | 'changed'> {
  id: number; files: File[]; old: File[] | undefined; parent: number | undefined;
}
function Files({ id, files, old, parent, error }: FilesProps) {
  const { file: asked } = useSearch({ from: '/experiments/$id/$tab' });
  const changes = old ? changesOf(old, files) : new Map<string, Change>();
  const paths = [...new Set([...files, ...(old ?? [])].map(({ path }) => path))];
  const chosen = asked ?? firstFile(files) ?? paths[0];
  const isThere = chosen !== undefined && paths.includes(chosen);
  return (
    <section className="card code">
      <nav className="stack code-tree" aria-label="Files">
        <div className="cluster"><span className="soft number">{files.length} {files.length === 1 ? 'file' : 'files'}</span><a href={address('/experiments/{id}/model_def', { id }).href} download>Download all</a></div>
        {parent !== undefined && <Since parent={parent} changed={old && changes.size} error={error} />}
        <Tree node={treeOf(paths)} chosen={chosen} changes={changes} />
      </nav>
      {isThere ? <Shown id={id} path={chosen} file={files.find(({ path }) => path === chosen)} old={old?.find(({ path }) => path === chosen)} parent={old ? parent : undefined} />
        : <Empty title="There is no such file here">Choose one on the left.</Empty>}
    </section>
  );
}

export default function CodeTab({ experiment }: { experiment: Experiment }) {
  const id = experiment.id ?? 0;
  const parent = experiment.forkedFrom ?? undefined;
  const size = experiment.modelDefinitionSize ?? 0;
  const [isWanted, setWanted] = useState(size <= kAsk);
  const query = useQuery({ ...codeQuery(id), enabled: isWanted });
  const old = useQuery({ ...codeQuery(parent ?? 0), enabled: isWanted && parent !== undefined });
  if (!isWanted) {
    return (
      <section className="card"><Empty title={`The code is packed into ${bytes(size)}`}>
        <button className="button" onClick={() => setWanted(true)}>Load it here</button> <a href={address('/experiments/{id}/model_def', { id }).href} download>Download it</a></Empty></section>
    );
  }
  return (
    <Loaded query={query} what="the code">
      {(files) => (files.length === 0 ? <section className="card"><Empty title="This experiment has no code of its own">What it runs is in its image, or outside of the cluster.</Empty></section>
        : <Files id={id} files={files} old={old.data} parent={parent} error={old.error} />)}
    </Loaded>
  );
}
