// A target's output, as text, made a value: nothing, or one JSON value.

import type { JsonValue } from '../../contract/json.js';
import { checkJsonDepth } from '../../contract/json-check.js';
import { limits } from '../../contract/limits.js';
import type { RunError } from '../../contract/run.js';
import { runError } from '../run-error.js';

export type ParsedOutput = { kind: 'none' } | { kind: 'value'; value: JsonValue } | { kind: 'invalid'; error: RunError };

export function parseOutput(text: string): ParsedOutput {
  if (text.trim() === '') return { kind: 'none' };
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    return { kind: 'invalid', error: invalid(`The output is not one JSON value: ${(error as Error).message}.`, text) };
  }
  const fault = checkJsonDepth(value);
  if (fault !== null) return { kind: 'invalid', error: invalid(`The output ${fault.message}.`, text) };
  return { kind: 'value', value };
}

export function outputTooLarge(): RunError {
  return runError('target.OUTPUT_TOO_LARGE', `The output is larger than ${limits.targetOutputBytesMax} bytes.`, {
    details: { bytesMax: limits.targetOutputBytesMax },
  });
}

function invalid(message: string, text: string): RunError {
  return runError('target.OUTPUT_INVALID', message, { details: { beginning: text.slice(0, 200) } });
}
