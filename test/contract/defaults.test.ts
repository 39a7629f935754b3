import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AssertionInput } from '../../src/contract/run/assertion.js';
import type { DrillInput } from '../../src/contract/run/drill.js';
import * as defaults from '../../src/contract/validate/defaults.js';
import type { Validator } from '../../src/contract/validate/validators.js';
import * as validators from '../../src/contract/validate/validators.js';
import fc from '../fast-check.js';
import { drill, scenario } from './samples.js';
import { shapeArbitrary } from './shape-arbitrary.js';

const laws: [string, (input: never) => unknown, Validator<unknown>][] = [
  ['RootFile', defaults.materializeRootFile, validators.validateRootFile],
  ['WorldInput', defaults.materializeWorld, validators.validateWorld],
  ['ScenarioInput', defaults.materializeScenario, validators.validateScenario],
  ['TargetInput', defaults.materializeTarget, validators.validateTarget],
  ['TargetDocumentInput', defaults.materializeTargetDocument, validators.validateTargetDocument],
  ['DrillInput', defaults.materializeDrill, validators.validateDrill],
  ['SuiteInput', defaults.materializeSuite, validators.validateSuite],
  ['ToolManifestInput', defaults.materializeManifest, validators.validateToolManifest],
  ['CreateToolSetupRequest', defaults.canonicalToolSetupRequest, validators.validateCreateToolSetupRequest],
];
for (const [name, materialize, validate] of laws) {
  // DEFAULTS-1, DEFAULTS-2
  test(`${name}: materialized is as sound as before, stays as it is when materialized again, and the input is untouched`, () => {
    fc.assert(
      fc.property(shapeArbitrary(validators.wordings.shapes, name), (input) => {
        const before = structuredClone(input);
        const once = materialize(input as never);
        assert.deepEqual(input, before);
        assert.deepEqual(materialize(once as never), once);
        assert.equal(validate(once).ok, validate(input).ok);
      }),
      { numRuns: 30 },
    );
  });
}

test('a short drill becomes a long one with the interaction `main`', () => {
  assert.deepEqual(defaults.materializeDrill(drill as DrillInput), {
    schemaVersion: 1,
    id: 'first',
    title: 'First',
    tags: ['smoke'],
    targetId: 'agent',
    scenarioId: 'rush-hour',
    trials: { count: 1, classification: 'contract' },
    capture: { logs: 'off', screenshots: 'off', video: 'off', files: 'off' },
    timeline: {
      horizonUs: 0,
      maxToolCalls: 1000,
      maxEvents: 10_000,
      stopOnInvariantFailure: true,
      stopOnTargetFailure: true,
      interactions: [{ id: 'main', afterStartUs: 0, actorId: 'ada', task: { instruction: 'Go.', input: null } }],
      workloads: [],
      invariants: [],
    },
    assertions: [
      {
        id: 'a',
        kind: 'state.value',
        packageId: 'desk',
        namespace: 'tickets',
        rowId: 'T-1',
        expected: 1,
        gate: true,
        path: [],
        comparison: 'equals',
      },
    ],
  });
  const { interactions } = defaults.materializeDrill({ ...(drill as DrillInput), actorInstanceId: 'two' } as DrillInput).timeline;
  assert.equal(interactions[0]?.actorInstanceId, 'two');
});

test('what an author wrote is kept, defaults go in between', () => {
  const timeline = {
    maxEvents: 5,
    stopOnTargetFailure: false,
    workloads: [{ id: 'w', actorIds: ['ada'], task: { instruction: 'Go.' }, everyUs: 1, occurrences: 2 }],
    invariants: [{ kind: 'operation.denied', id: 'i', operation: { packageId: 'p', operationId: 'o' } } satisfies AssertionInput],
  };
  const { actorId: _a, task: _t, ...rest } = drill;
  const long = defaults.materializeDrill({ ...rest, trials: { count: 3 }, capture: { logs: 'always' }, timeline } as DrillInput);
  assert.equal(long.timeline.maxEvents, 5);
  assert.equal(long.timeline.maxToolCalls, 1000);
  assert.equal(long.timeline.stopOnTargetFailure, false);
  assert.equal(long.timeline.workloads[0]?.startAfterUs, 0);
  assert.equal(long.timeline.invariants[0]?.gate, true);
  assert.deepEqual(long.trials, { count: 3, classification: 'contract' });
  assert.equal(long.capture.logs, 'always');
});

