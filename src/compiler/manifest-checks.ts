// What a manifest's shape cannot say: ids, references inside the package, schemas that compile, routes, versions.
import satisfies from 'semver/functions/satisfies.js';
import valid from 'semver/functions/valid.js';
import validRange from 'semver/ranges/valid.js';
import type { JsonSchema, ToolManifest } from '../contract/world/tool-manifest.js';
import { generatedOperationIds } from '../tools/declarative.js';
import { type SchemaFault, schemaFault } from '../tools/schemas.js';
import { didYouMean } from './did-you-mean.js';
import { type ManifestFinding, unknownId } from './manifest-finding.js';
import { mcpFindings } from './mcp-checks.js';
import { callbackHeaderFindings, routeFindings, wireFindings } from './route-checks.js';
import { schemaKeywordFindings } from './schema-keywords.js';

interface Subject {
  manifest: ToolManifest;
  /** Without a module. The manifest is not expanded yet. */
  declarative: boolean;
  /** Undefined: the manifest speaks of another engine. */
  engineVersion: string | undefined;
}

export function checkManifest(subject: Subject): ManifestFinding[] {
  const { manifest } = subject;
  return [
    ...versionFindings(subject),
    ...(manifest.id === 'world'
      ? [{ code: 'DY5013' as const, path: '/id', message: "'world' names the world itself; a tool needs another id" }]
      : []),
    ...(['state', 'operations', 'events', 'subscriptions', 'faults', 'http', 'callbacks', 'connections'] as const).flatMap((list) =>
      duplicateFindings(manifest, list),
    ),
    ...schemaFindings(manifest),
    ...(subject.declarative ? declarativeFindings(manifest) : []),
    ...faultFindings(subject),
    ...manifest.callbacks.flatMap(({ eventId }, index) =>
      unknownId(manifest.events, eventId, { code: 'DY3007', path: `/callbacks/${index}/eventId`, what: 'event' }),
    ),
    ...manifest.subscriptions.flatMap(({ event }, index) =>
      event.packageId === manifest.id
        ? unknownId(manifest.events, event.eventId, { code: 'DY3007', path: `/subscriptions/${index}/event/eventId`, what: 'event' })
        : [],
    ),
    ...routeFindings(manifest),
    ...wireFindings(manifest),
    ...callbackHeaderFindings(manifest),
    ...mcpFindings(manifest),
  ];
}

function versionFindings({ manifest, engineVersion }: Subject): ManifestFinding[] {
  const findings: ManifestFinding[] = [];
  if (valid(manifest.version) === null) {
    findings.push({
      code: 'DY5006',
      path: '/version',
      message: `'${manifest.version}' is not a semantic version`,
      suggestion: 'Write three numbers, as 1.0.0.',
    });
  }
  if (validRange(manifest.engine) === null) {
    findings.push({
      code: 'DY5007',
      path: '/engine',
      message: `'${manifest.engine}' is not a range of semantic versions`,
      suggestion: engineVersion === undefined ? undefined : `Write a range that holds ${engineVersion}, as ^${engineVersion}.`,
    });
  } else if (engineVersion !== undefined && !satisfies(engineVersion, manifest.engine, { includePrerelease: true })) {
    findings.push({ code: 'DY5007', path: '/engine', message: `the package wants an engine ${manifest.engine}; this is ${engineVersion}` });
  }
  return findings;
}

function duplicateFindings(
  manifest: ToolManifest,
  list: 'state' | 'operations' | 'events' | 'subscriptions' | 'faults' | 'http' | 'callbacks' | 'connections',
): ManifestFinding[] {
  const key = list === 'state' ? 'namespace' : 'id';
  const seen = new Set<string>();
  return (manifest[list] as object[] as { [key: string]: unknown }[]).flatMap((item, index) => {
    // What another package is connected with may have no id.
    if (item[key] === undefined) return [];
    const id = String(item[key]);
    const again = seen.has(id);
    seen.add(id);
    return again
      ? [{ code: 'DY3001' as const, path: `/${list}/${index}/${key}`, message: `'${id}' is the ${key} of two entries of ${list}` }]
      : [];
  });
}

function schemaFindings({ state, operations, events }: ToolManifest): ManifestFinding[] {
  const schemas: [string, JsonSchema][] = [
    ...state.map(({ schema }, index) => [`/state/${index}/schema`, schema] as [string, JsonSchema]),
    ...operations.flatMap(({ inputSchema, outputSchema }, index) => [
      [`/operations/${index}/inputSchema`, inputSchema] as [string, JsonSchema],
      [`/operations/${index}/outputSchema`, outputSchema] as [string, JsonSchema],
    ]),
    ...events.map(({ payloadSchema }, index) => [`/events/${index}/payloadSchema`, payloadSchema] as [string, JsonSchema]),
  ];
  return schemas.flatMap(([path, schema]): ManifestFinding[] => {
    const fault = schemaFault(schema);
    return fault === null ? schemaKeywordFindings(schema, path) : [schemaFinding(fault, path)];
  });
}

function schemaFinding({ path: within, message, refused }: SchemaFault, base: string): ManifestFinding {
  const path = base + within;
  if (refused) return { code: 'DY5019', path, message, suggestion: patternAdvice };
  return { code: 'DY5008', path, message: `the schema ${message.startsWith('must') ? message : `does not compile: ${message}`}` };
}

const patternAdvice =
  "Patterns are checked in linear time. Say what else must match as another pattern in 'allOf', and what must not under 'not'.";

function declarativeFindings(manifest: ToolManifest): ManifestFinding[] {
  const made = generatedOperationIds(manifest);
  return [
    ...manifest.operations.flatMap(({ id }, index) =>
      made.includes(id)
        ? []
        : [
            {
              code: 'DY5012' as const,
              path: `/operations/${index}/id`,
              message: `'${id}' needs a module: without one a package has only what is made from its state`,
              suggestion: didYouMean(id, made),
            },
          ],
    ),
    ...(['subscriptions', 'http', 'callbacks'] as const).flatMap((list) =>
      manifest[list].length === 0
        ? []
        : [{ code: 'DY5012' as const, path: `/${list}`, message: `${list} need a module that handles them` }],
    ),
    ...(manifest.state.length === 0
      ? [{ code: 'DY5012' as const, path: '/state', message: 'a package without a module and without state has no operation' }]
      : []),
  ];
}

function faultFindings({ manifest, declarative }: Subject): ManifestFinding[] {
  const operations = declarative ? generatedOperationIds(manifest).map((id) => ({ id })) : manifest.operations;
  return manifest.faults.flatMap((fault, index) => {
    const path = `/faults/${index}`;
    const isOfDelivery = fault.timing === 'delivery';
    const [targets, code, what] = isOfDelivery
      ? ([manifest.callbacks, 'DY3011', 'callback'] as const)
      : ([operations, 'DY3006', 'operation'] as const);
    const findings = fault.appliesTo.flatMap((id, place) => unknownId(targets, id, { code, path: `${path}/appliesTo/${place}`, what }));
    for (const [place, id] of fault.appliesTo.entries())
      if (fault.timing === 'stream' && !manifest.http.some(({ operationId }) => operationId === id))
        findings.push({
          code: 'DY5009',
          path: `${path}/appliesTo/${place}`,
          message: `fault '${fault.id}' cuts replies of wire routes, and none calls '${id}'`,
        });
    if (fault.appliesTo.length === 0)
      findings.push({ code: 'DY5009', path: `${path}/appliesTo`, message: `fault '${fault.id}' applies to no ${what}` });
    return findings;
  });
}
