// The files of a packed folder (.tar.gz), read in the browser. It comes from anybody: sizes are bounded, and names are only ever text.
export interface File { path: string; content: Uint8Array<ArrayBuffer> }
const kBlock = 512;
const kMostBytes = 256 * 1024 * 1024;

const text = new TextDecoder();
const field = (bytes: Uint8Array, from: number, length: number) => text.decode(bytes.subarray(from, from + length)).replace(/\0.*$/s, '');

// Octal digits, or (for 8 GiB and more, which is beyond kMostBytes) base 256.
function sizeAt(header: Uint8Array): number {
  const size = parseInt(field(header, 124, 12).trim() || '0', 8);
  return Number.isSafeInteger(size) && size >= 0 ? size : Infinity;
}

// PAX records: "LENGTH name=value\n".
function paxPath(content: Uint8Array): string | undefined {
  let rest = content;
  while (rest.length > 0) {
    const space = rest.indexOf(32);
    const length = Number(text.decode(rest.subarray(0, Math.max(0, space))));
    if (space < 0 || !Number.isInteger(length) || length <= space + 1 || length > rest.length) return undefined;
    const record = text.decode(rest.subarray(space + 1, length - 1));
    if (record.startsWith('path=')) return record.slice(5);
    rest = rest.subarray(length);
  }
  return undefined;
}

// Regular files only, in the order of their paths. Throws where the archive is cut off or no archive.
export function untar(archive: Uint8Array<ArrayBuffer>): File[] {
  const files: File[] = [];
  let longPath: string | undefined;
  for (let at = 0; at + kBlock <= archive.length;) {
    const header = archive.subarray(at, at + kBlock);
    if (header.every((byte) => byte === 0)) break;
    const size = sizeAt(header);
    const begin = at + kBlock;
    if (begin + size > archive.length) throw new Error('The archive is cut off.');
    const content = archive.subarray(begin, begin + size);
    const type = String.fromCharCode(header[156]!);
    if (type === 'x') longPath = paxPath(content) ?? longPath;
    else if (type === 'L') longPath = field(content, 0, content.length);
    else {
      const prefix = field(header, 257, 5) === 'ustar' ? field(header, 345, 155) : '';
      const path = longPath ?? (prefix ? `${prefix}/` : '') + field(header, 0, 100);
      longPath = undefined;
      if (type === '0' || type === '\0' || type === '7') files.push({ path: path.replace(/^(\.?\/)+/, ''), content });
    }
    at = begin + Math.ceil(size / kBlock) * kBlock;
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

export async function unpack(base64: string): Promise<File[]> {
  if (base64 === '') return [];
  const packed = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > kMostBytes) {
      await reader.cancel();
      throw new Error('It unpacks to more than 256 MiB, which is too much to show here. Download it instead.');
    }
    chunks.push(value);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) { whole.set(chunk, at); at += chunk.length; }
  return untar(whole);
}

// undefined: no text, or more of it than is shown.
export function textOf({ content }: File, most = 1024 * 1024): string | undefined {
  if (content.length > most || content.subarray(0, 8192).includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    return undefined;
  }
}
