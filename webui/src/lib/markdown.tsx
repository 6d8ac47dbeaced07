// Markdown of notes: headings, lists, quotes, code, emphasis, links. It makes React elements, never HTML from text: tags in a note are
// letters, and links lead to http, https and mailto only.
import type { ReactNode } from 'react';

// The parts of a link end before the next "[", and are not long: else each of many that never close would be read to the end of the text.
const kInline = /(`[^`]+`)|\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^\][]{1,500})\]\(([^)[\s]{1,2000})\)/g;

export function safeLink(href: string): string | undefined {
  return /^(https?:\/\/|mailto:)/i.test(href) ? href : undefined;
}

function inline(text: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let last = 0;
  for (const found of text.matchAll(kInline)) {
    const [whole, code, bold, italic, words, href] = found;
    parts.push(text.slice(last, found.index));
    const link = href === undefined ? undefined : safeLink(href);
    if (code) parts.push(<code key={found.index}>{code.slice(1, -1)}</code>);
    else if (bold) parts.push(<strong key={found.index}>{bold}</strong>);
    else if (italic) parts.push(<em key={found.index}>{italic}</em>);
    else if (link) parts.push(<a key={found.index} href={link} rel="noreferrer noopener">{words}</a>);
    else parts.push(whole);
    last = found.index + whole.length;
  }
  parts.push(text.slice(last));
  return parts;
}

function block(text: string, key: string): ReactNode {
  const heading = /^(#{1,6}) (.*)$/.exec(text);
  if (heading) return heading[1]!.length === 1 ? <h2 key={key}>{inline(heading[2]!)}</h2> : <h3 key={key}>{inline(heading[2]!)}</h3>;
  const lines = text.split('\n');
  if (lines.every((line) => /^[-*] /.test(line))) return <ul key={key}>{lines.map((line, i) => <li key={i}>{inline(line.slice(2))}</li>)}</ul>;
  if (lines.every((line) => /^\d+\. /.test(line))) return <ol key={key}>{lines.map((line, i) => <li key={i}>{inline(line.replace(/^\d+\. /, ''))}</li>)}</ol>;
  if (lines.every((line) => line.startsWith('> '))) return <blockquote key={key}>{inline(lines.map((line) => line.slice(2)).join(' '))}</blockquote>;
  return <p key={key}>{inline(text)}</p>;
}

export function Markdown({ text }: { text: string }) {
  const parts = text.replaceAll('\r\n', '\n').split(/^```.*$/m);
  return (
    <div className="markdown">
      {parts.flatMap<ReactNode>((part, i) => (i % 2 === 1
        ? [<pre key={`pre ${i}`}><code>{part.replace(/^\n|\n$/g, '')}</code></pre>]
        : part.replace(/^(#{1,6} .*)$/gm, '\n$1\n').split(/\n{2,}/).map((one) => one.trim()).filter(Boolean).map((one, j) => block(one, `${i}.${j}`))))}
    </div>
  );
}
