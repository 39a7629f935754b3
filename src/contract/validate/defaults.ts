// Defaults, materialized: what an author left out, written down. Pure, for values that were validated.
//   DEFAULTS-1. Materializing again changes nothing.
//   DEFAULTS-2. Nothing of the given value is changed; parts without defaults are shared with it.
import { defined } from '../defined.js';
import type { CanonicalToolSetupRequest, CreateToolSetupRequest } from '../hosted/resources.js';
import { limits } from '../limits.js';
import { recordingLimits } from '../recording-limits.js';
import type { Assertion, AssertionInput } from '../run/assertion.js';
import type {
  CapturePoliciesInput,
  Drill,
  DrillDefinition,
  DrillInput,
  InlineScenario,
  InlineScenarioInput,
  Suite,
  SuiteInput,
  Timeline,
  TimelineInput,
} from '../run/drill.js';
import type { RootFile, RootSettings, World, WorldInput } from '../run/project-files.js';
import type { Target, TargetDocument, TargetDocumentInput, TargetInput } from '../run/target.js';
import type { Scenario, ScenarioActor, ScenarioActorInput, ScenarioInput } from '../world/scenario.js';
import type {
  DeclaredError,
  DeclaredErrorInput,
  ToolManifest,
  ToolManifestInput,
  ToolOperation,
  ToolOperationInput,
} from '../world/tool-manifest.js';

export function materializeRootFile({
  schemaVersion,
  sourceRoot = 'drillyard',
  world = 'world.yaml',
  toolPackages = [],
  toolPins = {},
  compat = {},
  remote,
}: RootFile): RootSettings {
  const settings = {
    schemaVersion,
    sourceRoot,
    world,
    toolPackages,
    toolPins,
    compat: { toolSdk: [], environmentPrefixes: [], ...compat },
  };
  return remote === undefined ? settings : { ...settings, remote };
}

export function materializeWorld(input: WorldInput): World {
  return { seed: '1', virtualTimeUs: 0, ...input, ...materializeStart(input) };
}

export function materializeScenario(input: ScenarioInput): Scenario {
  return { ...input, ...materializeStart(input) };
}

export function materializeInlineScenario(input: InlineScenarioInput): InlineScenario {
  return { ...input, ...materializeStart(input) };
}

function materializeStart({ actors = [], state = [], faults = [], initialEvents = [] }: InlineScenarioInput) {
  return { actors: actors.map(materializeScenarioActor), state, faults, initialEvents };
}

function materializeScenarioActor(input: ScenarioActorInput): ScenarioActor {
  return { attributes: {}, grants: [], ...input };
}

export function materializeTarget(input: TargetInput): Target {
  switch (input.kind) {
    case 'module':
      return { export: 'default', ...input };
    case 'command':
      return { arguments: [], environmentFromHost: {}, ...input };
    case 'http':
      return { headersFromEnvironment: {}, ...input };
    case 'external':
      return input;
  }
}

export function materializeTargetDocument({ schemaVersion, target }: TargetDocumentInput): TargetDocument {
  return { schemaVersion, target: materializeTarget(target) };
}

/** The one interaction of a drill in its short form. */
const soleInteractionId = 'main';

/** The short form becomes one interaction, `main`, at the start. */
export function materializeDrill(input: DrillInput): DrillDefinition {
  const { inlineScenario, tags = [], trials, capture, assertions, ...rest } = input;
  const { timeline, ...kept } = 'timeline' in rest ? rest : singleInteraction(rest);
  return {
    ...kept,
    tags,
    ...(inlineScenario === undefined ? {} : { inlineScenario: materializeInlineScenario(inlineScenario) }),
    trials: { count: 1, classification: 'contract', ...trials },
    capture: materializeCapture(capture),
    timeline: materializeTimeline(timeline),
    assertions: assertions.map(materializeAssertion),
  };
}

function singleInteraction<T extends { actorId: string; actorInstanceId?: string; task: Timeline['interactions'][number]['task'] }>(
  short: T,
) {
  const { actorId, actorInstanceId, task, ...kept } = short;
  const interaction = { id: soleInteractionId, actorId, ...defined({ actorInstanceId }), task };
  return { ...kept, timeline: { interactions: [interaction] } as TimelineInput };
}

function materializeTimeline({ interactions = [], workloads = [], invariants = [], ...input }: TimelineInput): Timeline {
  return {
    horizonUs: 0,
    maxToolCalls: recordingLimits.drillToolCallsDefault,
    maxEvents: recordingLimits.drillEventsDefault,
    stopOnInvariantFailure: true,
    stopOnTargetFailure: true,
    ...input,
    interactions: interactions.map((interaction) => ({ afterStartUs: 0, ...interaction })),
    workloads: workloads.map((workload) => ({ startAfterUs: 0, ...workload })),
    invariants: invariants.map(materializeAssertion),
  };
}

function materializeCapture(input: CapturePoliciesInput = {}): Drill['capture'] {
  return { logs: 'off', screenshots: 'off', video: 'off', files: 'off', ...input };
}

export function materializeAssertion(input: AssertionInput): Assertion {
  switch (input.kind) {
    case 'state.value':
    case 'operation.arguments':
      return { gate: true, path: [], comparison: 'equals', ...input };
    case 'event.count':
      return { gate: true, phase: 'emitted', ...input };
    case 'callback.count':
      return { gate: true, phase: 'delivered', ...input };
    case 'output.value':
      return { gate: true, interactionId: soleInteractionId, path: [], comparison: 'equals', ...input };
    case 'effect.at_most_once':
      return { gate: true, identity: 'idempotencyKey', ...input };
    case 'state.unchanged':
      return { gate: true, except: [], ...input };
    case 'state.diff':
      return { gate: true, exact: true, ...input };
    case 'expr':
      return { gate: true, state: {}, ...input };
    case 'custom':
      return { gate: true, export: 'default', state: {}, with: {}, timeoutMs: limits.customJudgeTimeoutMs, ...input };
    case 'state.count':
    case 'operation.count':
    case 'operation.order':
    case 'operation.denied':
    case 'fault.count':
    case 'time.reached':
      return { gate: true, ...input };
  }
}

export function materializeSuite(input: SuiteInput): Suite {
  return { drills: [], tags: [], concurrency: 1, retries: 0, ...input };
}

export function materializeManifest({ operations = [], ...input }: ToolManifestInput): ToolManifest {
  return {
    capabilities: [],
    state: [],
    events: [],
    subscriptions: [],
    faults: [],
    http: [],
    callbacks: [],
    connections: [],
    compatibility: [],
    ...input,
    operations: operations.map(materializeOperation),
  };
}

function materializeOperation({ declaredErrors, ...operation }: ToolOperationInput): ToolOperation {
  return declaredErrors === undefined ? operation : { ...operation, declaredErrors: declaredErrors.map(materializeDeclaredError) };
}

function materializeDeclaredError(input: DeclaredErrorInput | string): DeclaredError {
  if (typeof input === 'string') return { code: input };
  const { message, ...error } = input;
  return message === undefined ? error : { description: message, ...error };
}

export function canonicalToolSetupRequest({ testDefinitions, ...request }: CreateToolSetupRequest): CanonicalToolSetupRequest {
  if (testDefinitions === undefined) return request;
  const { targets, scenarios = [], drills } = testDefinitions;
  return {
    ...request,
    testDefinitions: {
      targets: targets.map(materializeTargetDocument),
      scenarios: scenarios.map(materializeScenario),
      drills: drills.map(materializeDrill),
    },
  };
}
