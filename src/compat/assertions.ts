// Assertions of the other runner as ours. What a native kind says becomes one; the rest is an expression over the calls with the same
// meaning.
//   COMPAT-ASSERTIONS-1. What an assertion has and is not read here stays in it, so that the validator refuses it where it stands.
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.js';
import {
  allOf,
  asCondition,
  asOwnChoice,
  asOwnFilter,
  type CallFilter,
  containsConditions,
  filterMembers,
  readFilter,
} from './call-filter.js';
import { isCount, readCountComparison, readValueComparison, sizeCondition } from './comparisons.js';
import { present, type ShapeReader } from './members.js';

const line = 'assertions';

export function readAssertion(reader: ShapeReader, assertion: JsonObject, path: string): JsonValue {
  switch (assertion.kind) {
    case 'state.value':
    case 'output.value':
      return readValueComparison(reader, assertion, path);
    case 'state.count':
      return withFlat(reader, readCountComparison(reader, assertion, path), { path, as: 'where' });
    case 'event.count':
      return withFlat(reader, readCountComparison(reader, assertion, path), { path, as: 'payload' });
    case 'fault.count':
      return readCountComparison(reader, assertion, path);
    case 'callback.count':
      return readCallbackCount(reader, readCountComparison(reader, assertion, path), path);
    case 'operation.count':
      return readOperationCount(reader, readCountComparison(reader, assertion, path), path);
    case 'operation.order':
      return readOrder(reader, assertion, path);
    case 'operation.arguments':
      return readArguments(reader, assertion, path);
    case 'operation.denied':
      return readDenied(reader, assertion, path);
    default:
      return assertion;
  }
}

/** `contains` of rows and payloads, where no member of it is an object: ours compare members whole. */
function withFlat(reader: ShapeReader, assertion: JsonObject, { path, as }: { path: string; as: string }): JsonObject {
  const { contains, ...rest } = assertion;
  if (contains === undefined) return assertion;
  const isFlat = isJsonObject(contains) && rest[as] === undefined && !Object.values(contains).some(isJsonObject);
  if (!isFlat) reader.refuse(`${path}/contains`, 'this part of a row or payload', line);
  return { ...rest, [as]: contains };
}

function readCallbackCount(reader: ShapeReader, assertion: JsonObject, path: string): JsonObject {
  const { callback, ...rest } = assertion;
  if (callback === undefined) return assertion;
  if (!isJsonObject(callback)) return { ...rest, callbackId: callback };
  const { packageId, instanceId, callbackId, id, ...strange } = callback;
  for (const name of Object.keys(strange)) reader.refuse(`${path}/callback/${name}`, `'${name}' of a callback`, line);
  return present({ ...rest, packageId, instanceId, callbackId: callbackId ?? id });
}

const unread = (assertion: JsonObject, read: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(assertion).filter(([name]) => !read.includes(name)));

function readOperationCount(reader: ShapeReader, assertion: JsonObject, path: string): JsonObject {
  const filter = readFilter(reader, assertion, path);
  if (filter === undefined) return assertion;
  const own = asOwnChoice(filter);
  const { count } = assertion;
  // Without a number that is one, the validator has the word.
  if (own !== undefined || !isCount(count)) return { ...unread(assertion, filterMembers), operation: own ?? filter.own };
  const condition = sizeCondition('calls.size()', count);
  return expression(unread(assertion, [...filterMembers, 'count']), `${callsOf(filter, 'one')}.all(calls, ${condition})`);
}

/** The calls that a filter means, in a list of that list alone, so that a macro can give it a name. */
function callsOf(filter: CallFilter, call: string, more: readonly string[] = []): string {
  return `[operations.filter(${call}, ${allOf([asCondition(filter, call), ...more])})]`;
}

function readOrder(reader: ShapeReader, assertion: JsonObject, path: string): JsonValue {
  const { sequence, ...rest } = assertion;
  if (!Array.isArray(sequence)) return assertion;
  const steps = sequence.map((step, index) => {
    const at = `${path}/sequence/${index}`;
    if (!isJsonObject(step)) return undefined;
    for (const name of Object.keys(unread(step, [...filterMembers, ...operationNames])))
      reader.refuse(`${at}/${name}`, `'${name}' of a step`, line);
    return readFilter(reader, step.operation === undefined && step.anyOf === undefined ? { ...step, operation: bare(step) } : step, at);
  });
  if (!steps.every((step) => step !== undefined) || steps.length === 0) {
    reader.refuse(`${path}/sequence`, 'a sequence whose steps name no operation', line);
    return assertion;
  }
  const own = steps.map(asOwnChoice);
  if (own.length > 1 && own.every((filter) => filter !== undefined)) return { ...rest, operations: own };
  return expression(rest, inOrder(steps, 0));
}

