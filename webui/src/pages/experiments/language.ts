// The filter as people write it: state = ERROR and (hp.lr < 0.01 or name contains "baseline"). It becomes the server's filter of runs and
// experiments (docs/runs.md); `print` is the way back, so that the builder and the text are one filter.
export type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=' | 'contains' | 'notContains' | 'isEmpty' | 'notEmpty';
export interface Condition { kind: 'field'; column: string; operator: Operator; value: string | number | boolean | null }
export interface Group { kind: 'group'; conjunction: 'and' | 'or'; children: Part[] }
export type Part = Condition | Group;
export type Parsed = { ok: true; group: Group } | { ok: false; message: string; at: number };

export const kOperators: readonly (readonly [Operator, string])[] = [
  ['=', 'is'], ['!=', 'is not'], ['<', 'is less than'], ['<=', 'is at most'], ['>', 'is more than'], ['>=', 'is at least'],
  ['contains', 'contains'], ['notContains', 'does not contain'], ['isEmpty', 'is empty'], ['notEmpty', 'is not empty'],
];
const kWords: Record<string, Operator> = { contains: 'contains', notcontains: 'notContains', isempty: 'isEmpty', notempty: 'notEmpty' };
export const hasValue = (operator: Operator) => operator !== 'isEmpty' && operator !== 'notEmpty';
const kDepth = 20;  // of the server

interface Token { text: string; at: number; kind: 'word' | 'quoted' | 'name' | 'sign' }

function tokens(text: string): Token[] | { message: string; at: number } {
  const found: Token[] = [];
  const pattern = /\s+|(<=|>=|!=|[=<>()])|"((?:[^"\\]|\\.)*)"|`([^`]+)`|([^\s=<>!()"`]+)/gy;
  for (let at = 0; at < text.length; at = pattern.lastIndex) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) return { message: text[at] === '"' || text[at] === '`' ? 'A quote is not closed' : `Not understood: ${text[at]}`, at };
    if (match[1] !== undefined) found.push({ text: match[1], at, kind: 'sign' });
    else if (match[2] !== undefined) found.push({ text: match[2].replace(/\\(.)/g, '$1'), at, kind: 'quoted' });
    else if (match[3] !== undefined) found.push({ text: match[3], at, kind: 'name' });
    else if (match[4] !== undefined) found.push({ text: match[4], at, kind: 'word' });
  }
  return found;
}

class Wrong extends Error { constructor(message: string, readonly at: number) { super(message); } }

export function parse(text: string): Parsed {
  const all = tokens(text);
  if (!Array.isArray(all)) return { ok: false, ...all };
  let place = 0;
  const here = () => all[place];
  const end = () => here()?.at ?? text.length;
  const isWord = (word: string) => here()?.kind === 'word' && here()?.text.toLowerCase() === word;

  const condition = (): Condition => {
    const name = all[place];
    if (!name || name.kind === 'sign' || name.kind === 'quoted') throw new Wrong('A column is expected here, such as state or hp.lr', end());
    place += 1;
    const sign = all[place];
    let operator = sign && (sign.kind === 'sign' ? kOperators.find(([one]) => one === sign.text)?.[0] : kWords[sign.text.toLowerCase()]);
    if (sign?.kind === 'word' && /^(is|not|does)$/i.test(sign.text)) {  // is empty, is not empty, not contains, does not contain
      const next = [1, 2].map((step) => all[place + step]?.text.toLowerCase() ?? '');
      if (/^is$/i.test(sign.text) && next[0] === 'empty') { operator = 'isEmpty'; place += 1; }
      else if (/^is$/i.test(sign.text) && next[0] === 'not' && next[1] === 'empty') { operator = 'notEmpty'; place += 2; }
      else if (/^not$/i.test(sign.text) && next[0] === 'contains') { operator = 'notContains'; place += 1; }
      else if (/^does$/i.test(sign.text) && next[0] === 'not' && next[1] === 'contain') { operator = 'notContains'; place += 2; }
    }
    if (!operator) throw new Wrong(`After ${name.text} one of = != < <= > >= contains, not contains, is empty, is not empty is expected`, end());
    place += 1;
    if (!hasValue(operator)) return { kind: 'field', column: name.text, operator, value: null };
    const value = all[place];
    if (!value || value.kind === 'sign') throw new Wrong('A value is expected here: a number, a word, or "a text"', end());
    place += 1;
    return { kind: 'field', column: name.text, operator, value: value.kind === 'word' ? plain(value.text) : value.text };
  };
  const term = (depth: number): Part => {
    if (here()?.text !== '(' || here()?.kind !== 'sign') return condition();
    if (depth >= kDepth) throw new Wrong(`More than ${kDepth} parentheses within each other`, end());
    place += 1;
    const inner = either(depth + 1);
    if (here()?.text !== ')') throw new Wrong('A parenthesis is not closed', end());
    place += 1;
    return inner;
  };
  const join = (word: 'and' | 'or', next: () => Part): Part => {
    const children = [next()];
    while (isWord(word)) { place += 1; children.push(next()); }
    return children.length === 1 ? children[0]! : { kind: 'group', conjunction: word, children };
  };
  const either = (depth: number): Part => join('or', () => join('and', () => term(depth)));

  try {
    if (all.length === 0) return { ok: true, group: { kind: 'group', conjunction: 'and', children: [] } };
    const part = either(0);
    if (place < all.length) throw new Wrong('and, or, or the end is expected here', end());
    return { ok: true, group: part.kind === 'group' ? part : { kind: 'group', conjunction: 'and', children: [part] } };
  } catch (wrong) {
    if (wrong instanceof Wrong) return { ok: false, message: wrong.message, at: wrong.at };
    throw wrong;
  }
}

