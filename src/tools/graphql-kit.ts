// What a behavior with a GraphQL schema is bundled with: it plans a request as calls of operations, one for each root field, resolves each
// root field inside its operation, and puts the reply together. Runs in the realm; names nothing of the host.
//   GRAPHQL-KIT-1. Each root field is one call, in the order of the request, one after another. A request that is not valid, or crosses a
//     bound, is none.
//   GRAPHQL-KIT-2. Data and errors are those of the reference executor over the same resolvers.
import {
  buildSchema,
  type DocumentNode,
  executeSync,
  type FieldNode,
  type GraphQLError,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getVariableValues,
  isCompositeType,
  isLeafType,
  isNonNullType,
  isRequiredArgument,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  print,
  type SelectionSetNode,
  validate,
} from 'graphql';
import {
  type GraphqlCall,
  type GraphqlField,
  type GraphqlPlan,
  type GraphqlSettings,
  graphqlRouteId,
  invalidSelection,
  selectionArgument,
} from '../contract/world/tool-graphql.js';
import { complexityOf, fragmentsOf, rootFieldsOf, type Scope, type Variables, withoutVariables } from './graphql-selection.js';
import { ValidTexts } from './valid-texts.js';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Resolver = (parent: unknown, args: object, context: unknown) => unknown;
interface Behavior {
  operations: { [id: string]: unknown };
  http?: { [id: string]: unknown };
  graphql?: { [type: string]: { [field: string]: Resolver } };
}
interface ReplyError {
  message: string;
  path?: (string | number)[];
  locations?: readonly { line: number; column: number }[];
  extensions?: { [name: string]: unknown };
}
/** A member of the reply: a call's, known already, or failed before its call. */
type Part = { key: string } & ({ call: number } | { value: Json } | { error: ReplyError; nonNull: boolean });
interface Plan extends GraphqlPlan {
  parts: Part[];
  refused?: ReplyError[];
}
interface Outcome {
  kind: string;
  value?: { data: Json; errors?: ReplyError[] };
  error?: { code: string; message: string; retryable: boolean; details?: unknown };
}

/** The behavior with a handler for each root field that it resolves, and the codec of the route. */
export function withGraphql(exported: object, settings: GraphqlSettings): Behavior {
  const behavior = ('behavior' in exported ? exported.behavior : exported) as Behavior;
  const kit = new GraphqlKit(settings, behavior.graphql ?? {});
  return {
    ...behavior,
    operations: { ...behavior.operations, ...kit.operations() },
    http: { ...behavior.http, [graphqlRouteId]: { decode: kit.decode, encode: kit.encode } },
  };
}

class GraphqlKit {
  readonly #settings: GraphqlSettings;
  readonly #resolvers: NonNullable<Behavior['graphql']>;
  #built: GraphQLSchema | undefined;
  readonly #validQueries = new ValidTexts();
  readonly #validSelections = new ValidTexts();

  constructor(settings: GraphqlSettings, resolvers: NonNullable<Behavior['graphql']>) {
    this.#settings = settings;
    this.#resolvers = resolvers;
  }

