// The start of a world (world file, scenario, inline scenario): what it refers to exists, what it says fits the tools' schemas. An initial
// event from before the start is reported (DY4006) and happens at the start.
import type { Issue } from '../contract/errors.js';
import type { JsonValue } from '../contract/json.js';
import { type ActorName, resolvePersona, unresolvedPersona } from '../contract/world/persona.js';
import type { Scenario, ScenarioActor, ToolOverride, WorldSetup } from '../contract/world/scenario.js';
import type { DiagnosticCode } from './diagnostic-table.js';
import type { Diagnostics } from './diagnostics.js';
import { didYouMean } from './did-you-mean.js';
import { rowKey } from './setups.js';
import type { SoundValues } from './sound-values.js';
import type { SourceDocument } from './source-document.js';
import type { ToolCatalog } from './tool-catalog.js';
import { tooManyBytes } from './value-bounds.js';

export interface StartSubject {
  start: Pick<Scenario, 'actors' | 'state' | 'faults' | 'initialEvents' | 'toolOverrides'>;
  document: SourceDocument;
  /** JSON Pointer of the start in its document. */
  base: string;
  /** With what is below; without actors when that is not known. */
  setup: Pick<WorldSetup, 'virtualTimeUs'> & Partial<Pick<WorldSetup, 'actors'>>;
  /** Rows of the world below; undefined when they are not known. */
  rowsBelow: Iterable<string> | undefined;
}
interface Checking {
  diagnostics: Diagnostics;
  catalog: ToolCatalog;
  sound: SoundValues;
}

export function checkStart(checking: Checking, subject: StartSubject): void {
  checkActors(checking, subject);
  const { start, document, base } = subject;
  const values = checking.sound.of('start', [start.state, start.initialEvents]);
  const unfit = checkState(checking, subject, values.isKnown);
  for (const [index, { packageId, faultId }] of start.faults.entries()) {
    checking.catalog.find('faults', { packageId, id: faultId }, { document, path: `${base}/faults/${index}` });
  }
  if (unfit + checkInitialEvents(checking, subject, values.isKnown) === 0) values.keep();
  checkOverrides(checking, { rules: start.toolOverrides ?? [], document, base, actors: subject.setup.actors });
}

function checkActors({ diagnostics, catalog }: Checking, { start, document, base }: StartSubject): void {
  const seen = new Set<string>();
  for (const [index, { id, instanceId, grants }] of start.actors.entries()) {
    const path = `${base}/actors/${index}`;
    const key = `${id} ${instanceId ?? ''}`;
    if (seen.has(key))
      diagnostics.report(
        'DY3001',
        document.place(`${path}/id`),
        `actor '${id}'${instanceId === undefined ? '' : ` of instance '${instanceId}'`} is given twice`,
      );
    seen.add(key);
    for (const [place, { packageId, operationId }] of grants.entries()) {
      catalog.find('operations', { packageId, id: operationId }, { document, path: `${path}/grants/${place}` });
    }
  }
}

/** How many values do not fit. `fits`: they are known to. */
function checkState({ diagnostics, catalog }: Checking, { start, document, base, rowsBelow }: StartSubject, fits: boolean): number {
  const rows = new Set(rowsBelow);
  let unfit = 0;
  for (const [index, patch] of start.state.entries()) {
    const path = `${base}/state/${index}`;
    const { packageId, namespace, rowId } = patch;
    const check = catalog.find('namespaces', { packageId, id: namespace }, { document, path })?.namespaces.get(namespace);
    const key = rowKey(patch);
    if (patch.action === 'upsert') {
      rows.add(key);
      if (check && !fits)
        unfit += reportValueIssues(
          diagnostics,
          { document, path: `${path}/value`, code: 'DY4001', what: `row '${rowId}' of ${packageId}/${namespace}` },
          { value: patch.value, bound: 'rowBytesMax', check },
        );
    } else if (!rows.delete(key) && check && rowsBelow !== undefined) {
      diagnostics.report('DY4005', document.place(`${path}/rowId`), `there is no row '${rowId}' in ${packageId}/${namespace} to delete`);
    }
  }
  return unfit;
}

