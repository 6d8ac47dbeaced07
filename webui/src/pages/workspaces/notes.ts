// The notes of a project are kept all together: a change is made in those that there are now, which somebody else may have changed meanwhile.
import type { Schemas } from '../../api/client';
import { ask } from '../../api/client';

export type Note = Schemas['v1Note'];
// `before`: the note as it is shown.
export type NoteChange = { kind: 'remove'; before: Note } | { kind: 'write'; before: Note; contents: string };

// Undefined where the note is not there as it is shown.
export function changed(notes: readonly Note[], change: NoteChange): Note[] | undefined {
  const at = notes.findIndex(({ name, contents }) => (name ?? '') === (change.before.name ?? '') && (contents ?? '') === (change.before.contents ?? ''));
  if (at < 0) return undefined;
  return change.kind === 'remove' ? notes.filter((_, index) => index !== at) : notes.map((one, index) => (index === at ? { ...one, contents: change.contents } : one));
}

export const addNote = (id: number, body: Note) => ask('post', '/api/v1/projects/{id}/notes', { path: { id }, body });

export async function changeNote(id: number, change: NoteChange) {
  const { project } = await ask('get', '/api/v1/projects/{id}', { path: { id } });
  const notes = changed(project?.notes ?? [], change);
  if (!notes) throw new Error('Somebody changed or removed this note meanwhile. Look at it again.');
  return ask('put', '/api/v1/projects/{id}/notes', { path: { id }, body: { notes } });
}

// What a note stays while others come and go: its name, and which it is of those that have that name.
export function keysOfNotes(notes: readonly Note[]): string[] {
  const seen = new Map<string, number>();
  return notes.map(({ name = '' }) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name} (${count})`;
  });
}
