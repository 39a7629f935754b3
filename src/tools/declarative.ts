// Declarative tools: a manifest without a module. Each namespace gets five operations made from its schema; what they do is in
// realm-declarative.ts.
//   create {id?, value} -> {id, value}           ALREADY_EXISTS
//   get    {id} -> {id, value}                   NOT_FOUND
//   list   {filter?, limit?, cursor?} -> {items, nextCursor?}
//   update {id, value} -> {id, value}            NOT_FOUND, INVALID_VALUE; the members given replace those of the row
//   delete {id} -> {id}                          NOT_FOUND
// An operation of the same id in the manifest keeps what its author wrote about it (description, mcp, fidelity, idempotency, further
// errors).
import { defined } from '../contract/defined.js';
import type { JsonObject } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import type {
  Capability,
  DeclaredError,
  JsonSchema,
  StateNamespace,
  ToolManifest,
  ToolOperation,
} from '../contract/world/tool-manifest.js';

const verbs = ['create', 'get', 'list', 'update', 'delete'] as const;
type Verb = (typeof verbs)[number];
const needed: readonly Capability[] = ['state.read', 'state.write', 'random.draw'];
const rowId: JsonObject = { type: 'string', minLength: 1, maxLength: limits.rowIdCharsMax };

export function generatedOperationIds(manifest: Pick<ToolManifest, 'state'>): string[] {
  return manifest.state.flatMap(({ namespace }) => verbs.map((verb) => `${namespace}.${verb}`));
}

/** The manifest with its operations and capabilities complete. Deterministic; doing it twice changes nothing. */
export function expandDeclarative(manifest: ToolManifest): ToolManifest {
  const written = new Map(manifest.operations.map((operation) => [operation.id, operation]));
  const operations = manifest.state.flatMap((namespace) =>
    verbs.map((verb) => {
      const made = generate(manifest.id, namespace, verb);
      return withAuthorsWords(made, written.get(made.id));
    }),
  );
  const capabilities = [...manifest.capabilities, ...needed.filter((capability) => !manifest.capabilities.includes(capability))];
  return { ...manifest, capabilities, operations };
}

function withAuthorsWords(made: ToolOperation, written: ToolOperation | undefined): ToolOperation {
  if (written === undefined) return made;
  const { description, mcp, fidelity, idempotency, declaredErrors = [] } = written;
  const further = declaredErrors.filter(({ code }) => !made.declaredErrors?.some((error) => error.code === code));
  return {
    ...made,
    fidelity,
    idempotency,
    declaredErrors: [...(made.declaredErrors ?? []), ...further],
    ...defined({ description, mcp }),
  };
}

function generate(packageId: string, { namespace, schema }: StateNamespace, verb: Verb): ToolOperation {
  const value = embedded(schema, `urn:drillyard:${packageId}:${namespace}:${verb}`);
  const row = object({ id: rowId, value }, ['id', 'value']);
  const operation = (
    description: string,
    inputSchema: JsonObject,
    outputSchema: JsonObject,
    declaredErrors: DeclaredError[],
  ): ToolOperation => ({
    id: `${namespace}.${verb}`,
    description,
    inputSchema,
    outputSchema,
    declaredErrors,
    idempotency: verb === 'get' || verb === 'list' ? 'none' : 'optional',
    fidelity: 'generated from the state schema',
  });
  const notFound: DeclaredError = { code: 'NOT_FOUND', description: 'There is no record with this id.', retryable: false };
  const byId = object({ id: rowId }, ['id']);
  switch (verb) {
    case 'create': {
      const exists: DeclaredError = { code: 'ALREADY_EXISTS', description: 'There is a record with this id.', retryable: false };
      return operation(`Creates a record in ${namespace}. Without an id it is given one.`, object({ id: rowId, value }, ['value']), row, [
        exists,
      ]);
    }
    case 'get':
      return operation(`Gives one record of ${namespace}.`, byId, row, [notFound]);
    case 'list':
      return operation(`Lists ${namespace} in order of id, filtered by equal members.`, listInput(schema), listOutput(row), []);
    case 'update': {
      const invalid: DeclaredError = { code: 'INVALID_VALUE', description: 'The record would break its schema.', retryable: false };
      const changes = object({ id: rowId, value: embedded(partial(schema), `urn:drillyard:${packageId}:${namespace}:changes`) }, [
        'id',
        'value',
      ]);
      return operation(`Changes the given members of a record of ${namespace}.`, changes, row, [notFound, invalid]);
    }
    case 'delete':
      return operation(`Deletes a record of ${namespace}.`, byId, byId, [notFound]);
  }
}

function listInput(schema: JsonSchema): JsonObject {
  const names =
    typeof schema === 'object' && typeof schema.properties === 'object' && schema.properties !== null ? Object.keys(schema.properties) : [];
  const filter: JsonObject = names.length === 0 ? { type: 'object' } : object(Object.fromEntries(names.map((name) => [name, true])), []);
  return object(
    {
      filter,
      limit: { type: 'integer', minimum: 1, maximum: limits.declarativePageRowsMax, default: limits.declarativePageRowsDefault },
      cursor: rowId,
    },
    [],
  );
}

function listOutput(row: JsonObject): JsonObject {
  return object({ items: { type: 'array', items: row }, nextCursor: rowId }, ['items']);
}

function object(properties: JsonObject, required: string[]): JsonObject {
  return { type: 'object', properties, required, additionalProperties: false };
}

/** A schema's own references (`#/$defs/...`) still mean itself inside another when it has an id. */
function embedded(schema: JsonSchema, id: string): JsonSchema {
  if (typeof schema === 'boolean' || typeof schema.$id === 'string' || !/"\$(?:dynamic)?[rR]ef":"#/.test(JSON.stringify(schema)))
    return schema;
  return { $id: id, ...schema };
}

/** The schema of some members of a row: none is required. What else the schema says is checked when the whole row is put. */
function partial(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean') return true;
  const kept = [
    '$defs',
    'definitions',
    'type',
    'properties',
    'patternProperties',
    'additionalProperties',
    'propertyNames',
    'title',
    'description',
  ];
  return Object.fromEntries(Object.entries(schema).filter(([name]) => kept.includes(name)));
}
