// A target's output, as text, made a value: nothing, or one JSON value.
import type { JsonValue } from '../../contract/json.js';
import { checkJson } from '../../contract/json-check.js';
import type { JsonFault } from '../../contract/json-fault.js';
import { limits } from '../../contract/limits.js';
import type { RunError } from '../../contract/run/run.js';
import { beginningOf } from '../../text/cut-text.js';
import { runError } from '../ports/run-error.js';
import { type LosslessJson, losslessJson } from './lossless-json.js';
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
  // What is judged is what the report keeps: a value like all others, which UTF-8 can carry.
  const fault = checkJson(parsed.value);
  return fault === null ? { kind: 'value', value: parsed.value } : invalid(faultWords(fault, redactor), redacted);
}

/** The output of an agent in this process: a value of its own from here on. */
export function readOutput(value: unknown, redactor: Redactor): ParsedOutput {
  const written = outputText(value);
  if (written.kind === 'too_large') return { kind: 'invalid', error: outputTooLarge() };
  if (written.kind === 'invalid') return { kind: 'invalid', error: runError('target.OUTPUT_INVALID', written.message) };
  return parseOutput(written.text, redactor);
}

function faultWords({ path, reason, message }: JsonFault, redactor: Redactor): string {
  const isPlaceSaid = path !== '' && reason !== 'too_deep';
  const place = isPlaceSaid ? ` at ${beginningOf(redactor.text(path), limits.targetBeginningCharsMax)}` : '';
  return `The output${place} ${message}.`;
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
 * Of a value that is still the agent's. Rejected values keep their words: what JSON says of them is what helps.
 */
export function outputText(value: unknown): { kind: 'text'; text: string } | { kind: 'invalid'; message: string } | { kind: 'too_large' } {
  let read: LosslessJson;
  try {
    read = losslessJson(value);
  } catch (error) {
    return { kind: 'invalid', message: `The output has no JSON: ${wordsOf(error).message}` };
  }
  const { text, fault } = read;
  // A longer place would have to be cut, and half a secret is not known for one.
  const place = fault === undefined || fault.path === '' || fault.path.length > limits.targetBeginningCharsMax ? '' : ` at ${fault.path}`;
  if (fault !== undefined) return { kind: 'invalid', message: `The output${place} ${fault.words}.` };
  if (text === undefined && value !== undefined) return { kind: 'invalid', message: `The output is a ${typeof value}, which has no JSON.` };
  return Buffer.byteLength(text ?? '') > limits.targetOutputBytesMax ? { kind: 'too_large' } : { kind: 'text', text: text ?? '' };
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
