// The operations of a GraphQL schema, one for each root field: ids, schemas of arguments. Run by the compiler.
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { defined } from '../contract/defined.js';
import type { JsonObject, JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import { type GraphqlField, type GraphqlSettings, invalidSelection, selectionArgument } from '../contract/world/tool-graphql.js';
import type { ToolGraphql, ToolManifest, ToolOperation } from '../contract/world/tool-manifest.js';

/** Throws what graphql says of a schema that is none. */
export function graphqlSchemaOf({ schema }: Pick<ToolGraphql, 'schema'>): GraphQLSchema {
  return buildSchema(schema);
}

/** The root fields in the order of the schema, queries first. */
export function graphqlFields({ schema, operations = {} }: Pick<ToolGraphql, 'schema' | 'operations'>): GraphqlField[] {
  const built = graphqlSchemaOf({ schema });
  return (['query', 'mutation'] as const).flatMap((root) =>
    rootFields(built, root).map(({ name }) => {
      const said = operations[`${root === 'query' ? 'Query' : 'Mutation'}.${name}`];
      return { root, field: name, operationId: said ?? operationIdOf(name) };
    }),
  );
}

/** What the kit in the behavior is made with. */
export function graphqlSettings(graphql: ToolGraphql): GraphqlSettings {
  const { schema, depthMax, costMax } = graphql;
  return {
    schema,
    depthMax,
    costMax,
    fields: graphqlFields(graphql),
    tokensMax: limits.graphqlTokensMax,
    callsMax: limits.graphqlCallsMax,
  };
}

/** The manifest with an operation for each root field; what its author wrote of one stands. Doing it twice changes nothing. */
export function expandGraphql(manifest: ToolManifest): ToolManifest {
  if (manifest.graphql === undefined) return manifest;
  const written = new Map(manifest.operations.map((operation) => [operation.id, operation]));
  const built = graphqlSchemaOf(manifest.graphql);
  const made = graphqlFields(manifest.graphql).map(({ root, field, operationId }) => {
    const definition = rootFields(built, root).find(({ name }) => name === field) as GraphQLField<unknown, unknown>;
    return operationOf(definition, { root, operationId, written: written.get(operationId) });
  });
  const byId = new Map(made.map((operation) => [operation.id, operation]));
  // Where its author wrote one it stays, so that findings keep their places.
  const kept = manifest.operations.map((operation) => byId.get(operation.id) ?? operation);
  return { ...manifest, operations: [...kept, ...made.filter(({ id }) => !written.has(id))] };
}

function rootFields(schema: GraphQLSchema, root: GraphqlField['root']): GraphQLField<unknown, unknown>[] {
  const type = root === 'query' ? schema.getQueryType() : schema.getMutationType();
  return Object.values(type?.getFields() ?? {});
}

/** `issueCreate` is `issue_create`: ids have no capitals. */
function operationIdOf(field: string): string {
  return field
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .replace(/^_+|_+$/g, '')
    .replace(/_+/g, '_');
}

interface Making {
  root: GraphqlField['root'];
  operationId: string;
  written: ToolOperation | undefined;
}
function operationOf({ name, description, args }: GraphQLField<unknown, unknown>, { root, operationId, written }: Making): ToolOperation {
  const said = written?.declaredErrors ?? [];
  const own = said.some(({ code }) => code === invalidSelection) ? [] : [{ code: invalidSelection, retryable: false }];
  return {
    id: operationId,
    fidelity: written?.fidelity ?? `The field ${name} of GraphQL.`,
    idempotency: written?.idempotency ?? (root === 'query' ? 'none' : 'optional'),
    inputSchema: inputSchemaOf(args),
    outputSchema: {
      type: 'object',
      properties: { data: true, errors: { type: 'array', items: { type: 'object' } } },
      required: ['data'],
      additionalProperties: false,
    },
    declaredErrors: [...said, ...own],
    ...defined({ description: written?.description ?? description ?? undefined, mcp: written?.mcp }),
  };
}

function inputSchemaOf(args: readonly GraphQLArgument[]): JsonObject {
  const $defs: JsonObject = {};
  const selection = {
    type: 'string',
    maxLength: limits.graphqlSelectionCharsMax,
    description: 'The fields of the result, as GraphQL writes them: { id title }. Without it: its plain fields.',
  };
  const properties: JsonObject = { [selectionArgument]: selection };
  for (const { name, type, description } of args) properties[name] = described(schemaOf(type, $defs), description);
  const required = args.filter(isRequiredArgument).map(({ name }) => name);
  const schema: JsonObject = { type: 'object', properties, additionalProperties: false };
  if (required.length > 0) schema.required = required;
  return Object.keys($defs).length === 0 ? schema : { ...schema, $defs };
}

function schemaOf(type: GraphQLInputType, $defs: JsonObject): JsonObject {
  if (!isNonNullType(type)) {
    const schema = schemaOfNonNull(type, $defs);
    return Object.keys(schema).length === 0 ? schema : { anyOf: [schema, { type: 'null' }] };
  }
  return schemaOfNonNull(type.ofType, $defs);
}
function schemaOfNonNull(type: GraphQLInputType, $defs: JsonObject): JsonObject {
  if (isListType(type)) return { type: 'array', items: schemaOf(type.ofType as GraphQLInputType, $defs) };
  if (isEnumType(type)) return { enum: type.getValues().map(({ name }) => name) };
  if (!isInputObjectType(type)) return scalars[String(type)] ?? {};
  if (!Object.hasOwn($defs, type.name)) {
    const definition: JsonObject = { type: 'object', additionalProperties: false };
    // Before its fields: they may be of its own type.
    $defs[type.name] = definition;
    const fields = Object.values(type.getFields());
    definition.properties = Object.fromEntries(
      fields.map((field) => [field.name, described(schemaOf(field.type, $defs), field.description)]),
    );
    definition.required = fields.filter(isRequiredInputField).map(({ name }) => name);
  }
  return { $ref: `#/$defs/${type.name}` };
}

const scalars: { readonly [name: string]: JsonObject } = {
  Int: { type: 'integer', minimum: -2147483648, maximum: 2147483647 },
  Float: { type: 'number' },
  String: { type: 'string' },
  Boolean: { type: 'boolean' },
  ID: { type: 'string' },
};

const described = (schema: JsonObject, description: string | null | undefined): JsonValue =>
  description === null || description === undefined || description === '' ? schema : { ...schema, description };
