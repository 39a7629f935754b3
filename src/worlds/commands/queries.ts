// What a world tells without changing: every query of world-protocol.ts.
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import { authsOf } from '../../contract/world/route-auth.js';
import { graphqlRoutes } from '../../contract/world/tool-graphql.js';
import type { ToolManifest } from '../../contract/world/tool-manifest.js';
import type { RefusalKind } from '../../contract/world/tool-wire.js';
import type { WireRoute } from '../../contract/world/wire.js';
import type {
  ActorView,
  EvidenceLinesPage,
  EvidencePage,
  NamedOperation,
  NamespaceView,
  PendingDelivery,
  PendingView,
  ReadNamespaces,
  ReadState,
  StatePage,
  ToolCatalogItem,
  WorldQuery,
} from '../../contract/world/world-protocol.js';
import { compareTexts } from '../../text/compare-texts.js';
import type { LoadedOperation } from '../../tools/loaded-tool.js';
import { mintedId } from '../kv/minted-ids.js';
import type { ScheduledEvent } from '../state/event-queue.js';
import type { Records } from '../state/records.js';
import { isGranted, waitTarget } from '../turn/grants.js';
import type { Program } from '../turn/program.js';
import { invalidRequest, type Simulation } from '../turn/simulation.js';
import { budgetView } from '../turn/world-meta.js';
import { stateAt } from './fork.js';
import { position } from './position.js';

export type QueryAnswer = { reply: unknown } | Generator<undefined, unknown>;

export function answerQuery(simulation: Simulation, query: WorldQuery): QueryAnswer {
  switch (query.kind) {
    case 'position':
      return position(simulation, everySteps(4));
    case 'state':
      return query.atSequence === undefined
        ? { reply: statePage(simulation, simulation.storage.records, query) }
        : stateThen(simulation, query.atSequence, (records) => statePage(simulation, records, query));
    case 'row':
      return {
        reply: { value: simulation.storage.records.get(spaceOf(simulation, simulation.storage.records, query), query.rowId) ?? null },
      };
    case 'namespaces':
      return namespaces(simulation, query);
    case 'evidence':
      return { reply: evidence(simulation, query.fromSequence, query.limit) };
    case 'evidenceLines':
      return { reply: evidenceLines(simulation, query.fromSequence, query.limit) };
    case 'pending':
      return { reply: pending(simulation, query.limit) };
    case 'faults':
      return { reply: simulation.faults.views() };
    case 'actors':
      return { reply: simulation.program.actors.map((actor) => actorView(simulation.program, actor)) };
    case 'tools':
      return { reply: tools(simulation.program, simulation.persona(query).actor) };
    case 'operations':
      return { reply: operations(simulation.program).map(named) };
    case 'routes':
      return { reply: routes(simulation.program) };
    case 'budgets':
      return { reply: budgetView(simulation) };
    case 'checkTools':
      for (const [packageId, tool] of simulation.program.tools) if (packageId === (query.packageId ?? packageId)) tool.check();
      return { reply: null };
    case 'throws':
      return { reply: [...simulation.turn.throws] };
    case 'storage':
      return { reply: simulation.storageView() };
    default:
      return unknownQuery(query);
  }
}
function unknownQuery(query: never): never {
  throw invalidRequest(`There is no query '${(query as { kind: unknown }).kind}'.`);
}

/** A query has no clock to read: it pauses every so many steps, each a millisecond or less. */
function everySteps(count: number): () => boolean {
  let steps = 0;
  return () => ++steps % count === 0;
}

function spaceOf(
  { program }: Simulation,
  records: Records,
  { packageId, instanceId = packageId, namespace }: { packageId: string; instanceId?: string; namespace: string },
) {
  if (!program.tools.get(packageId)?.namespaces.has(namespace) || !program.hasInstance(packageId, instanceId)) {
    throw new ServiceError('control.NOT_FOUND', {
      message: `There is no namespace '${namespace}' of '${packageId}'.`,
      details: { packageId, instanceId, namespace },
    });
  }
  return records.space(packageId, instanceId, namespace);
}