  operations(): { [id: string]: (input: { [name: string]: Json }, context: unknown) => Json } {
    const resolved = this.#settings.fields.filter(({ root, field }) => this.#resolverOf(this.#rootName(root), field) !== undefined);
    return Object.fromEntries(resolved.map((field) => [field.operationId, (input, context) => this.#resolve(field, input, context)]));
  }

  readonly decode = ({ body }: { body: { kind: string; value?: Json } }): { arguments: Plan } => {
    try {
      return { arguments: this.#plan(body.kind === 'json' ? body.value : undefined) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { arguments: { status: 400, calls: [], parts: [], refused: error.errors } };
    }
  };

  readonly encode = ({ plan, outcomes }: { plan: Plan; outcomes: Outcome[] }): object => {
    const { refused } = plan;
    return { body: { kind: 'json', value: refused === undefined ? replyOf(plan, outcomes) : { errors: refused } } };
  };

  get #schema(): GraphQLSchema {
    this.#built ??= buildSchema(this.#settings.schema);
    return this.#built;
  }
  #rootType(root: GraphqlField['root']): GraphQLObjectType {
    const type = root === 'query' ? this.#schema.getQueryType() : this.#schema.getMutationType();
    if (type === null || type === undefined) throw new Refusal([{ message: `The schema has no ${root}.` }]);
    return type;
  }
  /** Resolvers are under the names that most schemas have, whatever this one calls its roots. */
  #rootName(root: GraphqlField['root']): string {
    return root === 'query' ? 'Query' : 'Mutation';
  }
  #resolverOf(type: string, field: string): Resolver | undefined {
    const fields = Object.hasOwn(this.#resolvers, type) ? this.#resolvers[type] : undefined;
    return fields !== undefined && Object.hasOwn(fields, field) ? fields[field] : undefined;
  }

  #plan(body: Json | undefined): Plan {
    const { query, variables, operationName } = requestOf(body);
    const document = parsed(query, this.#settings.tokensMax);
    const operation = operationIn(document, operationName);
    const raw = (variables ?? {}) as Variables;
    const given = getVariableValues(this.#schema, operation.variableDefinitions ?? [], raw, { maxErrors: 20 });
    const scope = { schema: this.#schema, fragments: fragmentsOf(document), variables: given.coerced ?? raw };
    this.#requireBounds(complexityOf(operation, this.#schema.getRootType(operation.operation) ?? undefined, scope));
    if (!this.#validQueries.has(query)) {
      const errors = validate(this.#schema, document);
      if (errors.length > 0) throw new Refusal(errors.map(said));
      this.#validQueries.add(query);
    }
    if (operation.operation === OperationTypeNode.SUBSCRIPTION) throw new Refusal([{ message: 'Subscriptions are not served here.' }]);
    if (given.errors !== undefined) throw new Refusal(given.errors.map(said));
    return this.#planOperation(operation, scope);
  }

  #planOperation(operation: OperationDefinitionNode, scope: Scope): Plan {
    const root = operation.operation === OperationTypeNode.MUTATION ? 'mutation' : 'query';
    const type = this.#rootType(root);
    const calls: GraphqlCall[] = [];
    const parts: Part[] = [];
    for (const [key, nodes] of rootFieldsOf(operation.selectionSet, type, scope)) {
      const [node] = nodes as [FieldNode];
      const known = this.#settings.fields.find((field) => field.root === root && field.field === node.name.value);
      if (known === undefined) {
        const { data } = this.#execute(operation, withoutVariables(nodes, type, scope));
        parts.push({ key, value: copied(data?.[key]) });
        continue;
      }
      const planned = this.#planCall(known, nodes, { type, scope });
      if ('error' in planned) parts.push({ key, ...planned, error: { ...planned.error, path: [key] } });
      else parts.push({ key, call: calls.push(planned) - 1 });
      if ('error' in planned && planned.nonNull) break;
    }
    const { callsMax } = this.#settings;
    if (calls.length > callsMax) throw new Refusal([{ message: `The request has ${calls.length} root fields; ${callsMax} are the most.` }]);
    return { status: 200, calls, parts };
  }

  #planCall(
    { field, operationId }: GraphqlField,
    nodes: readonly FieldNode[],
    { type, scope }: { type: GraphQLObjectType; scope: Scope },
  ): GraphqlCall | { error: ReplyError; nonNull: boolean } {
    const definition = type.getFields()[field] as ReturnType<GraphQLObjectType['getFields']>[string];
    const nonNull = isNonNullType(definition.type);
    const [plain] = withoutVariables([mergedNode(nodes)], type, scope).selections as unknown as [FieldNode];
    try {
      const args = copied(getArgumentValues(definition, nodes[0] as FieldNode, scope.variables)) as { [name: string]: Json };
      if (plain.selectionSet !== undefined) args[selectionArgument] = print(plain.selectionSet);
      return { operationId, arguments: args, nonNull };
    } catch (error) {
      const { message } = error as GraphQLError;
      return { error: { message }, nonNull };
    }
  }

  #requireBounds({ depth, cost }: { depth: number; cost: number }): void {
    const { depthMax, costMax } = this.#settings;
    if (depth > depthMax) throw new Refusal([{ message: `The request is ${depth} fields deep; ${depthMax} is the most.` }]);
    if (cost > costMax) throw new Refusal([{ message: `The request costs ${cost}; ${costMax} is the most.` }]);
  }

  /** Inside of the field's operation. What its own resolver throws ends the call; a failure further down is a part of the result. */
  #resolve({ root, field }: GraphqlField, input: { [name: string]: Json }, context: unknown): Json {
    const type = this.#rootType(root);
    const definition = type.getFields()[field] as ReturnType<GraphQLObjectType['getFields']>[string];
    const { [selectionArgument]: selection, ...args } = input;
    const names = definition.args.filter(({ name }) => Object.hasOwn(args, name));
    const head = names.length === 0 ? '' : `(${names.map(({ name, type: of }) => `$${name}: ${of}`).join(', ')})`;
    const passed = names.length === 0 ? '' : `(${names.map(({ name }) => `${name}: $${name}`).join(', ')})`;
    const text = `${root} ${head} { ${field}${passed} }`;
    const document = parse(text);
    const operation = document.definitions[0] as OperationDefinitionNode;
    const node = operation.selectionSet.selections[0] as FieldNode;
    const selectionSet = this.#selectionOf(definition.type, selection as string | undefined);
    const selected = { kind: Kind.SELECTION_SET, selections: [selectionSet === undefined ? node : { ...node, selectionSet }] } as const;
    if (selection !== undefined) this.#requireSelection({ ...operation, selectionSet: selected }, args, `${text} ${selection}`);
    const { data, errors = [] } = this.#execute(operation, selected, { args, context });
    const result = { data: copied(data?.[field]) };
    return errors.length === 0 ? result : { ...result, errors: copied(errors.map(partialError)) };
  }

