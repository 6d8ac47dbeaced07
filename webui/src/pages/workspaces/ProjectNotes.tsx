// The notes of a project: pages with names. They are kept all together, as the server has them.
import { useState } from 'react';
import { ask } from '../../api/client';
import type { Schemas } from '../../api/client';
import type { Project } from '../../api/sections';
import { NotesEditor } from '../../components/NotesEditor';
import { useChange } from '../../components/change';
import { Field, FormDialog, textOf } from '../../components/forms';
import { Empty } from '../../components/states';

type Note = Schemas['v1Note'];

export function ProjectNotes({ project, mayChange }: { project: Project; mayChange: boolean }) {
  const id = project.id ?? 0;
  const notes = project.notes ?? [];
  const [isNew, setNew] = useState(false);
  const keep = useChange((all: Note[]) => ask('put', '/api/v1/projects/{id}/notes', { path: { id }, body: { notes: all } }), [['workspaces', 'project', id]], () => setNew(false));
  const at = (place: number, note: Note) => notes.map((one, index) => (index === place ? note : one));
  return (
    <section className="stack" aria-label="Notes">
      <div className="spread"><h2>Notes</h2>{mayChange && <button className="button" onClick={() => { keep.reset(); setNew(true); }}>New note</button>}</div>
      {notes.length === 0 && <div className="card"><Empty title="No notes yet">Write down what the project is about and what was found.</Empty></div>}
      {notes.map((note, place) => (
        <section className="card stack" key={`${place} ${note.name}`}>
          <div className="spread">
            <h3>{note.name || 'Note'}</h3>
            {mayChange && <button className="button danger" aria-label={`Remove note ${note.name}`} disabled={keep.isPending} onClick={() => keep.mutate(notes.filter((_, index) => index !== place))}>Remove</button>}
          </div>
          <NotesEditor text={note.contents ?? ''} draftOf={`project ${id}, note ${place}: ${note.name}`} hint="This note is empty." isBusy={keep.isPending} error={keep.error?.message} mayChange={mayChange}
            save={(contents, done) => keep.mutate(at(place, { ...note, contents }), { onSuccess: done })} />
        </section>
      ))}
      {isNew && (
        <FormDialog title="New note" verb="Create" isBusy={keep.isPending} error={keep.error?.message} close={() => setNew(false)}
          submit={(form) => keep.mutate([...notes, { name: textOf(form, 'name'), contents: textOf(form, 'contents') }])}>
          <Field label="Name"><input className="input" name="name" required autoComplete="off" autoFocus /></Field>
          <Field label="Text, in Markdown"><textarea className="input" name="contents" rows={8} /></Field>
        </FormDialog>
      )}
    </section>
  );
}
