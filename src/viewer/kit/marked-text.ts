// Where a text has what was looked for, upper and lower case alike.
import { foldCase } from '../../text/fold-case.js';
import { tuning } from '../tuning.js';

/** -1 where it is not, and for no words. */
export function placeOf(text: string, words: string): number {
  return words === '' ? -1 : foldCase(text).indexOf(foldCase(words));
}

/** What stands around the words. */
export function snippetOf(text: string, words: string): string {
  const at = placeOf(text, words);
  if (at < 0) return '';
  const from = Math.max(at - tuning.snippetChars, 0);
  return `${from > 0 ? '…' : ''}${text.slice(from, at + words.length + tuning.snippetChars)}…`;
}
