// What arrives at each route of the local inspector, checked: a missing or wrong check does not compile.
import typia from 'typia';
import type * as Inspector from './inspector.js';
import type { InspectorRouteId, InspectorRoutes } from './inspector.js';
import type * as Journal from './inspector-journal.js';
import type * as Runs from './inspector-runs.js';
import type * as Worlds from './inspector-worlds.js';
import { type Schema, type Shapes, shapeName, typeOfSchema } from './shape.js';
import type { Refinements, Report } from './shape-refine.js';
import { type Validator, validatorsOver, wordings } from './validators.js';

/** A generated check of exactly T: neither of a wider type nor of a narrower one. */
type Fits<T> = ((value: unknown) => value is T) & { readonly exactly?: (value: T) => T };
type Check<T> = [T] extends [undefined] ? typeof none : Named<T>;
interface Named<T> {
  shape: string;
  fits: Fits<T>;
}

/** In the place of a check: there is nothing to check. */
const none = undefined;
/** The generated checks say `RegExp("...")` at every use, which would make the pattern anew; in this module that is a look-up. */
// biome-ignore lint/suspicious/noShadowRestrictedNames: shadowing it is the point
const RegExp = wordings.patternOf;

const named = <T>(shape: string, check: (value: unknown) => value is T): Named<T> => ({ shape, fits: check });

const noMembers = named('NoMembers', typia.createEquals<Runs.NoMembers>());
const implementationPath = named('ImplementationPath', typia.createEquals<Inspector.ImplementationPath>());
const runPath = named('RunPath', typia.createEquals<Runs.RunPath>());
const attachmentPath = named('AttachmentPath', typia.createEquals<Runs.AttachmentPath>());
const requestPath = named('RequestPath', typia.createEquals<Runs.RequestPath>());
const worldPath = named('WorldPath', typia.createEquals<Worlds.WorldPath>());
const evidenceQuery = named('EvidenceQuery', typia.createEquals<Journal.EvidenceQuery>());
const namespacesQuery = named('NamespacesQuery', typia.createEquals<Journal.NamespacesQuery>());
const searchQuery = named('SearchQuery', typia.createEquals<Journal.SearchQuery>());
const timelineQuery = named('TimelineQuery', typia.createEquals<Journal.TimelineQuery>());
const stateQuery = named('StateQuery', typia.createEquals<Journal.StateQuery>());

type Parts<Id extends InspectorRouteId> = { readonly [Part in 'path' | 'query' | 'body']: Check<InspectorRoutes[Id][Part]> };
const checks: { readonly [Id in InspectorRouteId]: Parts<Id> } = {
  getProject: { path: none, query: none, body: none },
  refresh: { path: none, query: none, body: noMembers },
  getImplementation: { path: implementationPath, query: none, body: none },

  listRuns: { path: none, query: named('RunsQuery', typia.createEquals<Runs.RunsQuery>()), body: none },
  getRun: { path: runPath, query: none, body: none },
  listEvidence: { path: runPath, query: evidenceQuery, body: none },
  searchEvidence: { path: runPath, query: searchQuery, body: none },
  getTimeline: { path: runPath, query: timelineQuery, body: none },
  listNamespaces: { path: runPath, query: namespacesQuery, body: none },
  listState: { path: runPath, query: stateQuery, body: none },
  listFaults: { path: runPath, query: none, body: none },
  listScheduledEvents: { path: runPath, query: none, body: none },
  listCallbacks: { path: runPath, query: none, body: none },
  listAssertions: { path: runPath, query: none, body: none },
  getReportAvailability: { path: runPath, query: none, body: none },
  getReport: { path: runPath, query: none, body: none },
  listAttachments: { path: runPath, query: none, body: none },
  getAttachment: { path: attachmentPath, query: none, body: none },

  startRun: { path: none, query: none, body: named('StartRunRequest', typia.createEquals<Runs.StartRunRequest>()) },
  listRunRequests: { path: none, query: none, body: none },
  getRunRequest: { path: requestPath, query: none, body: none },
  cancelRunRequest: { path: requestPath, query: none, body: noMembers },

  compareRuns: { path: none, query: none, body: named('CompareRequest', typia.createEquals<Runs.CompareRequest>()) },
  listEvents: { path: none, query: named('EventsQuery', typia.createEquals<Inspector.EventsQuery>()), body: none },

  createWorld: { path: none, query: none, body: named('CreateWorldRequest', typia.createEquals<Worlds.CreateWorldRequest>()) },
  listWorlds: { path: none, query: none, body: none },
  getWorld: { path: worldPath, query: none, body: none },
  deleteWorld: { path: worldPath, query: none, body: none },
  callWorld: { path: worldPath, query: none, body: named('WorldCallRequest', typia.createEquals<Worlds.WorldCallRequest>()) },
  advanceWorld: { path: worldPath, query: none, body: named('WorldAdvanceRequest', typia.createEquals<Worlds.WorldAdvanceRequest>()) },
  setWorldFault: { path: worldPath, query: none, body: named('WorldFaultRequest', typia.createEquals<Worlds.WorldFaultRequest>()) },
  resetWorld: { path: worldPath, query: none, body: named('WorldResetRequest', typia.createEquals<Worlds.WorldResetRequest>()) },
  forkWorld: { path: worldPath, query: none, body: named('WorldForkRequest', typia.createEquals<Worlds.WorldForkRequest>()) },
  listWorldEvidence: { path: worldPath, query: evidenceQuery, body: none },
  searchWorldEvidence: { path: worldPath, query: searchQuery, body: none },
  getWorldTimeline: { path: worldPath, query: timelineQuery, body: none },
  listWorldNamespaces: { path: worldPath, query: namespacesQuery, body: none },
  listWorldState: { path: worldPath, query: stateQuery, body: none },
  listWorldFaults: { path: worldPath, query: none, body: none },
  listWorldScheduledEvents: { path: worldPath, query: none, body: none },
  listWorldActors: { path: worldPath, query: none, body: none },
  listWorldTools: { path: worldPath, query: named('WorldToolsQuery', typia.createEquals<Worlds.WorldToolsQuery>()), body: none },
};

