// Notes in Markdown, to read and to write.
import { useDraft } from '../lib/draft';
import { startHere } from '../lib/focus';
import { Markdown } from '../lib/markdown';
import { ChangedSince } from './ChangedSince';
import { Empty } from './states';

// `draftOf`: whose notes they are, for the draft. `save` is done when they are saved, also where nobody looks at them
// any more; `error` says why not.
interface Props {
  text: string; draftOf: string; hint: string; isBusy: boolean; error?: string | undefined; mayChange?: boolean;
  save: (text: string) => Promise<unknown>;
}
export function NotesEditor({ text, draftOf, hint, isBusy, error, mayChange = true, save }: Props) {
  const { draft, isChanged, write, drop } = useDraft(draftOf, text);
  if (draft === undefined || !mayChange) {
    return (
      <div className="stack">
        {text ? <Markdown text={text} /> : <Empty title="No notes yet">{hint}</Empty>}
        {mayChange && <div><button className="button" onClick={() => write(text)}>{text ? 'Edit notes' : 'Write notes'}</button></div>}
      </div>
    );
  }
  const send = () => void save(draft).then(() => drop(draft), () => { /* `error` tells. */ });
  return (
    <div className="stack">
      {isChanged && <ChangedSince what="these notes" saved={text} />}
      <label className="field">Notes, in Markdown<textarea className="input" rows={10} value={draft} ref={startHere} onChange={(event) => write(event.target.value)} /></label>
      {error && <p className="notice" role="alert">{error}</p>}
      <div className="cluster">
        <button className="button primary" disabled={isBusy} onClick={send}>Save notes</button>
        <button className="button" onClick={() => drop()}>Do not save</button>
      </div>
    </div>
  );
}
