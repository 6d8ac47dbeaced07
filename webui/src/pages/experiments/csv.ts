// The table as a file.
import type { Row } from './rows';
import { rawValue } from './values';

// A cell that a spreadsheet would take for a formula gets an apostrophe before it.
export function csvCell(value: unknown): string {
  let text = value === null || value === undefined ? '' : String(value);
  if (typeof value === 'string' && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export const csv = (rows: readonly (readonly unknown[])[]) => rows.map((row) => row.map(csvCell).join(',') + '\r\n').join('');

// The columns of `keys`. The best metric is of another name in each experiment, so that stands beside it.
export function csvOf(keys: readonly string[], rows: readonly Row[]): string {
  const columns = keys.flatMap((key) => (key === 'metric' ? [key, 'metricName'] : [key]));
  return csv([columns, ...rows.map((row) => columns.map((key) => rawValue(row, key)))]);
}

export function save(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
