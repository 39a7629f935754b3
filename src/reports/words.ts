// What things are called for people: one glossary for the window, the page and the terminal.
import { isJsonObject, type JsonValue } from '../contract/json.js';
import type { AssertionStatus, BindingEvidence, TargetStatus } from '../contract/run/run.js';
import type { TranscriptLine } from '../contract/run/transcript.js';
import type { ClockEntry, EvidenceKind, FaultEntry } from '../contract/world/evidence.js';

/** The kinds of entries, in the order in which they are listed. */
export const kindNames: { readonly [Kind in EvidenceKind]: string } = {
  operation: 'call',
  refused_request: 'refused request',
  state_change: 'state',
  event: 'event',
  callback: 'callback',
  fault: 'fault',
  fault_control: 'fault switch',
  random: 'random',
  clock: 'clock',
  lifecycle: 'world',
  verification: 'check',
};

/** Who says what a transcript holds. */
export const speakerNames: { readonly [Role in TranscriptLine['role']]: string } = {
  system: 'instructions',
  user: 'user',
  assistant: 'agent',
  tool: 'tool',
  log: 'log',
};

/** An assertion in a sentence: `one-refund does not hold`. */
export const assertionWords: { readonly [Status in AssertionStatus]: string } = {
  passed: 'holds',
  failed: 'does not hold',
  inconclusive: 'could not be decided',
  invalid: 'cannot be judged',
};

/** An agent in a sentence: `the agent timed out`. */
export const agentWordsOf: { readonly [Status in TargetStatus]: string } = {
  completed: 'completed',
  failed: 'failed',
  timed_out: 'timed out',
  cancelled: 'was cancelled',
};

export const accessWords: { readonly [Evidence in BindingEvidence]: string } = {
  not_checked: 'not checked',
  issued: 'given, not used',
  observed: 'used',
};

export const timingWords: { readonly [Timing in FaultEntry['timing']]: string } = {
  before: 'before it did anything',
  after_commit: 'after its change was committed',
  latency: 'with a delay',
  delivery: 'on its way to the receiver',
  stream: 'while it was sent',
};

/** Why the clock of a world moved. */
export const clockWords: { readonly [Reason in ClockEntry['reason']]: string } = {
  scenario: 'as the scenario says',
  explicit: 'moved from outside',
  scheduled_work: 'to what was due',
  reset: 'with the reset',
  wait: 'as a call waited',
};

export const axisWords = { elastic: 'Moments', linear: 'Virtual time', sequence: 'Entries', fit: 'Fit' } as const;

/** Of an assertion that decides no verdict. */
export const advisory = 'advisory';

export const committedWords = 'What was committed although the answer was lost';

/** A status or a phase as it stands in a badge. */
export function statusText(value: string): string {
  return value === 'tool_error' ? 'error' : value.replaceAll('_', ' ');
}

/** `exactly 1`, `between 2 and 4`: bounds of a count in words; undefined for whatever is none. */
export function boundsText(expected: JsonValue | undefined): string | undefined {
  if (!isJsonObject(expected)) return undefined;
  const { equals, atLeast, atMost, ...more } = expected;
  const isBound = (value: unknown): boolean => value === undefined || typeof value === 'number';
  if (Object.keys(more).length > 0 || ![equals, atLeast, atMost].every(isBound)) return undefined;
  if (equals !== undefined) return `exactly ${equals}`;
  if (atLeast !== undefined && atMost !== undefined) return `between ${atLeast} and ${atMost}`;
  if (atLeast !== undefined) return `at least ${atLeast}`;
  return atMost === undefined ? undefined : `at most ${atMost}`;
}