// A word without quotes: a number or a truth where it is one.
export function plain(word: string): string | number | boolean {
  if (word === 'true' || word === 'false') return word === 'true';
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(word) ? Number(word) : word;
}

function printValue(value: Condition['value']): string {
  if (typeof value !== 'string') return String(value);
  return /^[^\s=<>!()"`]+$/.test(value) && typeof plain(value) === 'string' && !/^(and|or)$/i.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`;
}
const printName = (name: string) => (/^[^\s=<>!()"`]+$/.test(name) && !/^(and|or)$/i.test(name) ? name : `\`${name}\``);
const kPrinted: Partial<Record<Operator, string>> = { notContains: 'not contains', isEmpty: 'is empty', notEmpty: 'is not empty' };

export function print(part: Part, isInner = false): string {
  if (part.kind === 'field') {
    const { column, operator, value } = part;
    return `${printName(column)} ${kPrinted[operator] ?? operator}${hasValue(operator) ? ` ${printValue(value)}` : ''}`;
  }
  const text = part.children.map((child) => print(child, true)).join(` ${part.conjunction} `);
  return isInner && part.children.length > 1 ? `(${text})` : text;
}

// Where the server finds a column: by the begin of its name.
export function locationOf(column: string): string {
  if (column.startsWith('hp.')) return 'LOCATION_TYPE_HYPERPARAMETERS';
  if (column.startsWith('metadata.')) return 'LOCATION_TYPE_RUN_METADATA';
  if (column.startsWith('validation.')) return 'LOCATION_TYPE_VALIDATIONS';
  if (column.startsWith('training.')) return 'LOCATION_TYPE_TRAINING';
  return /\.(last|min|max|mean)$/.test(column) ? 'LOCATION_TYPE_CUSTOM_METRIC' : 'LOCATION_TYPE_EXPERIMENT';
}

export function toServer(part: Part): object {
  if (part.kind === 'group') return { kind: 'group', conjunction: part.conjunction, children: part.children.map(toServer) };
  const { column, operator, value } = part;
  const location = locationOf(column);
  const isTyped = location === 'LOCATION_TYPE_HYPERPARAMETERS' || location === 'LOCATION_TYPE_RUN_METADATA';
  // Of truths the server has no type: it goes by the value.
  const type = typeof value === 'number' ? 'COLUMN_TYPE_NUMBER' : typeof value === 'string' ? 'COLUMN_TYPE_TEXT' : undefined;
  return { kind: 'field', location, columnName: column, operator, ...(isTyped && type && { type }), ...(hasValue(operator) && { value }) };
}