const { components } = typia.json.schemas<
  [
    Runs.NoMembers,
    Inspector.ImplementationPath,
    Runs.RunPath,
    Runs.AttachmentPath,
    Runs.RequestPath,
    Worlds.WorldPath,
    Journal.EvidenceQuery,
    Journal.NamespacesQuery,
    Journal.StateQuery,
    Runs.RunsQuery,
    Journal.SearchQuery,
    Journal.TimelineQuery,
    Runs.StartRunRequest,
    Runs.CompareRequest,
    Inspector.EventsQuery,
    Worlds.CreateWorldRequest,
    Worlds.WorldCallRequest,
    Worlds.WorldAdvanceRequest,
    Worlds.WorldFaultRequest,
    Worlds.WorldResetRequest,
    Worlds.WorldForkRequest,
    Worlds.WorldToolsQuery,
  ],
  '3.1'
>();
const shapes = components.schemas as Shapes;

/** What types cannot say: which members exclude each other. */
const refinements = {
  StartRunRequest: ({ drillId, suiteId }: Runs.StartRunRequest, report: Report) => {
    if (drillId === undefined && suiteId === undefined) report('', 'required', 'one of "drillId" and "suiteId" is required');
    else if (drillId !== undefined && suiteId !== undefined) report('/suiteId', 'conflict', 'name a drill or a suite, not both');
  },
  CreateWorldRequest: ({ drillId, scenarioId }: Worlds.CreateWorldRequest, report: Report) => {
    if (drillId !== undefined && scenarioId !== undefined) report('/scenarioId', 'conflict', 'name a scenario or a drill, not both');
  },
  EvidenceQuery: ({ sequences, fromSequence }: Journal.EvidenceQuery, report: Report) => {
    if (sequences !== undefined && fromSequence !== undefined)
      report('/fromSequence', 'conflict', '"sequences" already says which entries');
  },
  TimelineQuery: ({ from, to }: Journal.TimelineQuery, report: Report) => {
    if (from !== undefined && to !== undefined && from > to) report('/to', 'too_small', 'expected at least "from"');
  },
} satisfies Refinements;

/** What the walk over schemas shares with the generated checks. */
export const inspectorWordings = { ...wordings, shapes, patternOf: RegExp };

const validator = validatorsOver(shapes, new Map(), refinements);

export interface RouteValidators {
  path?: Validator<object>;
  query?: Validator<object>;
  body?: Validator<object>;
}
/** Absent: there is nothing to check. */
export const inspectorValidators = Object.fromEntries(
  Object.entries(checks).map(([id, parts]) => {
    const found = Object.entries(parts as { [part: string]: Named<object> | undefined }).flatMap(([part, check]) =>
      check === undefined ? [] : [[part, validator(check.shape, check.fits)]],
    );
    return [id, Object.fromEntries(found)];
  }),
) as unknown as { readonly [Id in InspectorRouteId]: RouteValidators };

/** The members of a route's query that are numbers on the wire's other side. */
export const numericQuery: { readonly [Id in InspectorRouteId]: ReadonlySet<string> } = Object.fromEntries(
  Object.entries(checks).map(([id, { query }]) => [id, numbersOf((query as Named<object> | undefined)?.shape)]),
) as unknown as { readonly [Id in InspectorRouteId]: ReadonlySet<string> };

function numbersOf(shape: string | undefined): ReadonlySet<string> {
  const properties = Object.entries(shapes[shape ?? '']?.properties ?? {});
  return new Set(properties.filter(([, schema]) => typeOfSchema(resolved(schema)) === 'number').map(([member]) => member));
}

function resolved(schema: Schema): Schema {
  const ref = shapeName(schema);
  return ref === undefined ? schema : resolved(shapes[ref] ?? {});
}
