// Text to read or to write, with the colours of its language. In a shadow root, as Yaml.tsx says why.
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { python } from '@codemirror/lang-python';
import { yaml } from '@codemirror/lang-yaml';
import { foldGutter, syntaxHighlighting } from '@codemirror/language';
import { Compartment, EditorState } from '@codemirror/state';
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { look, theme } from './Yaml';

// Tab leads on, as everywhere on the page.
const writing = EditorView.theme({
  '&': { border: '1px solid var(--line-strong)', borderRadius: '6px' }, '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-content': { caretColor: 'var(--text)' }, '.cm-activeLine': { backgroundColor: 'var(--sunken)' }, '.cm-cursor': { borderLeftColor: 'var(--text)' },
});
// Over a selection Chromium keeps the style of what is replaced by style attributes, which the page's policy refuses: so it is replaced here.
const replacing = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    if (event.inputType !== 'insertText' || event.data === null || event.isComposing || view.state.readOnly || view.state.selection.main.empty) return false;
    event.preventDefault();
    view.dispatch(view.state.update(view.state.replaceSelection(event.data), { userEvent: 'input.type', scrollIntoView: true }));
    return true;
  },
});

export type Language = 'yaml' | 'python' | 'text';
export const languageOf = (file: string): Language => (/\.py$/i.test(file) ? 'python' : /\.(ya?ml|json)$/i.test(file) ? 'yaml' : 'text');

interface Props { text: string; label: string; language: Language; onChange?: (text: string) => void; isHeld?: boolean; line?: { line: number } | undefined }
// With `onChange` it is written in: `text` is then only how it begins; not while it `isHeld`, when it is on its way to the server. `line`: where the cursor is put, each time that another object says so.
export default function Editor({ text, label, language, onChange, isHeld = false, line: to }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const holding = useRef(new Compartment());
  const changed = useRef(onChange);
  changed.current = onChange;
  const isWritten = onChange !== undefined;
  useEffect(() => {
    const root = place.current!.shadowRoot ?? place.current!.attachShadow({ mode: 'open' });
    const made = new EditorView({
      root, parent: root,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(), foldGutter(), language === 'yaml' ? yaml() : language === 'python' ? python() : [], syntaxHighlighting(look), theme,
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0', ...(isWritten && { 'aria-multiline': 'true' }) }),
          isWritten ? [writing, highlightActiveLine(), history(), keymap.of([...defaultKeymap, ...historyKeymap]), holding.current.of([]), replacing, EditorView.updateListener.of((update) => { if (update.docChanged) changed.current?.(update.state.doc.toString()); })]
            : EditorState.readOnly.of(true),
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, [text, label, language, isWritten]);
  useEffect(() => { if (isWritten) view.current?.dispatch({ effects: holding.current.reconfigure(EditorState.readOnly.of(isHeld)) }); }, [isHeld, isWritten]);
  useEffect(() => {
    const now = view.current;
    if (!now || !to || to.line < 1 || to.line > now.state.doc.lines) return;
    const line = now.state.doc.line(to.line);
    now.dispatch({ selection: { anchor: line.from, head: line.to }, scrollIntoView: true });
    now.focus();
  }, [to]);
  return <div ref={place} />;
}
