// What a request asks, free of its fragments and variables: the root fields, what lies below each, and what it costs. Runs in the realm.
import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  getNamedType,
  getNullableType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';

export type Variables = { readonly [name: string]: unknown };
export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;
export interface Scope {
  schema: GraphQLSchema;
  fragments: Fragments;
  /** Coerced. */
  variables: Variables;
}

export function fragmentsOf({ definitions }: DocumentNode): Fragments {
  const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
}

/**
 * Before anything is validated, so a fragment may be missing, or inside of itself: then it counts for nothing, and is refused later. A list
 * argument counts as its resolver sees it: with the default of its variable, or of the schema.
 */
export function complexityOf(
  { selectionSet }: OperationDefinitionNode,
  type: GraphQLNamedType | undefined,
  { schema, fragments, variables }: Scope,
): { depth: number; cost: number } {
  const known = new Map<string, { depth: number; cost: number }>();
  const named = (name: string | undefined, otherwise: GraphQLNamedType | undefined): GraphQLNamedType | undefined =>
    name === undefined ? otherwise : schema.getType(name);
  const ofSet = ({ selections }: SelectionSetNode, within: GraphQLNamedType | undefined): { depth: number; cost: number } => {
    const parts = selections.map((selection) => ofSelection(selection, within));
    return { depth: Math.max(0, ...parts.map(({ depth }) => depth)), cost: parts.reduce((sum, { cost }) => sum + cost, 0) };
  };
  const ofSelection = (selection: SelectionNode, within: GraphQLNamedType | undefined): { depth: number; cost: number } => {
    if (selection.kind === Kind.INLINE_FRAGMENT) return ofSet(selection.selectionSet, named(selection.typeCondition?.name.value, within));
    if (selection.kind === Kind.FRAGMENT_SPREAD) return ofFragment(selection.name.value);
    // Descriptions of the schema have a bound of their own among the rules of validation.
    if (selection.selectionSet === undefined || selection.name.value.startsWith('__')) return { depth: 1, cost: 1 };
    const field = fieldOf(within, selection.name.value);
    const below = ofSet(selection.selectionSet, field === undefined ? undefined : getNamedType(field.type));
    return { depth: below.depth + 1, cost: 1 + below.cost * timesOf(selection, field, variables) };
  };
  const ofFragment = (name: string): { depth: number; cost: number } => {
    const fragment = fragments.get(name);
    if (fragment === undefined) return { depth: 0, cost: 0 };
    const before = known.get(name);
    if (before !== undefined) return before;
    known.set(name, { depth: 0, cost: 0 });
    const found = ofSet(fragment.selectionSet, named(fragment.typeCondition.name.value, undefined));
    known.set(name, found);
    return found;
  };
  return ofSet(selectionSet, type);
}

type FieldDefinition = GraphQLField<unknown, unknown>;
function fieldOf(type: GraphQLNamedType | undefined, name: string): FieldDefinition | undefined {
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
}

const listArguments = ['first', 'last', 'limit'];
function timesOf({ arguments: given = [] }: FieldNode, field: FieldDefinition | undefined, variables: Variables): number {
  const counts = listArguments.map((name) => {
    const value = given.find((argument) => argument.name.value === name)?.value;
    const isGiven = value !== undefined && (value.kind !== Kind.VARIABLE || Object.hasOwn(variables, value.name.value));
    if (!isGiven) return field?.args.find((argument) => argument.name === name)?.defaultValue;
    return value.kind === Kind.VARIABLE ? variables[value.name.value] : value.kind === Kind.INT ? Number(value.value) : 1;
  });
  return Math.max(1, ...counts.filter((count) => typeof count === 'number'));
}

/** By response key, in order of the request: the nodes that ask for it. */
export function rootFieldsOf(selectionSet: SelectionSetNode, type: GraphQLObjectType, scope: Scope): Map<string, FieldNode[]> {
  const found = new Map<string, FieldNode[]>();
  const collect = ({ selections }: SelectionSetNode, spread: Set<string>): void => {
    for (const selection of selections) {
      if (!isIncluded(selection, scope)) continue;
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        found.set(key, [...(found.get(key) ?? []), selection]);
        continue;
      }
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? scope.fragments.get(selection.name.value) : selection;
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        if (spread.has(selection.name.value)) continue;
        spread.add(selection.name.value);
      }
      if (fragment !== undefined && applies(fragment.typeCondition?.name.value, type, scope)) collect(fragment.selectionSet, spread);
    }
  };
  collect(selectionSet, new Set());
  return found;
}

function applies(condition: string | undefined, type: GraphQLObjectType, { schema }: Scope): boolean {
  if (condition === undefined || condition === type.name) return true;
  const named = schema.getType(condition);
  return isAbstractType(named) && schema.isSubType(named, type);
}