function* stateThen<T>({ storage }: Simulation, sequence: number, view: (records: Records) => T): Generator<undefined, T> {
  if (!Number.isInteger(sequence) || sequence < 1) throw invalidRequest('atSequence is an integer, 1 or more.');
  return view(yield* stateAt(storage, sequence, everySteps(2)));
}

function statePage(simulation: Simulation, records: Records, query: ReadState): StatePage {
  const { limit } = query;
  const space = spaceOf(simulation, records, query);
  const most = Math.max(1, Math.min(limit, limits.statePageRowsMax));
  const rows: StatePage['rows'] = [];
  let bytes = 0;
  for (let { afterRowId } = query; ; ) {
    // A row at a time: what comes after the last of a page is not read.
    const [row, more] = records.scan(space, { afterRowId, limit: 2 });
    if (row === undefined) return { rows };
    bytes += Buffer.byteLength(records.text(space, row.rowId) as string);
    if (bytes > limits.pageBytesMax && rows.length > 0) return { rows, nextAfterRowId: (rows.at(-1) as { rowId: string }).rowId };
    rows.push(row);
    afterRowId = row.rowId;
    if (more === undefined) return { rows };
    if (rows.length === most) return { rows, nextAfterRowId: row.rowId };
  }
}

function namespaces(simulation: Simulation, { atSequence }: ReadNamespaces): QueryAnswer {
  const { program, storage } = simulation;
  const view = (records: Records): NamespaceView[] =>
    [...program.tools.values()].flatMap((tool) =>
      (program.instances.get(tool.packageId) ?? []).flatMap((instanceId) =>
        [...tool.namespaces.keys()].map((namespace) => {
          const { packageId } = tool;
          return { packageId, instanceId, namespace, rowCount: records.count(records.space(packageId, instanceId, namespace)) };
        }),
      ),
    );
  return atSequence === undefined ? { reply: view(storage.records) } : stateThen(simulation, atSequence, view);
}

function evidence({ storage: { journal } }: Simulation, fromSequence: number, limit: number): EvidencePage {
  const from = Math.max(1, fromSequence);
  const entries = journal.read(from, pageSize(limit), limits.pageBytesMax);
  const next = from + entries.length;
  return next <= journal.sequence && entries.length > 0 ? { entries, nextSequence: next } : { entries };
}
function evidenceLines({ storage: { journal } }: Simulation, fromSequence: number, limit: number): EvidenceLinesPage {
  const from = Math.max(1, fromSequence);
  const { lines, count } = journal.lines(from, pageSize(limit), limits.pageBytesMax);
  return from + count <= journal.sequence && count > 0 ? { lines, count, nextSequence: from + count } : { lines, count };
}
const pageSize = (limit: number): number => Math.max(1, Math.min(limit, limits.evidencePageEntriesMax));

function pending({ storage, advance: running, pausedAdvance, clock }: Simulation, limit: number): PendingView {
  const advance = running ?? pausedAdvance;
  const { queue, outbox, tag } = storage;
  const shown = withinPage(queue.pending(Math.max(0, Math.min(limit, limits.evidencePageEntriesMax))));
  const events = shown.map(({ ordinal, atUs, ref, payloadText }) => ({
    scheduledEventId: mintedId('pending_', tag, ordinal),
    atUs,
    schedulingSequence: ordinal,
    event: { packageId: ref.packageId, instanceId: ref.instanceId, eventId: ref.eventId },
    payload: JSON.parse(payloadText),
  }));
  const view: PendingView = { total: queue.size, events, deliveriesTotal: outbox.size, deliveries: pendingDeliveries(storage, limit) };
  if (advance !== undefined)
    view.advance = { requestedUs: advance.requestedUs, reachedUs: clock.nowUs, scheduledEventsProcessed: advance.processed };
  return view;
}