test('the defaults of each shape', () => {
  const start = { actors: [], state: [], faults: [], initialEvents: [] };
  assert.deepEqual(defaults.materializeWorld({ schemaVersion: 1, id: 'w' }), {
    schemaVersion: 1,
    id: 'w',
    seed: '1',
    virtualTimeUs: 0,
    ...start,
  });
  assert.deepEqual(defaults.materializeScenario({ schemaVersion: 1, id: 's', actors: [{ id: 'ada' }] }), {
    schemaVersion: 1,
    id: 's',
    ...start,
    actors: [{ id: 'ada', attributes: {}, grants: [] }],
  });
  assert.deepEqual(defaults.materializeScenario(scenario as never), scenario, 'a complete one stays as it is');
  assert.deepEqual(defaults.materializeSuite({ schemaVersion: 1, id: 's' }), {
    schemaVersion: 1,
    id: 's',
    drills: [],
    tags: [],
    concurrency: 1,
    retries: 0,
  });
  assert.deepEqual(defaults.materializeRootFile({ schemaVersion: 1 }), {
    schemaVersion: 1,
    sourceRoot: 'drillyard',
    world: 'world.yaml',
    toolPackages: [],
    toolPins: {},
    compat: { toolSdk: [], environmentPrefixes: [] },
  });
  assert.deepEqual(defaults.materializeTarget({ id: 't', kind: 'module', bindings: ['direct'], module: 'a.js', timeoutMs: 1 }), {
    id: 't',
    kind: 'module',
    bindings: ['direct'],
    module: 'a.js',
    timeoutMs: 1,
    export: 'default',
  });
  const assertion = { id: 'a', packageId: 'p' };
  assert.deepEqual(
    defaults.materializeAssertion({ ...assertion, kind: 'event.count', event: { packageId: 'p', eventId: 'e' }, count: {} } as never),
    {
      ...assertion,
      kind: 'event.count',
      event: { packageId: 'p', eventId: 'e' },
      count: {},
      gate: true,
      phase: 'emitted',
    },
  );
  assert.equal(
    (defaults.materializeAssertion({ ...assertion, kind: 'callback.count', callbackId: 'c', count: {} } as never) as { phase: string })
      .phase,
    'delivered',
  );
  const further: [object, object][] = [
    [
      { kind: 'output.value', expected: 1 },
      { interactionId: 'main', path: [], comparison: 'equals' },
    ],
    [{ kind: 'effect.at_most_once', operation: {} }, { identity: 'idempotencyKey' }],
    [{ kind: 'state.unchanged' }, { except: [] }],
    [{ kind: 'state.diff', changes: [] }, { exact: true }],
    [{ kind: 'expr', expression: 'true' }, { state: {} }],
    [{ kind: 'fault.count', fault: {}, count: {} }, {}],
    [{ kind: 'time.reached', afterStartUs: 1 }, {}],
  ];
  for (const [input, added] of further) {
    assert.deepEqual(defaults.materializeAssertion({ id: 'a', ...input } as never), { id: 'a', gate: true, ...input, ...added });
  }
});

test('a declared error may be its code alone, or say in a message what it means', () => {
  const operation = { id: 'x', inputSchema: true, outputSchema: true, idempotency: 'none', fidelity: { level: 1 } } as const;
  const declared = [
    'GONE',
    { code: 'BUSY', message: 'Later.', retryable: true },
    { code: 'LATE', description: 'Said.', message: 'Unsaid.' },
  ];
  const { operations } = defaults.materializeManifest({
    schemaVersion: 1,
    id: 'tool',
    version: '1.0.0',
    engine: '*',
    operations: [{ ...operation, declaredErrors: declared }, operation],
  });
  assert.deepEqual(operations[0]?.declaredErrors, [
    { code: 'GONE' },
    { code: 'BUSY', description: 'Later.', retryable: true },
    { code: 'LATE', description: 'Said.' },
  ]);
  assert.deepEqual(operations[1], operation);
});
