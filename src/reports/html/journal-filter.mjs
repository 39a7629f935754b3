// Which entries the journal lists: by kind, by text, only problems, only what failed assertions cite.
import { failingAt, rows } from './page-data.mjs';

let searchTexts = null;

/** The indexes of `rows` that pass. @param {{ kinds: Set<string>, words: string, only: 'all' | 'problems' | 'cited' }} filter */
export function filteredRows({ kinds, words, only }) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const indexes = [];
  rows.forEach(({ entry, problem }, index) => {
    if (kinds.size > 0 && !kinds.has(entry.kind)) return;
    if (only === 'problems' && !problem) return;
    if (only === 'cited' && failingAt(entry.sequence).length === 0) return;
    if (wanted.length > 0 && !wanted.every((word) => searchText(index).includes(word))) return;
    indexes.push(index);
  });
  return indexes;
}

/** The whole entry is searched, not only what its row says. Made at the first search. */
function searchText(index) {
  searchTexts ??= rows.map(({ entry, text }) => `#${entry.sequence} ${text} ${JSON.stringify(entry)}`.toLowerCase());
  return searchTexts[index];
}