/** The first of them whose payloads fit on a page. */
function withinPage(events: readonly ScheduledEvent[]): readonly ScheduledEvent[] {
  let bytes = 0;
  const beyond = events.findIndex(({ payloadText }, index) => {
    bytes += Buffer.byteLength(payloadText);
    return bytes > limits.pageBytesMax && index > 0;
  });
  return beyond === -1 ? events : events.slice(0, beyond);
}

function pendingDeliveries({ outbox, tag }: Simulation['storage'], limit: number): PendingDelivery[] {
  const rows = outbox.rows().sort((left, right) => left.dueUs - right.dueUs || left.ordinal - right.ordinal);
  return rows
    .slice(0, Math.max(0, Math.min(limit, limits.evidencePageEntriesMax)))
    .map(({ ordinal, callbackId, packageId, instanceId, eventId, receiverId, dueUs, attempts, isStarted }) => ({
      deliveryId: mintedId('delivery_', tag, ordinal),
      ...{ callbackId, packageId, instanceId, eventId, receiverId, dueUs, attempts, inFlight: isStarted },
    }));
}

type Actor = Program['actors'][number];

type Operation = ActorView['capabilities'][number] & { loaded: LoadedOperation };

function granted(program: Program, actor: Actor): Operation[] {
  return operations(program).filter((target) => isGranted(actor, target));
}

function operations(program: Program): Operation[] {
  return [...program.tools.values()]
    .flatMap((tool) =>
      (program.instances.get(tool.packageId) ?? []).flatMap((instanceId) =>
        [...tool.operations].map(([operationId, loaded]) => ({ packageId: tool.packageId, instanceId, operationId, loaded })),
      ),
    )
    .sort(
      (a, b) =>
        compareTexts(a.packageId, b.packageId) || compareTexts(a.instanceId, b.instanceId) || compareTexts(a.operationId, b.operationId),
    );
}
function named({ packageId, instanceId, operationId, loaded }: Operation): NamedOperation {
  const { mcp } = loaded.operation;
  return { packageId, instanceId, operationId, ...defined({ mcpName: mcp?.name }) };
}

function actorView(program: Program, actor: Actor): ActorView {
  const capabilities = granted(program, actor).map(({ packageId, instanceId, operationId }) => ({ packageId, instanceId, operationId }));
  if (isGranted(actor, waitTarget)) capabilities.push({ ...waitTarget });
  return actor.instanceId === undefined
    ? { actorId: actor.id, capabilities }
    : { actorId: actor.id, actorInstanceId: actor.instanceId, capabilities };
}

function tools(program: Program, actor: Actor): ToolCatalogItem[] {
  return granted(program, actor).map(({ packageId, instanceId, operationId, loaded: { operation } }) => {
    const { description, inputSchema, outputSchema, declaredErrors = [], idempotency, mcp } = operation;
    const item: ToolCatalogItem = { packageId, instanceId, operationId, inputSchema, outputSchema, declaredErrors, idempotency };
    if (description !== undefined) item.description = description;
    if (mcp !== undefined) item.mcp = mcp;
    return item;
  });
}

function routes({ tools, instances: named }: Program): WireRoute[] {
  return [...tools.values()].flatMap(({ packageId, manifest }) => {
    const ofPackage = { packageId, instances: [...(named.get(packageId) ?? [packageId])], ...wordedBy(manifest) };
    const declared = manifest.http.map(({ id: routeId, method, path, requestBody, cors, ...route }) => ({
      routeId,
      method,
      path,
      auths: authsOf(route),
      requestBody,
      ...defined({ cors }),
    }));
    return [...declared, ...graphqlRoutes(manifest)].map((route) => ({ ...ofPackage, ...route }));
  });
}

/** The refusals that a package words, where it words any. */
function wordedBy({ wire }: ToolManifest): Pick<WireRoute, 'worded' | 'wordedBelow'> {
  if (wire?.refusals === undefined) return {};
  const { evidence: _, below, ...statuses } = wire.refusals;
  return { worded: Object.keys(statuses) as RefusalKind[], ...(below === undefined ? {} : { wordedBelow: below }) };
}