  #selectionOf(type: GraphQLObjectType['astNode'] | unknown, text: string | undefined): SelectionSetNode | undefined {
    const named = getNamedType(type as GraphQLObjectType);
    if (!isCompositeType(named)) return undefined;
    if (text === undefined) return parsedSelection(plainFields(named, 2));
    try {
      return parsedSelection(text);
    } catch (error) {
      throw selectionFailure((error as Error).message);
    }
  }

  /** `text`: of the call and its selection, which the operation is made of. */
  #requireSelection(operation: OperationDefinitionNode, variables: Variables, text: string): void {
    if (!this.#validSelections.has(text)) {
      const [error] = validate(this.#schema, { kind: Kind.DOCUMENT, definitions: [operation] });
      if (error !== undefined) throw selectionFailure(error.message);
      this.#validSelections.add(text);
    }
    try {
      const type = this.#rootType(operation.operation as GraphqlField['root']);
      this.#requireBounds(complexityOf(operation, type, { schema: this.#schema, fragments: new Map(), variables }));
    } catch (refusal) {
      throw selectionFailure((refusal as Refusal).errors[0]?.message ?? '');
    }
  }

  #execute(
    operation: OperationDefinitionNode,
    selectionSet: SelectionSetNode,
    { args, context }: { args?: { [name: string]: Json }; context?: unknown } = {},
  ) {
    const definitions = args === undefined ? [] : (operation.variableDefinitions ?? []);
    const document: DocumentNode = {
      kind: Kind.DOCUMENT,
      definitions: [{ ...operation, directives: [], variableDefinitions: definitions, selectionSet }],
    };
    let ended: { error: unknown } | undefined;
    const result = executeSync({
      schema: this.#schema,
      document,
      variableValues: args ?? {},
      contextValue: context,
      typeResolver: (value) => (value as { __typename?: string }).__typename,
      fieldResolver: (parent, given, world, { parentType, fieldName, path }) => {
        const isRoot = path.prev === undefined;
        const own = this.#resolverOf(isRoot ? this.#rootName(operation.operation as GraphqlField['root']) : parentType.name, fieldName);
        try {
          return own === undefined ? (parent as { [name: string]: unknown } | undefined)?.[fieldName] : own(parent, given, world);
        } catch (error) {
          if (isRoot || !isFailure(error)) ended ??= { error };
          throw error;
        }
      },
    });
    if (ended !== undefined) throw ended.error;
    return result;
  }
}

/** A request that is answered without a call. */
class Refusal extends Error {
  readonly errors: ReplyError[];
  constructor(errors: ReplyError[]) {
    super(errors[0]?.message);
    this.errors = errors;
  }
}

function requestOf(body: Json | undefined): { query: string; variables?: Json; operationName?: Json } {
  const request = (typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {}) as { [name: string]: Json };
  const { query, variables } = request;
  if (typeof query !== 'string') throw new Refusal([{ message: "A request is JSON with a text 'query'." }]);
  if (variables !== undefined && (typeof variables !== 'object' || Array.isArray(variables)))
    throw new Refusal([{ message: "'variables' is an object." }]);
  return request as { query: string };
}

function parsed(query: string, maxTokens: number): DocumentNode {
  try {
    return parse(query, { maxTokens });
  } catch (error) {
    throw new Refusal([said(error as GraphQLError)]);
  }
}

