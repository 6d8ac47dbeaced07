// Notes in Markdown, to read and to write.
import { useState } from 'react';
import { Markdown } from '../lib/markdown';
import { Empty } from './states';

interface Props { text: string; hint: string; isBusy: boolean; error?: string | undefined; mayChange?: boolean; save: (text: string, done: () => void) => void }
export function NotesEditor({ text, hint, isBusy, error, mayChange = true, save }: Props) {
  const [draft, setDraft] = useState<string>();
  if (draft === undefined) {
    return (
      <div className="stack">
        {text ? <Markdown text={text} /> : <Empty title="No notes yet">{hint}</Empty>}
        {mayChange && <div><button className="button" onClick={() => setDraft(text)}>{text ? 'Edit notes' : 'Write notes'}</button></div>}
      </div>
    );
  }
  return (
    <div className="stack">
      <label className="field">Notes, in Markdown<textarea className="input" rows={10} value={draft} autoFocus onChange={(event) => setDraft(event.target.value)} /></label>
      {error && <p className="notice" role="alert">{error}</p>}
      <div className="cluster">
        <button className="button primary" disabled={isBusy} onClick={() => save(draft, () => setDraft(undefined))}>Save notes</button>
        <button className="button" onClick={() => setDraft(undefined)}>Do not save</button>
      </div>
    </div>
  );
}
