// The data element, read once, and what every view of the page asks about it.

/** @type {import('../page-data.js').PageData} */
export const data = JSON.parse(document.getElementById('page-data').textContent);

/** The shown entries in the order of the journal: `{ entry, text, problem }`. */
export const rows = data.entries;

const positions = new Map(rows.map((row, index) => [row.entry.sequence, index]));

/** Position of the entry among `rows`, or -1 when the page does not have it. */
export function positionOf(sequence) {
  return positions.get(sequence) ?? -1;
}

export function rowOf(sequence) {
  return rows[positionOf(sequence)];
}

/** The assertions that did not pass and refer to the entry. */
export function failingAt(sequence) {
  return data.failing[sequence] ?? [];
}

/** Sequences written as `1 2 3`. */
export function sequencesIn(text) {
  return text.split(' ').filter(Boolean).map(Number);
}
