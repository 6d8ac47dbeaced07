// The notes of a project: pages with names. They are kept all together, as the server has them.
import { useState } from 'react';
import { ask } from '../../api/client';
import type { Project } from '../../api/sections';
import { Confirm } from '../../components/Dialog';
import { NotesEditor } from '../../components/NotesEditor';
import { useChange } from '../../components/change';
import { Field, FormDialog, textOf } from '../../components/forms';
import { Empty } from '../../components/states';
import { useDraft } from '../../lib/draft';
import type { Note, NoteChange } from './notes';
import { changed, keysOfNotes } from './notes';

export function ProjectNotes({ project, mayChange }: { project: Project; mayChange: boolean }) {
  const id = project.id ?? 0;
  const notes = project.notes ?? [];
  const [asked, setAsked] = useState<'new' | { remove: Note }>();
  const close = () => setAsked(undefined);
  const { draft = '', write, drop } = useDraft(`project ${id}, new note`, '');
  const keep = useChange(async (change: NoteChange) => {
    const now = await ask('get', '/api/v1/projects/{id}', { path: { id } });
    const all = changed(now.project?.notes ?? [], change);
    if (!all) throw new Error('Somebody changed or removed this note meanwhile. Look at it again.');
    return ask('put', '/api/v1/projects/{id}/notes', { path: { id }, body: { notes: all } });
  }, [['workspaces', 'project', id]], close);
  const open = (what: 'new' | { remove: Note }) => { keep.reset(); setAsked(what); };
  const keys = keysOfNotes(notes);
  // Whose editor the refusal is of: others may be open.
  const refusalOf = (note: Note) => (keep.variables?.kind === 'write' && keep.variables.before.name === note.name ? keep.error?.message : undefined);
  return (
    <section className="stack" aria-label="Notes">
      <div className="spread"><h2>Notes</h2>{mayChange && <button className="button" onClick={() => open('new')}>New note</button>}</div>
      {notes.length === 0 && <div className="card"><Empty title="No notes yet">Write down what the project is about and what was found.</Empty></div>}
      {notes.map((note, place) => (
        <section className="card stack" key={keys[place]}>
          <div className="spread">
            <h3>{note.name || 'Note'}</h3>
            {mayChange && <button className="button danger" aria-label={`Remove note ${note.name}`} disabled={keep.isPending} onClick={() => open({ remove: note })}>Remove</button>}
          </div>
          <NotesEditor text={note.contents ?? ''} draftOf={`project ${id}, note ${keys[place]}`} hint="This note is empty." isBusy={keep.isPending} error={refusalOf(note)} mayChange={mayChange}
            save={(contents, done) => keep.mutate({ kind: 'write', before: note, contents }, { onSuccess: done })} />
        </section>
      ))}
      {asked === 'new' && (
        <FormDialog title="New note" verb="Create" isBusy={keep.isPending} error={keep.error?.message} close={close}
          submit={(form) => keep.mutate({ kind: 'add', note: { name: textOf(form, 'name'), contents: draft.trim() } }, { onSuccess: () => drop() })}>
          <Field label="Name"><input className="input" name="name" required autoComplete="off" autoFocus /></Field>
          <Field label="Text, in Markdown"><textarea className="input" rows={8} value={draft} onChange={(event) => write(event.target.value)} /></Field>
        </FormDialog>
      )}
      {asked !== undefined && asked !== 'new' && (
        <Confirm title={`Remove note ${asked.remove.name}?`} means="Its text is gone. This cannot be undone." verb="Remove" isOpen isBusy={keep.isPending} error={keep.error?.message} close={close}
          act={() => keep.mutate({ kind: 'remove', before: asked.remove })} />
      )}
    </section>
  );
}
