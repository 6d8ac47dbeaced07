// Lines with ANSI escapes as pieces of text with classes. Other escapes and control characters are left out.
export interface Piece { text: string; classes: string }
const kColours = ['dim', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', ''];
// eslint-disable-next-line no-control-regex
const kEscape = /\x1b\[([0-9;]*)([A-Za-z])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\x00-\x08\x0b-\x1f\x7f]/g;

export function pieces(line: string): Piece[] {
  const found: Piece[] = [];
  let bold = '';
  let colour = '';
  let last = 0;
  const push = (text: string) => { if (text) found.push({ text, classes: [bold, colour].filter(Boolean).join(' ') }); };
  for (const escape of line.matchAll(kEscape)) {
    push(line.slice(last, escape.index));
    last = escape.index + escape[0].length;
    if (escape[2] !== 'm') continue;
    for (const code of (escape[1] || '0').split(';').map(Number)) {
      if (code === 0) bold = colour = '';
      else if (code === 1) bold = 'ansi-bold';
      else if (code === 22) bold = '';
      else if (code === 39) colour = '';
      else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) {
        const name = kColours[code % 10];
        colour = name ? `ansi-${name}` : '';
      } else if (code === 38 || code === 48) break;  // colours of 256 and more: left out with their numbers
    }
  }
  push(line.slice(last));
  return found;
}
