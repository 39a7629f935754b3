// Tasks and their answers as JSON, for workers that are processes: bytes are base64. Source of strangers may have taken a worker over, so
// its parent believes no answer: each is checked for the shape that its task asks for. What a build says is checked by the task `verify`,
// in another worker.
import { isErrorFrame, isIssue } from '../../contract/errors.js';
import { isRecord } from '../../contract/json.js';
import { validateDiagnostic } from '../../contract/validate/validators.js';
import type { TaskAnswer } from '../../workers/task-worker.js';
import type { ChosenContent } from '../core/services.js';
import type { AnyTask } from './task-answer.js';

interface Bytes {
  base64: string;
}
const toWire = (bytes: Uint8Array): Bytes => ({ base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64') });
const fromWire = ({ base64 }: Bytes): Uint8Array => Buffer.from(base64, 'base64');

export function taskToWire(task: AnyTask): unknown {
  if (task.kind === 'upload') return { ...task, content: toWire(task.content) };
  if (task.kind === 'compile' && task.choices !== undefined) return { ...task, choices: withContents(task.choices, toWire) };
  return task.kind === 'verify' ? { ...task, build: toWire(task.build) } : task;
}
/** Of a task that the parent sent, which is believed. */
export function taskFromWire(value: unknown): AnyTask {
  const task = value as AnyTask;
  if (task.kind === 'upload') return { ...task, content: fromWire(task.content as unknown as Bytes) };
  if (task.kind === 'compile' && task.choices !== undefined)
    return {
      ...task,
      choices: withContents(task.choices as unknown as { contents: { [digest: string]: Bytes } }, fromWire) as ChosenContent,
    };
  return task.kind === 'verify' ? { ...task, build: fromWire(task.build as unknown as Bytes) } : task;
}

function withContents<From, To>(choices: { contents: { [digest: string]: From } }, codec: (content: From) => To) {
  const contents = Object.fromEntries(Object.entries(choices.contents).map(([digest, content]) => [digest, codec(content)]));
  return { ...choices, contents };
}

export function answerToWire(answer: TaskAnswer<unknown>): unknown {
  if (!('result' in answer) || !isRecord(answer.result)) return answer;
  const { content } = answer.result;
  if (content instanceof Uint8Array) return { result: { ...answer.result, content: toWire(content) } };
  if (answer.result.compiled === undefined) return answer;
  const { compiled, ...rest } = answer.result as { compiled: { build: Uint8Array; view: Uint8Array } };
  return { result: { ...rest, compiled: { ...compiled, build: toWire(compiled.build), view: toWire(compiled.view) } } };
}

/** What a worker answered to a task of this kind; undefined when it is nothing of the sort. */
export function answerFromWire(kind: AnyTask['kind'], value: unknown): TaskAnswer<unknown> | undefined {
  if (!isRecord(value) || Object.keys(value).length !== 1) return undefined;
  if (typeof value.bug === 'string') return { bug: value.bug };
  if (isErrorFrame(value.refusal)) return { refusal: value.refusal };
  const result = readers[kind](value.result);
  return result === undefined ? undefined : { result };
}

/** Each gives the result, or undefined. */
const readers: { [Kind in AnyTask['kind']]: (value: unknown) => unknown } = {
  compile: readCompiled,
  verify: (value) => (typeof value === 'boolean' ? value : undefined),
  rows: (value) => (isListOf(value, isIssue) ? value : undefined),
  upload: readUploaded,
  library: (value) => (isListOf(value, isLibraryPackage) ? value : undefined),
  judge: (value) => (isJudged(value) ? value : undefined),
};

function readCompiled(value: unknown): unknown {
  if (!isRecord(value)) return undefined;
  const { diagnostics, compiled, ...others } = value;
  if (Object.keys(others).length > 0 || !isListOf(diagnostics, (one) => validateDiagnostic(one).ok)) return undefined;
  if (compiled === undefined) return { diagnostics };
  if (!isRecord(compiled)) return undefined;
  const { summary, build, view } = compiled;
  if (!isSummary(summary) || !isBytes(build) || !isBytes(view)) return undefined;
  return { compiled: { summary, build: fromWire(build), view: fromWire(view) }, diagnostics };
}

function readUploaded(value: unknown): unknown {
  if (!isRecord(value)) return undefined;
  const { issues, content, collections, ...others } = value;
  if (Object.keys(others).length > 0 || !isListOf(issues, isIssue)) return undefined;
  if (content === undefined && collections === undefined) return { issues };
  const isCount = (one: unknown): boolean =>
    isRecord(one) && isText(one.namespace) && Number.isSafeInteger(one.records) && Object.keys(one).length === 2;
  return isBytes(content) && isListOf(collections, isCount) ? { issues, content: fromWire(content), collections } : undefined;
}
function isListOf(value: unknown, fits: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(fits);
}
const isText = (value: unknown): value is string => typeof value === 'string';
const isBytes = (value: unknown): value is Bytes & { [member: string]: unknown } => isRecord(value) && isText(value.base64);

function isSummary(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { buildHash, packageLockHash, worldId, tools, scenarioIds, drillIds, targetIds, suiteIds, ...others } = value;
  const isTool = (tool: unknown): boolean => isRecord(tool) && hasTexts(tool, ['packageId', 'version', 'manifestHash', 'artifactHash']);
  const lists = [scenarioIds, drillIds, targetIds, suiteIds];
  return (
    Object.keys(others).length === 0 &&
    hasTexts({ buildHash, packageLockHash, worldId }, ['buildHash', 'packageLockHash', 'worldId']) &&
    isListOf(tools, isTool) &&
    lists.every((list) => isListOf(list, isText))
  );
}
/** These members, each a text, and no other. */
function hasTexts(value: { [member: string]: unknown }, names: readonly string[]): boolean {
  return Object.keys(value).length === names.length && names.every((name) => isText(value[name]));
}
function isLibraryPackage(value: unknown): boolean {
  return (
    isRecord(value) && [value.libraryEntryId, value.packageArchiveDigest, value.manifestHash].every(isText) && isRecord(value.manifest)
  );
}
function isJudged(value: unknown): boolean {
  if (!isRecord(value)) return false;
  switch (value.kind) {
    case 'value':
      return typeof value.value === 'boolean';
    case 'not_boolean':
      return isText(value.type);
    case 'error':
    case 'fault':
      return isText(value.message);
    default:
      return value.kind === 'too_much' || value.kind === 'too_many_values';
  }
}
