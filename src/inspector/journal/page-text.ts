// The text of a page of evidence, as bytes: the journal's own lines, copied once on their way from the file to the socket. Each further
// copy of a quarter of a megabyte would have the collector stop a thread sooner.
//   PAGE-TEXT-1. The array stands in a buffer of its own, with space around it for the other members of the reply. The buffer can go to
//     another thread whole.
const head = Buffer.from('{"schemaVersion":1,"entries":');
/** Longer than any two sequences with their names. */
const tailBytes = 96;
const [newline, comma, openBracket, closeBracket] = [10, 44, 91, 93] as const;

export interface PageOfEntries {
  entries: Uint8Array<ArrayBuffer>;
  toSequence: number;
  nextSequence?: number;
}

/** Whole lines of JSON as an array: a newline inside a value is written as an escape, so every one ends a line. */
export function arrayOfLines(lines: Uint8Array): Uint8Array<ArrayBuffer> {
  const last = Math.max(lines.length, 1);
  const buffer = new ArrayBuffer(head.length + last + 1 + tailBytes);
  const array = Buffer.from(buffer, head.length, last + 1);
  array.set(lines, 1);
  for (let at = array.indexOf(newline, 1); at >= 0; at = array.indexOf(newline, at + 1)) array[at] = comma;
  array[0] = openBracket;
  array[last] = closeBracket;
  return array;
}

/** The whole reply, in the buffer of its entries. */
export function pageReply({ entries, toSequence, nextSequence }: PageOfEntries): Uint8Array {
  const next = nextSequence === undefined ? '' : `,"nextSequence":${nextSequence}`;
  const reply = Buffer.from(entries.buffer);
  head.copy(reply);
  const end = head.length + entries.length;
  return reply.subarray(0, end + reply.write(`,"toSequence":${toSequence}${next}}`, end, 'latin1'));
}
