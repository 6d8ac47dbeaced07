// YAML to read, with colours, folding and search. It stands in a shadow root: only there CodeMirror puts its rules into
// adoptedStyleSheets, which the page's CSP allows; elsewhere it makes <style> elements.
import { HighlightStyle, foldGutter, syntaxHighlighting } from '@codemirror/language';
import { yaml } from '@codemirror/lang-yaml';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import { stringify } from 'yaml';

export const look = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--wait)' },
  { tag: [tags.keyword, tags.self, tags.operatorKeyword], color: 'var(--accent)', fontWeight: '600' },
  { tag: tags.comment, color: 'var(--text-soft)' },
]);
export const theme = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: '13px', maxHeight: '70vh' },
  '.cm-gutters': { color: 'var(--text-soft)', backgroundColor: 'var(--surface)', border: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)' },
});

// A text is shown as it is, anything else as YAML.
export default function Yaml({ value, label }: { value: unknown; label: string }) {
  const place = useRef<HTMLDivElement>(null);
  const text = typeof value === 'string' ? value : stringify(value);
  useEffect(() => {
    const root = place.current!.shadowRoot ?? place.current!.attachShadow({ mode: 'open' });
    const view = new EditorView({
      root, parent: root,
      state: EditorState.create({
        doc: text,
        extensions: [lineNumbers(), foldGutter(), yaml(), syntaxHighlighting(look), theme, EditorState.readOnly.of(true), EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' })],
      }),
    });
    return () => view.destroy();
  }, [text, label]);
  return <div ref={place} />;
}
