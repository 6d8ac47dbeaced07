// The notes of a project: pages with names.
import { useState } from 'react';
import type { Project } from '../../api/sections';
import { Confirm } from '../../components/Dialog';
import { NotesEditor } from '../../components/NotesEditor';
import { useChange } from '../../components/change';
import { Field, FormDialog, textOf } from '../../components/forms';
import { Empty } from '../../components/states';
import { useDraft } from '../../lib/draft';
import { startHere } from '../../lib/focus';
import type { Note } from './notes';
import { addNote, changeNote, keysOfNotes } from './notes';

const old = (id: number) => [['workspaces', 'project', id]];

function NewNote({ project, close }: { project: number; close: () => void }) {
  const { draft = '', write, drop } = useDraft(`project ${project}, new note`, '');
  const add = useChange((note: Note) => addNote(project, note), old(project), () => { drop(); close(); });
  return (
    <FormDialog title="New note" verb="Create" isBusy={add.isPending} error={add.error?.message} close={close} submit={(form) => add.mutate({ name: textOf(form, 'name'), contents: draft.trim() })}>
      <Field label="Name"><input className="input" name="name" required autoComplete="off" ref={startHere} /></Field>
      <Field label="Text, in Markdown"><textarea className="input" rows={8} readOnly={add.isPending} value={draft} onChange={(event) => write(event.target.value)} /></Field>
    </FormDialog>
  );
}

function RemoveNote({ project, note, close }: { project: number; note: Note; close: () => void }) {
  const remove = useChange(() => changeNote(project, { kind: 'remove', before: note }), old(project), close);
  return (
    <Confirm title={`Remove note ${note.name}?`} means="Its text is gone. This cannot be undone." verb="Remove" isOpen isBusy={remove.isPending} error={remove.error?.message} close={close}
      act={() => remove.mutate()} />
  );
}

function NoteCard({ project, note, draftOf, mayChange, remove }: { project: number; note: Note; draftOf: string; mayChange: boolean; remove: () => void }) {
  const keep = useChange((contents: string) => changeNote(project, { kind: 'write', before: note, contents }), old(project));
  return (
    <section className="card stack">
      <div className="spread">
        <h3>{note.name || 'Note'}</h3>
        {mayChange && <button className="button danger" aria-label={`Remove note ${note.name}`} disabled={keep.isPending} onClick={remove}>Remove</button>}
      </div>
      <NotesEditor text={note.contents ?? ''} draftOf={draftOf} hint="This note is empty." isBusy={keep.isPending}
        error={keep.error?.message} mayChange={mayChange} save={keep.mutateAsync} />
    </section>
  );
}

export function ProjectNotes({ project, mayChange }: { project: Project; mayChange: boolean }) {
  const id = project.id ?? 0;
  const notes = project.notes ?? [];
  const [asked, setAsked] = useState<'new' | { remove: Note }>();
  const close = () => setAsked(undefined);
  const keys = keysOfNotes(notes);
  return (
    <section className="stack" aria-label="Notes">
      <div className="spread"><h2>Notes</h2>{mayChange && <button className="button" onClick={() => setAsked('new')}>New note</button>}</div>
      {notes.length === 0 && <div className="card"><Empty title="No notes yet">Write down what the project is about and what was found.</Empty></div>}
      {notes.map((note, place) => (
        <NoteCard key={keys[place]} project={id} note={note} draftOf={`project ${id}, note ${keys[place]}`} mayChange={mayChange} remove={() => setAsked({ remove: note })} />
      ))}
      {asked === 'new' && <NewNote project={id} close={close} />}
      {asked !== undefined && asked !== 'new' && <RemoveNote project={id} note={asked.remove} close={close} />}
    </section>
  );
}
