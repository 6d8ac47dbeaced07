// What is said above a table that has only some of the trials: its order is that of these.
import { grouped } from '../../lib/format';
export interface Missing { shown: number; total: number; isAll: boolean; error: Error | null }
// `isAll`: these are as many as the page reads. Undefined where none is missing.
export function missingWords({ shown, total, isAll, error }: Missing): string | undefined {
  if (total <= shown) return undefined;
  const these = `The newest ${grouped(shown)} of ${grouped(total)} trials`;
  if (isAll) return `${these}.`;
  return error ? `${these}; the order is that of these. The others could not be loaded: ${error.message}` : `${these}; the order is that of these until the others are loaded.`;
}
