// A condition while it is built: its value is the text in the field. As a number "0." would be 0, and nobody could type 0.01.
import type { Named } from './column-names';
import type { Condition, Operator } from './language';
import { hasValue, plain } from './language';

// `isQuoted`: it came as a text that would be taken for a number, and stays one while it is edited.
export interface Typed { column: string; operator: Operator; text: string; isQuoted: boolean }

export const kNew: Typed = { column: 'name', operator: 'contains', text: '', isQuoted: false };

export function typedOf({ column, operator, value }: Condition): Typed {
  const text = value === null ? '' : String(value);
  return { column, operator, text, isQuoted: typeof value === 'string' && typeof plain(value) !== 'string' };
}

// In a column of texts 007 is a name. Truths are listed among texts; hyperparameters and metadata may be such.
function valueOf({ column, text, isQuoted }: Typed, names: readonly Named[]): Condition['value'] {
  if (isQuoted) return text;
  const value = plain(text);
  const isText = names.some((one) => one.column === column && one.isText);
  return isText && (typeof value === 'number' || !/^(hp|metadata)\./.test(column)) ? text : value;
}

// Undefined while something of it is missing.
export function conditionOf(typed: Typed, names: readonly Named[]): Condition | undefined {
  const { column, operator, text } = typed;
  if (!hasValue(operator)) return { kind: 'field', column, operator, value: null };
  return text === '' ? undefined : { kind: 'field', column, operator, value: valueOf(typed, names) };
}
