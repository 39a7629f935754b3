// A recording as the documents of a repository: a scenario that begins where the world stands, or a drill that does again what was done.
//   RECORDING-1. Pure: a build and a journal in, texts of files out. Their paths follow from ids alone, and lie below the source root.
import { stringify } from 'yaml';
import { canonicalJson } from '../../contract/canonical-json.js';
import { defined } from '../../contract/defined.js';
import { jsonDigest } from '../../contract/digest.js';
import { ServiceError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json.js';
import { recordingLimits } from '../../contract/recording-limits.js';
import type { CompiledBuild } from '../../contract/run/build.js';
import type { DrillInput, InlineScenarioInput, InteractionInput, LongDrillInput } from '../../contract/run/drill.js';
import type { ProjectView } from '../../contract/run/project-view.js';
import type { Recording, RecordingPin } from '../../contract/run/recording.js';
import type { EvidenceEntry } from '../../contract/world/evidence.js';
import type { FaultSelection, InitialEvent, ScenarioInput, ToolOverride, WorldSetup } from '../../contract/world/scenario.js';
import { RecordedPins } from './recorded-pins.js';
import { requireEventsBefore, scriptedTarget, scriptOf } from './recorded-script.js';
import { recordedSteps } from './recorded-steps.js';
import { faultKey, patchesBetween, RecordedWorld, rowsOf } from './recorded-world.js';

export interface RecordingSource {
  /** For people: `run run_x`. */
  origin: string;
  setup: WorldSetup;
  setupHash: string;
  /** The drill whose start it was, where it was one's. */
  drillId: string | undefined;
  /** Of the ids that its world minted, and the worlds that it was forked from. */
  tags: readonly string[];
  /** Of the whole journal from the start, in order. */
  entries: readonly EvidenceEntry[];
  /** Of a run: what its agent was asked. */
  asked?: { interactions: InteractionInput[]; horizonUs: number; maxToolCalls: number; maxEvents: number };
}
export interface RecordingWanted {
  as: 'drill' | 'scenario';
  id: string;
  title?: string;
  /** Default: the end. The command that it belongs to is recorded to its end. */
  toSequence?: number;
  /** A target of the repository that plays the tasks of a run. Default: its calls, made again by a target of their own. */
  targetId?: string;
  pins?: readonly RecordingPin[];
}
export interface RecordingPlace {
  build: CompiledBuild;
  view: ProjectView;
  /** Of the repository's documents, relative to its root. */
  sourceRoot: string;
}
export type ComposedRecording = Omit<Recording, 'files'> & { files: { path: string; text: string }[] };
type Documents = { [path: string]: string };

export async function composeRecording(
  source: RecordingSource,
  wanted: RecordingWanted,
  place: RecordingPlace,
): Promise<ComposedRecording> {
  const entries = untilCommandEnds(source.entries, wanted.toSequence);
  if (entries.length > recordingLimits.entriesMax) throw refused(`it has more than ${recordingLimits.entriesMax} entries`);
  const world = new RecordedWorld(source.setup);
  for (const entry of entries) world.apply(entry);
  const pins = new RecordedPins(world, entries, source.tags);
  const notes: string[] = [];
  const documents =
    wanted.as === 'scenario'
      ? scenarioFile(source, { wanted, place, world, notes })
      : await drillFiles({ ...source, entries }, { wanted, place, world, pins, notes });
  const files = Object.entries(documents).map(([path, text]) => ({ path, text }));
  return { digest: jsonDigest(files), files, candidates: pins.candidates(), notes };
}

interface Composing {
  wanted: RecordingWanted;
  place: RecordingPlace;
  world: RecordedWorld;
  notes: string[];
}

function scenarioFile(source: RecordingSource, { wanted, place, world, notes }: Composing): Documents {
  const { build, view, sourceRoot } = place;
  const path = `${sourceRoot}/scenarios/${wanted.id}.scenario.yaml`;
  requireFree(view.scenarios, { id: wanted.id, what: 'scenario', path });
  const gap = source.entries.find(
    (entry) => entry.kind === 'lifecycle' && (entry.phase === 'world_forked' || entry.phase === 'world_reset'),
  );
  if (gap !== undefined) throw refused(`its rows do not follow from its journal: it was forked, or reset in part (entry ${gap.sequence})`);
  const { setup } = build.baseline;
  const below = new Set(setup.initialEvents.map(eventText));
  const pending = world.pending();
  const still = new Set(pending.map(eventText));
  for (const event of setup.initialEvents)
    if (!still.has(eventText(event)))
      notes.push(
        `${event.event.packageId}.${event.event.eventId}, with which the world begins, was no longer to come: a scenario cannot take it away.`,
      );
  const active = world.faults();
  const activeKeys = new Set(active.map(faultKey));
  for (const fault of setup.faults)
    if (!activeKeys.has(faultKey(fault)))
      notes.push(`Fault ${fault.packageId}.${fault.faultId} of the world was off: a scenario cannot switch it off.`);
  const faultsBelow = new Set(setup.faults.map(faultKey));
  const scenario: ScenarioInput = {
    schemaVersion: 1,
    id: wanted.id,
    ...defined({ title: wanted.title }),
    ...(world.virtualTimeUs === setup.virtualTimeUs ? {} : { virtualTimeUs: world.virtualTimeUs }),
    ...filled({ actors: unlike(source.setup.actors, setup.actors) }),
    ...filled({ state: patchesBetween(rowsOf(setup.state), world.rows) }),
    ...filled({ faults: active.filter((fault) => !faultsBelow.has(faultKey(fault))) }),
    ...filled({ initialEvents: pending.filter((event) => !below.has(eventText(event))) }),
    ...filled({ toolOverrides: rulesOf(source.setup, ['run', 'drill', 'scenario']) }),
  };
  return { [path]: document(scenario, [`Recorded from ${source.origin}, where it stands${endText(wanted)}.`]) };
}

async function drillFiles(
  source: RecordingSource,
  { wanted, place, world, pins, notes }: Composing & { pins: RecordedPins },
): Promise<Documents> {
  const { view, sourceRoot } = place;
  const path = `${sourceRoot}/drills/${wanted.id}.drill.yaml`;
  requireFree(view.drills, { id: wanted.id, what: 'drill', path });
  const { setup, asked } = source;
  if (wanted.targetId !== undefined && asked === undefined) throw refused('nobody was given a task in it, so no agent can play it');
  if (wanted.targetId !== undefined && !view.targets.some(({ id }) => id === wanted.targetId))
    throw refused(`the repository has no target '${wanted.targetId}'`);
  const isPlayed = wanted.targetId !== undefined && asked !== undefined;
  const script = isPlayed ? undefined : await scriptOf(recordedSteps(each(source.entries)), setup.virtualTimeUs);
  if (script !== undefined) requireEventsBefore(script.starts, source.entries);
  const minted = script?.interactions
    .map((interaction) => JSON.stringify(interaction))
    .some((text) => source.tags.some((tag) => text.includes(tag)));
  if (minted === true)
    notes.push('A call names an id that the world minted, and the world of the drill mints another: what it finds may be another thing.');
  const horizonUs = isPlayed ? asked.horizonUs : world.virtualTimeUs - setup.virtualTimeUs;
  const drill: LongDrillInput = {
    schemaVersion: 1,
    id: wanted.id,
    ...defined({ title: wanted.title }),
    tags: ['recorded'],
    targetId: wanted.targetId ?? scriptedTarget.id,
    ...startOf(source, place),
    timeline: {
      ...(horizonUs > 0 ? { horizonUs } : {}),
      ...budgets(script?.calls ?? 0, source),
      interactions: script?.interactions ?? asked?.interactions ?? [],
    },
    assertions: pins.assertions(wanted.pins),
  };
  const said = [`Recorded from ${source.origin}${endText(wanted)}. Its assertions are what came of it.`];
  return { [path]: document(drill as DrillInput, said), ...(script === undefined ? {} : scriptFiles(place)) };
}

/** Not written again where the repository has the target at a place of its own. */
function scriptFiles({ view, sourceRoot }: RecordingPlace): Documents {
  const path = `${sourceRoot}/targets/${scriptedTarget.id}.target.yaml`;
  const module = `agents/${scriptedTarget.id}.mjs`;
  const known = view.targets.find(({ id }) => id === scriptedTarget.id);
  if (known !== undefined && known.provenance.file !== path) return {};
  const target = { id: scriptedTarget.id, kind: 'module', module, bindings: ['direct'], timeoutMs: recordingLimits.targetTimeoutMs };
  return {
    [path]: document({ schemaVersion: 1, target }, ['Plays recorded drills: it makes the calls that their tasks name.']),
    [module]: scriptedTarget.module,
  };
}

type DrillStart = Pick<LongDrillInput, 'scenarioId' | 'inlineScenario' | 'toolOverrides'>;

/** By name where the repository has a start that is the same; otherwise all of it, in the drill. */
function startOf({ setup, setupHash, drillId, entries }: RecordingSource, { build }: RecordingPlace): DrillStart {
  const faults = faultsAtFirstCall(setup, entries);
  if (canonicalJson(faults as never) === canonicalJson(faultsOf(setup) as never)) {
    const drill = build.drills.find((one) => one.drill.id === drillId && one.setupHash === setupHash)?.drill;
    if (drill !== undefined) {
      const { scenarioId, inlineScenario, toolOverrides } = drill;
      return defined({ scenarioId, inlineScenario, toolOverrides });
    }
    if (build.baseline.setupHash === setupHash) return {};
    const scenario = build.scenarios.find((one) => one.setupHash === setupHash);
    if (scenario !== undefined) return { scenarioId: scenario.scenario.id };
  }
  const { virtualTimeUs, actors, state, initialEvents } = setup;
  const inlineScenario: InlineScenarioInput = {
    virtualTimeUs,
    ...filled({ actors, state, faults, initialEvents, toolOverrides: rulesOf(setup, ['scenario', 'world']) }),
  };
  return { inlineScenario, ...filled({ toolOverrides: rulesOf(setup, ['run', 'drill']) }) };
}

const faultsOf = (setup: WorldSetup): FaultSelection[] => new RecordedWorld(setup).faults();
function faultsAtFirstCall(setup: WorldSetup, entries: readonly EvidenceEntry[]): FaultSelection[] {
  const world = new RecordedWorld(setup);
  for (const entry of entries) {
    if (entry.kind === 'operation') break;
    if (entry.kind === 'fault_control') world.apply(entry);
  }
  return world.faults();
}

/** Those of the run, where they are not the ones that a drill has by itself. */
function budgets(calls: number, { asked, entries }: RecordingSource): { maxToolCalls?: number; maxEvents?: number } {
  const events = entries.filter((entry) => entry.kind === 'event' && entry.phase !== 'emitted').length;
  const {
    maxToolCalls = Math.max(calls, recordingLimits.drillToolCallsDefault),
    maxEvents = Math.max(events, recordingLimits.drillEventsDefault),
  } = asked ?? {};
  return {
    ...(maxToolCalls === recordingLimits.drillToolCallsDefault ? {} : { maxToolCalls }),
    ...(maxEvents === recordingLimits.drillEventsDefault ? {} : { maxEvents }),
  };
}

function untilCommandEnds(entries: readonly EvidenceEntry[], toSequence: number | undefined): readonly EvidenceEntry[] {
  if (toSequence === undefined) return entries;
  const at = entries.findIndex(({ sequence }) => sequence === toSequence);
  if (at < 0) throw refused(`there is no entry ${toSequence}`);
  let end = at;
  while (entries[end + 1]?.correlationId === entries[at]!.correlationId) end++;
  return entries.slice(0, end + 1);
}

const endText = ({ toSequence }: RecordingWanted): string => (toSequence === undefined ? '' : `, up to entry ${toSequence}`);

function rulesOf({ toolOverrides }: WorldSetup, wanted: readonly string[]): ToolOverride[] {
  return toolOverrides.flatMap(({ scope, rules }) => (wanted.includes(scope) ? rules : []));
}

/** Items that the other list does not have. */
function unlike<T>(items: readonly T[], others: readonly T[]): T[] {
  const known = new Set(others.map((other) => canonicalJson(other as JsonValue)));
  return items.filter((item) => !known.has(canonicalJson(item as JsonValue)));
}

function eventText({ event, payload, atUs }: InitialEvent): string {
  const { packageId, instanceId = packageId, eventId } = event;
  return canonicalJson([packageId, instanceId, eventId, payload, atUs]);
}

/** Lists that hold something. */
function filled<T extends { [name: string]: readonly unknown[] }>(lists: T): { [Name in keyof T]?: T[Name] } {
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)) as { [Name in keyof T]?: T[Name] };
}

function requireFree(
  known: readonly { id: string; provenance: { file: string } }[],
  { id, what, path }: { id: string; what: string; path: string },
): void {
  const other = known.find((one) => one.id === id);
  if (other !== undefined && other.provenance.file !== path)
    throw refused(`the repository has a ${what} '${id}' already, in ${other.provenance.file}`);
}

function document(value: object, comments: readonly string[]): string {
  return comments.map((comment) => `# ${comment}\n`).join('') + stringify(value, { lineWidth: recordingLimits.lineColumns });
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

function refused(why: string): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', { message: `This cannot be recorded: ${why}.` });
}
