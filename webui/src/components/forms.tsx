// Dialogs with fields, the question that is answered by a name, and texts that are copied.
import type { FormEvent, ReactElement, ReactNode } from 'react';
import { cloneElement, useId, useRef, useState } from 'react';
import type { Copied } from '../lib/copy';
import { copyFrom, copyWords } from '../lib/copy';
import { startHere } from '../lib/focus';
import { Frame } from './Dialog';

interface FormProps {
  title: string; verb: string; isBusy: boolean; error?: string | undefined; isWide?: boolean; isOff?: boolean;
  close: () => void; submit: (form: FormData) => void; children: ReactNode;
}
// `isOff`: it cannot be sent yet.
export function FormDialog({ title, verb, isBusy, error, isWide, isOff, close, submit, children }: FormProps) {
  const send = (event: FormEvent<HTMLFormElement>) => { event.preventDefault(); submit(new FormData(event.currentTarget)); };
  return (
    <Frame title={title} isOpen isFirm isBusy={isBusy} close={close} {...(isWide && { isWide })}>
      <form className="stack" onSubmit={send}>
        {children}
        {error && <p className="notice" role="alert">{error}</p>}
        <div className="cluster">
          <button className="button primary" disabled={isBusy || isOff === true}>{isBusy ? 'Working …' : verb}</button>
          <button className="button" type="button" disabled={isBusy} onClick={close}>Close</button>
        </div>
      </form>
    </Frame>
  );
}

export const textOf = (form: FormData, name: string) => String(form.get(name) ?? '').trim();

interface FieldProps { label: string; hint?: string; children: ReactElement<{ id?: string; 'aria-describedby'?: string }> }
// A name above one field. The hint is its description, not part of its name.
export function Field({ label, hint, children }: FieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {cloneElement(children, { id, ...(hint && { 'aria-describedby': `${id}-hint` }) })}
      {hint && <span className="hint" id={`${id}-hint`}>{hint}</span>}
    </div>
  );
}

interface NameProps { what: string; name: string; means: string; isBusy: boolean; error?: string | undefined; close: () => void; act: () => void }
// For what cannot be undone: only whoever types the name of it deletes it.
export function DeleteByName({ what, name, means, isBusy, error, close, act }: NameProps) {
  const [typed, setTyped] = useState('');
  return (
    <FormDialog title={`Delete ${what}?`} verb="Delete" isBusy={isBusy} error={error} isOff={typed !== name} close={close} submit={act}>
      <p>{means}</p>
      <p>To delete it, type its name: <strong className="break">{name}</strong></p>
      <Field label="Name"><input className="input" value={typed} autoComplete="off" ref={startHere} onChange={(event) => setTyped(event.target.value)} /></Field>
    </FormDialog>
  );
}

// A text to take along: a command line, a token.
export function Copyable({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState<Copied>('not yet');
  const place = useRef<HTMLInputElement>(null);
  const copy = async () => setCopied(await copyFrom(place.current, text) ? 'copied' : 'selected');
  return (
    <div className="copyable">
      <input className="input mono" ref={place} readOnly value={text} aria-label={label} onFocus={(event) => event.target.select()} />
      <button className="button" type="button" onClick={() => void copy()}>{copyWords(copied, 'Copy')}</button>
    </div>
  );
}