function operationIn(document: DocumentNode, name: Json | undefined): OperationDefinitionNode {
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const found = operations.filter((operation) => typeof name !== 'string' || name === '' || operation.name?.value === name);
  const [operation] = found;
  if (operation !== undefined && (found.length === 1 || (typeof name === 'string' && name !== ''))) return operation;
  const message = operation === undefined ? 'The request has no such operation.' : 'The request has several operations; name one.';
  throw new Refusal([{ message }]);
}

/** Of a response key that several nodes ask for: what all of them ask below it. */
function mergedNode(nodes: readonly FieldNode[]): FieldNode {
  const [first] = nodes as [FieldNode];
  if (first.selectionSet === undefined) return first;
  const selections = nodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? []);
  return { ...first, selectionSet: { kind: Kind.SELECTION_SET, selections } };
}

function parsedSelection(text: string): SelectionSetNode | undefined {
  const [definition, ...others] = parse(`{ field ${text} }`).definitions;
  const { selections } = (definition as OperationDefinitionNode).selectionSet;
  const [field] = selections;
  if (others.length > 0 || selections.length !== 1 || field?.kind !== Kind.FIELD || (field.arguments ?? []).length > 0)
    throw new Error('A selection is the fields of the result in braces.');
  return field.selectionSet;
}

/** Without being asked: what is plain, of the result and of the objects in it. */
function plainFields(type: unknown, levels: number): string {
  const fields = Object.values((type as Partial<GraphQLObjectType>).getFields?.() ?? {}).filter(
    ({ args }) => !args.some(isRequiredArgument),
  );
  const texts = fields.flatMap((field) => {
    const named = getNamedType(field.type);
    if (isLeafType(named)) return [field.name];
    return levels === 0 ? [] : [`${field.name} ${plainFields(named, levels - 1)}`];
  });
  return `{ ${['__typename', ...texts].join(' ')} }`;
}

function replyOf({ parts, calls }: Plan, outcomes: readonly Outcome[]): object {
  const errors: ReplyError[] = [];
  const data: [string, Json][] = [];
  let isNull = false;
  for (const part of parts) {
    if ('value' in part) data.push([part.key, part.value]);
    else if ('error' in part) {
      errors.push(part.error);
      data.push([part.key, null]);
      isNull ||= part.nonNull;
    } else {
      addOutcome(part.key, outcomes[part.call], { data, errors });
      isNull ||= calls[part.call]?.nonNull === true && data.at(-1)?.[1] === null;
    }
  }
  const reply = { data: isNull ? null : Object.fromEntries(data) };
  return errors.length === 0 ? reply : { errors, ...reply };
}

/** Without an outcome the request has ended before: the reply has no data at all. */
function addOutcome(key: string, outcome: Outcome | undefined, to: { data: [string, Json][]; errors: ReplyError[] }): void {
  if (outcome === undefined) return;
  const { value, error } = outcome;
  to.data.push([key, value?.data ?? null]);
  for (const { path = [], ...partial } of value?.errors ?? []) to.errors.push({ ...partial, path: [key, ...path] });
  if (error === undefined) return;
  const { code, message, retryable, details } = error;
  const more = typeof details === 'object' && details !== null && !Array.isArray(details) ? details : {};
  to.errors.push({ message, path: [key], extensions: { ...more, code, retryable } });
}

function partialError({ message, path = [], originalError }: GraphQLError): ReplyError {
  const below = path.slice(1);
  if (!isFailure(originalError)) return { message, path: below };
  const { code, details } = originalError;
  return { message, path: below, extensions: { ...(typeof details === 'object' && !Array.isArray(details) ? details : {}), code } };
}

function said({ message, locations }: GraphQLError): ReplyError {
  return locations === undefined ? { message } : { message, locations: locations.map(({ line, column }) => ({ line, column })) };
}

const failureMark = Symbol.for('drillyard.ToolFailure');
function isFailure(error: unknown): error is { code: string; details?: object } {
  return typeof error === 'object' && error !== null && (error as { [mark: symbol]: unknown })[failureMark] === true;
}
function selectionFailure(message: string): Error {
  return Object.assign(new Error(message), { code: invalidSelection, [failureMark]: true });
}

/** As JSON: the executor's objects have no prototype. */
function copied(value: unknown): Json {
  return value === undefined ? null : (JSON.parse(JSON.stringify(value)) as Json);
}
