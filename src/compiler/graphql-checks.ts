// The GraphQL schema of a manifest: whether it is one, and whether its root fields can be operations.
import { validateSchema } from 'graphql';
import { type GraphqlSettings, graphqlRouteId } from '../contract/world/tool-graphql.js';
import type { ToolGraphql, ToolManifest } from '../contract/world/tool-manifest.js';
import { expandGraphql, graphqlFields, graphqlSchemaOf, graphqlSettings } from '../tools/graphql-schema.js';
import { didYouMean } from './did-you-mean.js';
import type { ManifestFinding } from './manifest-finding.js';

export interface ReadGraphql {
  findings: ManifestFinding[];
  /** With an operation for each root field; as it was written where something was found. */
  manifest: ToolManifest;
  /** What the kit of its behavior is made with; absent where something was found, or the tool has no GraphQL API. */
  settings?: GraphqlSettings;
}

export function readGraphql(manifest: ToolManifest): ReadGraphql {
  const findings = graphqlFindings(manifest);
  const { graphql } = manifest;
  if (findings.length > 0 || graphql === undefined) return { findings, manifest };
  return { findings, manifest: expandGraphql(manifest), settings: graphqlSettings(graphql) };
}

function graphqlFindings(manifest: ToolManifest): ManifestFinding[] {
  const { graphql, http } = manifest;
  if (graphql === undefined) return [];
  const fault = schemaFault(graphql.schema);
  if (fault !== undefined) return [finding('/schema', fault)];
  const index = http.findIndex(({ id }) => id === graphqlRouteId);
  const taken = index < 0 ? [] : [{ ...finding('', `'${graphqlRouteId}' is the route of the GraphQL API`), path: `/http/${index}/id` }];
  return [...fieldFindings(graphql), ...taken];
}

function schemaFault(schema: string): string | undefined {
  try {
    const [error] = validateSchema(graphqlSchemaOf({ schema }));
    return error === undefined ? undefined : placed(error);
  } catch (error) {
    return placed(error as Parameters<typeof placed>[0]);
  }
}

const placed = ({ message, locations }: { message: string; locations?: readonly { line: number; column: number }[] | undefined }): string =>
  `the schema is none: ${message}${locations?.[0] === undefined ? '' : ` (line ${locations[0].line}, column ${locations[0].column})`}`;

function fieldFindings(graphql: ToolGraphql): ManifestFinding[] {
  const fields = graphqlFields(graphql);
  const names = fields.map(({ root, field }) => `${root === 'query' ? 'Query' : 'Mutation'}.${field}`);
  const known = new Map<string, string>();
  const clashes = fields.flatMap(({ operationId }, place): ManifestFinding[] => {
    const name = names[place] as string;
    const other = known.get(operationId);
    known.set(operationId, other ?? name);
    if (!/^[a-z]/.test(operationId)) return [{ ...finding('/schema', `${name} has no id of an operation`), suggestion: nameIt(name) }];
    if (other === undefined) return [];
    return [{ ...finding('/schema', `${name} and ${other} would be one operation, '${operationId}'`), suggestion: nameIt(name) }];
  });
  const unknown = Object.keys(graphql.operations ?? {}).filter((name) => !names.includes(name));
  return [
    ...clashes,
    ...unknown.map((name) => ({
      ...finding(`/operations/${name}`, `the schema has no root field ${name}`),
      suggestion: didYouMean(name, names),
    })),
  ];
}

const nameIt = (field: string): string => `Name it in graphql.operations: { ${field}: an.id }.`;

function finding(path: string, message: string): ManifestFinding {
  return { code: 'DY5031', path: `/graphql${path}`, message };
}