function isIncluded(node: SelectionNode, { variables }: Scope): boolean {
  if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.if === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if !== false;
}

/** The same selections with fragments in their places and values for variables, without what is skipped. */
export function withoutVariables(selections: readonly SelectionNode[], type: GraphQLNamedType | undefined, scope: Scope): SelectionSetNode {
  const plain = selections.filter((selection) => isIncluded(selection, scope)).map((selection) => plainSelection(selection, type, scope));
  return { kind: Kind.SELECTION_SET, selections: plain.length === 0 ? [nothing] : plain };
}

function plainSelection(selection: SelectionNode, type: GraphQLNamedType | undefined, scope: Scope): SelectionNode {
  if (selection.kind === Kind.FIELD) return plainField(selection, type, scope);
  const fragment =
    selection.kind === Kind.FRAGMENT_SPREAD ? (scope.fragments.get(selection.name.value) as FragmentDefinitionNode) : selection;
  const { typeCondition, selectionSet } = fragment;
  const inside = typeCondition === undefined ? type : scope.schema.getType(typeCondition.name.value);
  const plain = withoutVariables(selectionSet.selections, inside, scope);
  return { kind: Kind.INLINE_FRAGMENT, selectionSet: plain, ...(typeCondition === undefined ? {} : { typeCondition }) };
}

function plainField(node: FieldNode, type: GraphQLNamedType | undefined, scope: Scope): FieldNode {
  const definition = fieldOf(type, node.name.value);
  const given = (node.arguments ?? []).flatMap((argument): ArgumentNode[] => {
    const value = literalOf(argument.value, definition?.args.find((one) => one.name === argument.name.value)?.type, scope);
    return value === undefined ? [] : [{ ...argument, value }];
  });
  const { selectionSet, ...rest } = node;
  const below: GraphQLNamedType | undefined = definition === undefined ? undefined : getNamedType(definition.type);
  const plain = selectionSet === undefined ? {} : { selectionSet: withoutVariables(selectionSet.selections, below, scope) };
  return { ...rest, arguments: given, directives: [], ...plain };
}

/** Undefined for a variable without a value: then the argument is not given either. */
function literalOf(node: ValueNode, type: GraphQLInputType | undefined, scope: Scope): ValueNode | undefined {
  const of = type === undefined ? undefined : getNullableType(type);
  switch (node.kind) {
    case Kind.VARIABLE: {
      const { value: name } = node.name;
      return Object.hasOwn(scope.variables, name) ? literal(scope.variables[name], of) : undefined;
    }
    case Kind.LIST: {
      const item = isListType(of) ? (of.ofType as GraphQLInputType) : undefined;
      return { ...node, values: node.values.map((value) => literalOf(value, item, scope) ?? { kind: Kind.NULL }) };
    }
    case Kind.OBJECT: {
      const fields = isInputObjectType(of) ? of.getFields() : {};
      return {
        ...node,
        fields: node.fields.flatMap((field) => {
          const value = literalOf(field.value, fields[field.name.value]?.type, scope);
          return value === undefined ? [] : [{ ...field, value }];
        }),
      };
    }
    default:
      return node;
  }
}

function literal(value: unknown, given: GraphQLInputType | undefined): ValueNode {
  const type = given === undefined ? undefined : getNullableType(given);
  if (value === null || value === undefined) return { kind: Kind.NULL };
  if (typeof value === 'boolean') return { kind: Kind.BOOLEAN, value };
  if (typeof value === 'number') return { kind: Number.isInteger(value) ? Kind.INT : Kind.FLOAT, value: JSON.stringify(value) };
  if (typeof value === 'string') return isEnumType(type) ? { kind: Kind.ENUM, value } : { kind: Kind.STRING, value };
  if (Array.isArray(value)) {
    const item = isListType(type) ? (type.ofType as GraphQLInputType) : undefined;
    return { kind: Kind.LIST, values: value.map((one) => literal(one, item)) };
  }
  const fields = isInputObjectType(type) ? type.getFields() : {};
  return {
    kind: Kind.OBJECT,
    fields: Object.entries(value).map(([name, one]) => ({
      kind: Kind.OBJECT_FIELD,
      name: { kind: Kind.NAME, value: name },
      value: literal(one, fields[name]?.type),
    })),
  };
}

/** Selects nothing; a selection cannot be empty. */
const nothing: FieldNode = {
  kind: Kind.FIELD,
  name: { kind: Kind.NAME, value: '__typename' },
  directives: [
    {
      kind: Kind.DIRECTIVE,
      name: { kind: Kind.NAME, value: 'include' },
      arguments: [{ kind: Kind.ARGUMENT, name: { kind: Kind.NAME, value: 'if' }, value: { kind: Kind.BOOLEAN, value: false } }],
    },
  ],
};
