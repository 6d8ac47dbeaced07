// Paths as folders and files, and what differs between two sets of files.
import type { File } from '../../../lib/tar';

export interface Node { name: string; path: string; folders: Node[]; files: { name: string; path: string }[] }

export function treeOf(paths: readonly string[]): Node {
  const root: Node = { name: '', path: '', folders: [], files: [] };
  for (const path of [...paths].sort()) {
    const names = path.split('/');
    let node = root;
    for (const name of names.slice(0, -1)) {
      let next = node.folders.find((folder) => folder.name === name);
      if (!next) node.folders.push(next = { name, path: node.path ? `${node.path}/${name}` : name, folders: [], files: [] });
      node = next;
    }
    node.files.push({ name: names[names.length - 1]!, path });
  }
  return root;
}

export type Change = 'added' | 'removed' | 'changed';
const isSame = (a: Uint8Array, b: Uint8Array) => a.length === b.length && a.every((byte, i) => byte === b[i]);

export function changesOf(before: readonly File[], after: readonly File[]): Map<string, Change> {
  const old = new Map(before.map(({ path, content }) => [path, content]));
  const changes = new Map<string, Change>();
  for (const { path, content } of after) {
    const was = old.get(path);
    if (!was) changes.set(path, 'added');
    else if (!isSame(was, content)) changes.set(path, 'changed');
    old.delete(path);
  }
  for (const path of old.keys()) changes.set(path, 'removed');
  return changes;
}

// What is shown before somebody chooses: Python that is not empty, the least deep.
export function firstFile(files: readonly File[]): string | undefined {
  const depth = (path: string) => path.split('/').length;
  const programs = files.filter(({ path, content }) => /\.py$/.test(path) && content.length > 0).sort((a, b) => depth(a.path) - depth(b.path));
  return (programs[0] ?? files[0])?.path;
}
