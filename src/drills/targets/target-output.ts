// A target's output, as text, made a value: nothing, or one JSON value.
import type { JsonValue } from '../../contract/json.js';
import { checkParsedJson } from '../../contract/json-check.js';
import { pointerToken } from '../../contract/json-fault.js';
import { limits } from '../../contract/limits.js';
import type { RunError } from '../../contract/run/run.js';
import { beginningOf } from '../../text/cut-text.js';
import { runError } from '../ports/run-error.js';
import type { Redactor } from './redaction.js';
import { wordsOf } from './thrown.js';

const expected = 'An agent puts out nothing or one JSON value; what it says besides belongs in its log (of a command: stderr).';

export type ParsedOutput = { kind: 'none' } | { kind: 'value'; value: JsonValue } | { kind: 'invalid'; error: RunError };

/** What is shown of an invalid output is cut from the redacted text, as half a secret would not be known for one. */
export function parseOutput(text: string, redactor: Redactor): ParsedOutput {
  if (text.trim() === '') return { kind: 'none' };
  const parsed = parse(text);
  const redacted = redactor.text(text);
  if ('fault' in parsed) return invalid(`The output is not one JSON value: ${faultOf(redacted).replace(/\.$/, '')}. ${expected}`, redacted);
  const fault = outputFault(parsed.value, redactor);
  return fault === undefined ? { kind: 'value', value: parsed.value } : invalid(fault, redacted);
}

/** Why it cannot be kept as it is, or undefined. */
export function outputFault(output: JsonValue | undefined, redactor: Redactor): string | undefined {
  const fault = checkParsedJson(output);
  if (fault === null) return undefined;
  const isPlaceSaid = fault.path !== '' && fault.reason === 'not_finite';
  const place = isPlaceSaid ? ` at ${beginningOf(redactor.text(fault.path), limits.targetBeginningCharsMax)}` : '';
  return `The output${place} ${fault.message}.`;
}

export function parseOutputBytes(bytes: Uint8Array, redactor: Redactor): ParsedOutput {
  if (bytes.length > limits.targetOutputBytesMax) return { kind: 'invalid', error: outputTooLarge() };
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return invalid(`The output is not UTF-8. ${expected}`, redactor.text(Buffer.from(bytes).toString('utf8')));
  }
  return parseOutput(text, redactor);
}

function parse(text: string): { value: JsonValue } | { fault: string } {
  try {
    return { value: JSON.parse(text) as JsonValue };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}

function faultOf(text: string): string {
  const parsed = parse(text);
  return 'fault' in parsed ? parsed.fault : 'it is broken';
}

/**
 * Of a value that is still the agent's. Rejected values keep their words: what JSON says of them is what helps. What JSON.stringify would
 * write as null is no JSON: an agent that says Infinity has not said nothing.
 */
export function outputText(value: unknown): { kind: 'text'; text: string } | { kind: 'invalid'; message: string } | { kind: 'too_large' } {
  let text: string | undefined;
  let fault: string | undefined;
  const places = new WeakMap<object, string>();
  // A function of its own, as its `this` is what has the member.
  function admitted(this: object, name: string, member: unknown): unknown {
    const owner = places.get(this);
    const place = owner === undefined ? '' : `${owner}${pointerToken(name)}`;
    const words = lostWords(member, Array.isArray(this));
    // A longer place would have to be cut, and half a secret is not known for one.
    if (words !== undefined) fault ??= `The output${place.length > limits.targetBeginningCharsMax ? '' : within(place)} ${words}.`;
    if (typeof member === 'object' && member !== null) places.set(member, place);
    return member;
  }
  try {
    text = JSON.stringify(value, admitted);
  } catch (error) {
    return { kind: 'invalid', message: `The output has no JSON: ${wordsOf(error).message}` };
  }
  if (fault !== undefined) return { kind: 'invalid', message: fault };
  if (text === undefined && value !== undefined) return { kind: 'invalid', message: `The output is a ${typeof value}, which has no JSON.` };
  return Buffer.byteLength(text ?? '') > limits.targetOutputBytesMax ? { kind: 'too_large' } : { kind: 'text', text: text ?? '' };
}

const within = (place: string): string => (place === '' ? '' : ` at ${place}`);

/** What is said of a value for which JSON has null. */
function lostWords(value: unknown, isItem: boolean): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : `is ${value}; JSON numbers are finite`;
  if (!isItem) return undefined;
  if (value === undefined) return 'is undefined, which has no JSON';
  return typeof value === 'function' || typeof value === 'symbol' ? `is a ${typeof value}, which has no JSON` : undefined;
}

export function outputTooLarge(): RunError {
  return runError('target.OUTPUT_TOO_LARGE', `The output is larger than ${limits.targetOutputBytesMax} bytes.`, {
    details: { bytesMax: limits.targetOutputBytesMax },
  });
}

function invalid(message: string, redacted: string): ParsedOutput {
  return {
    kind: 'invalid',
    error: runError('target.OUTPUT_INVALID', message, { details: { beginning: beginningOf(redacted, limits.targetBeginningCharsMax) } }),
  };
}
