// What was done in a world, as files of its repository: a scenario of where it stands, or a drill that does it again and holds it to what
// came of it.
import type { Count, RowId, Slug } from '../primitives.js';

/** What a recorded drill must find again: a row as it ended, or what an entry says (a call, an event, a change of a row, a fault). */
export type RecordingPin =
  | { kind: 'row'; packageId: Slug; instanceId?: Slug; namespace: Slug; rowId: RowId }
  | { kind: 'entry'; sequence: Count };

/** A pin that can be chosen, in words. */
export interface PinCandidate {
  pin: RecordingPin;
  text: string;
}

export interface RecordedFile {
  /** Relative to the root of the repository, with forward slashes. */
  path: string;
  text: string;
  /** Against what is there now. */
  state: 'new' | 'same' | 'differs';
  /** Line by line: ` `, `-` or `+` before each. */
  diff: string;
}

export interface Recording {
  /** `digest` of the files as shown: who writes them names it, so that what is written is what was seen. */
  digest: string;
  files: RecordedFile[];
  /** Rows that changed, then calls and events, in order; the first of them. */
  candidates: PinCandidate[];
  /** What the files do not hold of what happened. */
  notes: string[];
}
