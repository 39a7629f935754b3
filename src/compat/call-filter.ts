// Which calls an assertion of the other runner means: its operation, and what stands beside it. As a filter of ours where that says it all,
// else as a condition of an expression over the calls.
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.js';
import { present, type ShapeReader } from './members.js';

export interface CallFilter {
  /** Of one operation. */
  own: JsonObject;
  /** Others that will do. */
  others: readonly JsonObject[];
  outcomes: readonly string[] | undefined;
  idempotency: readonly string[] | undefined;
  /** Members of the arguments, as deep as they are written. */
  contains: JsonObject | undefined;
}
/** Members of an assertion, or of a step of one, that a filter is read from. */
export const filterMembers = ['operation', 'anyOf', 'actorId', 'outcome', 'outcomes', 'idempotency', 'contains', 'arguments'] as const;

const line = 'assertions';
const outcomes: readonly string[] = ['ok', 'denied', 'tool_error', 'unsupported', 'invalid'];
const receipts: readonly string[] = ['not_requested', 'recorded', 'replayed', 'not_recorded'];
const operationMembers: readonly string[] = ['packageId', 'instanceId', 'operationId', 'actorId', 'outcome', 'arguments'];

/** Undefined where there is no operation, which the validator then says. */
export function readFilter(reader: ShapeReader, members: JsonObject, path: string): CallFilter | undefined {
  const listed = members.anyOf === undefined ? [members.operation] : Array.isArray(members.anyOf) ? members.anyOf : [undefined];
  const operations = listed.map((item) => (isJsonObject(item) && isJsonObject(item.operation) ? item.operation : item));
  if (operations.length === 0 || !operations.every(isJsonObject)) return undefined;
  const where = members.anyOf === undefined ? `${path}/operation` : `${path}/anyOf`;
  for (const operation of operations)
    for (const name of Object.keys(operation))
      if (!operationMembers.includes(name)) reader.refuse(where, `'${name}' of an operation`, line);
  const { actorId, outcome, contains, arguments: given } = members;
  for (const operation of operations) {
    if (actorId !== undefined && operation.actorId !== undefined)
      reader.refuse(`${path}/actorId`, 'an actor beside and in an operation', line);
    if ((members.outcomes ?? outcome) !== undefined && operation.outcome !== undefined)
      reader.refuse(`${path}/outcomes`, 'outcomes beside and in an operation', line);
    if ((contains ?? given) !== undefined && operation.arguments !== undefined)
      reader.refuse(`${path}/contains`, 'arguments beside and in an operation', line);
  }
  if (members.outcomes !== undefined && outcome !== undefined) reader.refuse(`${path}/outcome`, "'outcome' beside 'outcomes'", line);
  const isTwice = contains !== undefined && given !== undefined;
  if (isTwice || ![contains, given].every((part) => part === undefined || isJsonObject(part)))
    reader.refuse(`${path}/${contains === undefined ? 'arguments' : 'contains'}`, 'what is no object of arguments', line);
  const by = (operation: JsonObject): JsonObject => present({ ...operation, actorId: operation.actorId ?? actorId });
  return {
    own: by(operations[0] as JsonObject),
    others: operations.slice(1).map(by),
    outcomes: readNames(reader, members.outcomes ?? outcome, { path: `${path}/outcomes`, known: outcomes, what: 'the outcome' }),
    idempotency: readNames(reader, members.idempotency, { path: `${path}/idempotency`, known: receipts, what: 'the idempotency' }),
    contains: isJsonObject(contains) ? contains : isJsonObject(given) ? given : undefined,
  };
}

function readNames(
  reader: ShapeReader,
  given: JsonValue | undefined,
  { path, known, what }: { path: string; known: readonly string[]; what: string },
): string[] | undefined {
  if (given === undefined) return undefined;
  const names = Array.isArray(given) ? given : [given];
  if (names.length === 0) reader.refuse(path, `${what} of an empty list`, line);
  for (const name of names)
    if (typeof name !== 'string' || !known.includes(name)) reader.refuse(path, `${what} ${JSON.stringify(name)}`, line);
  return names.filter((name): name is string => typeof name === 'string');
}

/** Undefined where one filter of ours cannot say it. */
export function asOwnFilter(filter: CallFilter): JsonObject | undefined {
  const choice = asOwnChoice(filter);
  return choice?.anyOf === undefined ? choice : undefined;
}

/** A filter of ours, or `anyOf` of several: one for each operation with each of the receipts. Undefined where neither can say it. */
export function asOwnChoice({ own, others, outcomes: wanted, idempotency = [], contains }: CallFilter): JsonObject | undefined {
  if (contains !== undefined && Object.values(contains).some(isJsonObject)) return undefined;
  const named = wanted === undefined ? undefined : [...new Set(wanted)];
  const receipt = idempotency.length === 0 ? [undefined] : idempotency;
  const filters = [own, ...others].flatMap((operation) =>
    receipt.map((one) =>
      present({
        ...operation,
        outcome: named?.length === 1 ? named[0] : (named ?? operation.outcome),
        idempotency: one,
        arguments: contains ?? operation.arguments,
      }),
    ),
  );
  return filters.length === 1 ? filters[0] : { anyOf: filters };
}

/** A condition on the call `name`. */
export function asCondition(filter: CallFilter, name: string): string {
  const { own, others, outcomes: wanted, idempotency, contains } = filter;
  const any = [own, ...others].map((operation) => allOf(operationConditions(operation, name)));
  return allOf([
    any.length === 1 ? (any[0] as string) : `(${any.join(' || ')})`,
    ...(wanted === undefined ? [] : [`${name}.outcome.kind in ${JSON.stringify(wanted)}`]),
    ...(idempotency === undefined ? [] : [`${name}.idempotency in ${JSON.stringify(idempotency)}`]),
    ...(contains === undefined ? [] : containsConditions(`${name}.arguments`, contains)),
  ]);
}

function operationConditions({ outcome, arguments: given, ...operation }: JsonObject, name: string): string[] {
  return [
    ...Object.entries(operation).map(([member, value]) => `${name}.${member} == ${JSON.stringify(value)}`),
    ...(outcome === undefined ? [] : [`${name}.outcome.kind in ${JSON.stringify([outcome].flat())}`]),
    ...(isJsonObject(given) ? containsConditions(`${name}.arguments`, given) : []),
  ];
}

/** Objects hold what is wanted of them, member by member; anything else is equal. JSON is a literal of CEL. */
export function containsConditions(place: string, wanted: JsonObject): string[] {
  return Object.entries(wanted).flatMap(([name, value]) => {
    const text = JSON.stringify(name);
    const inner = `${place}[${text}]`;
    const there = `${text} in ${place}`;
    return isJsonObject(value) ? [there, ...containsConditions(inner, value)] : [there, `${inner} == ${JSON.stringify(value)}`];
  });
}

export function allOf(conditions: readonly string[]): string {
  return conditions.length === 1 ? (conditions[0] as string) : `(${conditions.join(' && ')})`;
}