/** As `checkState`. */
function checkInitialEvents({ diagnostics, catalog }: Checking, { start, document, base, setup }: StartSubject, fits: boolean): number {
  let unfit = 0;
  for (const [index, { event, payload, atUs, actorId, actorInstanceId }] of start.initialEvents.entries()) {
    const path = `${base}/initialEvents/${index}`;
    const { packageId, eventId } = event;
    const check = catalog.find('events', { packageId, id: eventId }, { document, path: `${path}/event` })?.events.get(eventId);
    if (check && !fits)
      unfit += reportValueIssues(
        diagnostics,
        { document, path: `${path}/payload`, code: 'DY4002', what: `the payload of ${packageId}/${eventId}` },
        { value: payload, bound: 'eventPayloadBytesMax', check },
      );
    checkActor(diagnostics, { document, path: `${path}/actorId`, actors: setup.actors }, { actorId, actorInstanceId });
    if (atUs < setup.virtualTimeUs)
      diagnostics.report(
        'DY4006',
        document.place(`${path}/atUs`),
        `the event lies before the start at ${setup.virtualTimeUs}; it will happen at the start`,
      );
  }
  return unfit;
}

export interface OverrideSubject {
  rules: readonly ToolOverride[];
  document: SourceDocument;
  /** JSON Pointer of what holds `toolOverrides`. */
  base: string;
  actors: readonly ScenarioActor[] | undefined;
}

export function checkOverrides(
  { diagnostics, catalog }: Pick<Checking, 'diagnostics' | 'catalog'>,
  { rules, document, base, actors }: OverrideSubject,
): void {
  const seen = new Set<string>();
  for (const [index, { id, operation, when, outcome }] of rules.entries()) {
    const path = `${base}/toolOverrides/${index}`;
    if (seen.has(id)) diagnostics.report('DY3001', document.place(`${path}/id`), `override '${id}' is given twice`);
    seen.add(id);
    if (when?.actorId !== undefined)
      checkActor(diagnostics, { document, path: `${path}/when/actorId`, actors }, { ...when, actorId: when.actorId });
    const { packageId, operationId } = operation;
    const found = catalog
      .find('operations', { packageId, id: operationId }, { document, path: `${path}/operation` })
      ?.operations.get(operationId);
    if (found === undefined) continue;
    if (outcome.kind === 'return') {
      reportSchemaIssues(
        diagnostics,
        { document, path: `${path}/outcome/value`, code: 'DY4003', what: `the value for ${packageId}/${operationId}` },
        found.output(outcome.value),
      );
    } else if (outcome.kind === 'error' && !found.errors.has(outcome.code)) {
      const message = `${packageId}/${operationId} declares no error ${outcome.code}`;
      diagnostics.report('DY4004', document.place(`${path}/outcome/code`), message, {
        suggestion: didYouMean(outcome.code, [...found.errors]),
      });
    }
  }
}

export function checkActor(
  diagnostics: Diagnostics,
  at: { document: SourceDocument; path: string; actors: readonly ScenarioActor[] | undefined },
  name: ActorName,
): void {
  const { actors } = at;
  if (actors === undefined || resolvePersona(actors, name) !== undefined) return;
  diagnostics.report('DY3010', at.document.place(at.path), unresolvedPersona(actors, name).message, {
    suggestion: didYouMean(name.actorId, [...new Set(actors.map((actor) => actor.id))]),
  });
}

interface At {
  document: SourceDocument;
  path: string;
  code: DiagnosticCode;
  what: string;
}
interface BoundedValue {
  value: JsonValue;
  bound: Parameters<typeof tooManyBytes>[1];
  check(value: JsonValue): readonly Issue[] | null;
}

/** How many there are. */
function reportValueIssues(diagnostics: Diagnostics, at: At, { value, bound, check }: BoundedValue): number {
  const fault = tooManyBytes(value, bound);
  if (fault === undefined) return reportSchemaIssues(diagnostics, at, check(value));
  diagnostics.report('DY4009', at.document.place(at.path), `${at.what} ${fault}`);
  return 1;
}

/** How many there are. */
function reportSchemaIssues(diagnostics: Diagnostics, at: At, issues: readonly Issue[] | null): number {
  for (const { path, message } of issues ?? []) {
    diagnostics.report(at.code, at.document.place(at.path + path), `${at.what}: ${path === '' ? '' : `${path} `}${message}`);
  }
  return issues?.length ?? 0;
}