const operationNames: readonly string[] = ['packageId', 'instanceId', 'operationId'];
/** A step may be the operation itself. */
function bare({ packageId, instanceId, operationId }: JsonObject): JsonObject {
  return present({ packageId, instanceId, operationId });
}

/** The first call of each step after that of the step before it: the earliest that fit are enough. */
function inOrder(steps: readonly CallFilter[], index: number): string {
  const name = `step${index}`;
  const call = `call${index}`;
  const after = index === 0 ? [] : [`${call}.sequence > step${index - 1}[0].sequence`];
  const rest = index + 1 < steps.length ? ` && ${inOrder(steps, index + 1)}` : '';
  return `${callsOf(steps[index] as CallFilter, call, after)}.all(${name}, ${name}.size() > 0${rest})`;
}

function readArguments(reader: ShapeReader, assertion: JsonObject, path: string): JsonObject {
  const { contains, ...rest } = readValueComparison(reader, assertion, path);
  const filter = readFilter(reader, rest, path);
  if (filter === undefined) return assertion;
  const own = asOwnFilter(filter);
  if (contains === undefined) {
    if (own === undefined) reader.refuse(`${path}/operation`, 'the value at a path of calls that are chosen so', line);
    return { ...unread(rest, filterMembers), operation: own ?? {} };
  }
  if (!isJsonObject(contains)) {
    reader.refuse(`${path}/contains`, 'what is no object', line);
    return rest;
  }
  const { occurrence, ...kept } = unread(rest, filterMembers);
  const holds = (place: string): string => allOf(['true', ...containsConditions(place, contains)]);
  if (occurrence !== undefined && (typeof occurrence !== 'number' || !Number.isSafeInteger(occurrence) || occurrence < 1))
    reader.refuse(`${path}/occurrence`, `the occurrence ${JSON.stringify(occurrence)}`, line);
  const judged =
    typeof occurrence === 'number'
      ? `calls.size() >= ${occurrence} && ${holds(`calls[${occurrence - 1}].arguments`)}`
      : `calls.size() > 0 && calls.all(one, ${holds('one.arguments')})`;
  return expression(kept, `${callsOf(filter, 'one')}.all(calls, ${judged})`);
}

/** Every call that was tried was denied, with the code where one is named; and one was tried, unless none has to be. */
function readDenied(reader: ShapeReader, assertion: JsonObject, path: string): JsonObject {
  const filter = readFilter(reader, assertion, path);
  if (filter === undefined || assertion.count !== undefined) return assertion;
  const { attemptRequired = true, errorCode, ...kept } = unread(assertion, filterMembers);
  if (typeof attemptRequired !== 'boolean') reader.refuse(`${path}/attemptRequired`, `the value ${JSON.stringify(attemptRequired)}`, line);
  if (errorCode !== undefined && typeof errorCode !== 'string') reader.refuse(`${path}/errorCode`, 'what is no code', line);
  const tried = attemptRequired === false ? '' : 'calls.size() > 0 && ';
  return expression(kept, `${callsOf(filter, 'one')}.all(calls, ${tried}calls.all(one, ${deniedCondition('one', errorCode)}))`);
}

/** The tool may deny, too: by an error that it declares. What only the runner denies for has one cause here, the grant. */
function deniedCondition(name: string, errorCode: JsonValue | undefined): string {
  const denied = `${name}.outcome.kind == "denied"`;
  if (typeof errorCode !== 'string') return denied;
  const [, area, code = ''] = /^(?:([a-z_]+)\.)?(.*)$/.exec(errorCode) ?? [];
  if (area !== undefined && area !== 'tool') return denied;
  const said = `${name}.outcome.error.code == ${JSON.stringify(code)}`;
  return `${name}.outcome.kind in ["denied", "tool_error"] && ${said}`;
}

function expression(kept: JsonObject, text: string): JsonObject {
  const { kind, ...rest } = kept;
  return { ...rest, kind: 'expr', expression: text };
}
