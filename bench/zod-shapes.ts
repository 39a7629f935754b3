// The shapes of bench/validate.ts once more, in zod, as somebody who uses zod would write them.
import { z } from 'zod';

const slug = z
  .string()
  .max(96)
  .regex(/^[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*$/);
const dotted = z
  .string()
  .max(160)
  .regex(/^[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*(?:[.][a-z][a-z0-9]*(?:[-_][a-z0-9]+)*)*$/);
const virtualUs = z.number().int().min(Number.MIN_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER);
const count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const title = z.string().min(1).max(200);
const rowId = z.string().min(1).max(512);
const json = z.json();
const object = z.record(z.string(), json);

export const callRequest = z.strictObject({
  arguments: json,
  idempotencyKey: z.string().min(1).max(256).optional(),
  instanceId: slug.optional(),
});

const place = { packageId: slug, instanceId: slug.optional() };
const toolOverride = z.strictObject({
  id: slug,
  operation: z.strictObject({ ...place, operationId: dotted }),
  when: z.strictObject({ arguments: object.optional(), actorId: slug.optional(), actorInstanceId: slug.optional() }).optional(),
  outcome: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('return'), value: json }),
    z.strictObject({
      kind: z.literal('error'),
      code: z
        .string()
        .max(128)
        .regex(/^[A-Z][A-Z0-9_]*$/),
      message: z.string().min(1).max(1000),
      retryable: z.boolean().optional(),
    }),
    z.strictObject({ kind: z.literal('original') }),
  ]),
  times: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
});
const start = {
  title: title.optional(),
  virtualTimeUs: virtualUs.optional(),
  actors: z
    .array(
      z.strictObject({
        id: slug,
        instanceId: slug.optional(),
        description: z.string().min(1).max(500).regex(/[^\s]/).optional(),
        attributes: object.optional(),
        grants: z.array(z.strictObject({ ...place, operationId: dotted })).optional(),
      }),
    )
    .optional(),
  state: z
    .array(
      z.discriminatedUnion('action', [
        z.strictObject({ action: z.literal('upsert'), ...place, namespace: slug, rowId, value: object }),
        z.strictObject({ action: z.literal('delete'), ...place, namespace: slug, rowId }),
      ]),
    )
    .optional(),
  faults: z.array(z.strictObject({ ...place, faultId: slug })).optional(),
  initialEvents: z
    .array(
      z.strictObject({
        event: z.strictObject({ ...place, eventId: dotted }),
        payload: object,
        atUs: virtualUs,
        actorId: slug,
        actorInstanceId: slug.optional(),
      }),
    )
    .optional(),
  toolOverrides: z.array(toolOverride).max(1000).optional(),
};
export const scenario = z.strictObject({ schemaVersion: z.literal(1), id: slug, ...start });

const bounds = z.strictObject({ equals: count.optional(), atLeast: count.optional(), atMost: count.optional() });
const common = { id: slug, gate: z.boolean().optional(), message: z.string().min(1).max(500).optional() };
const comparison = {
  path: z
    .array(z.union([z.string(), z.number().int().min(0).max(1_000_000)]))
    .max(64)
    .optional(),
  comparison: z.enum(['equals', 'not_equals', 'greater_than_or_equal', 'less_than_or_equal', 'one_of']).optional(),
  expected: json,
};
const filter = {
  ...place,
  operationId: dotted,
  actorId: slug.optional(),
  outcome: z.enum(['ok', 'denied', 'tool_error', 'unsupported', 'invalid']).optional(),
  arguments: object.optional(),
};
const operation = z.strictObject(filter);
const { outcome: _outcome, ...deniedFilter } = filter;
const assertion = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('state.value'), ...common, ...place, namespace: slug, rowId, ...comparison }),
  z.strictObject({ kind: z.literal('state.count'), ...common, ...place, namespace: slug, where: object.optional(), count: bounds }),
  z.strictObject({ kind: z.literal('operation.count'), ...common, operation, count: bounds }),
  z.strictObject({ kind: z.literal('operation.order'), ...common, operations: z.array(operation).min(2).max(100) }),
  z.strictObject({
    kind: z.literal('operation.arguments'),
    ...common,
    operation,
    occurrence: z.number().int().min(1).max(1_000_000).optional(),
    ...comparison,
  }),
  z.strictObject({ kind: z.literal('operation.denied'), ...common, operation: z.strictObject(deniedFilter), count: bounds.optional() }),
  z.strictObject({
    kind: z.literal('event.count'),
    ...common,
    event: z.strictObject({ ...place, eventId: dotted }),
    phase: z.enum(['emitted', 'scheduled', 'handled', 'failed']).optional(),
    payload: object.optional(),
    count: bounds,
  }),
  z.strictObject({
    kind: z.literal('callback.count'),
    ...common,
    ...place,
    callbackId: slug,
    phase: z.enum(['queued', 'attempt_started', 'delivered', 'retry_scheduled', 'failed', 'recovered']).optional(),
    count: bounds,
  }),
]);
const policy = z.enum(['off', 'on_failure', 'always']).optional();
const task = z.strictObject({ instruction: z.string().min(1).max(65_536), input: json.optional() });
const durationUs = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const budget = z.number().int().min(0).max(1_000_000);
const drill = {
  schemaVersion: z.literal(1),
  id: slug,
  title: title.optional(),
  tags: z.array(slug).optional(),
  targetId: slug,
  scenarioId: slug.optional(),
  inlineScenario: z.strictObject(start).optional(),
  toolOverrides: z.array(toolOverride).max(1000).optional(),
  trials: z
    .strictObject({
      count: z.number().int().min(1).max(10_000).optional(),
      classification: z.enum(['contract', 'safety', 'quality']).optional(),
      require: z
        .strictObject({ passRate: z.number().min(0).max(1).optional(), passHatK: z.number().int().min(1).max(10_000).optional() })
        .optional(),
    })
    .optional(),
  capture: z.strictObject({ logs: policy, screenshots: policy, video: policy, files: policy }).optional(),
  assertions: z.array(assertion).min(1),
};
const timeline = z.strictObject({
  horizonUs: durationUs.optional(),
  maxToolCalls: budget.optional(),
  maxEvents: budget.optional(),
  stopOnInvariantFailure: z.boolean().optional(),
  stopOnTargetFailure: z.boolean().optional(),
  interactions: z
    .array(z.strictObject({ id: slug, afterStartUs: durationUs.optional(), actorId: slug, actorInstanceId: slug.optional(), task }))
    .max(10_000)
    .optional(),
  workloads: z
    .array(
      z.strictObject({
        id: slug,
        actorIds: z.array(slug).min(1),
        task,
        startAfterUs: durationUs.optional(),
        everyUs: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
        occurrences: z.number().int().min(1).max(10_000),
      }),
    )
    .max(1000)
    .optional(),
  invariants: z.array(assertion).optional(),
});
export const drillInput = z.union([
  z.strictObject({ ...drill, actorId: slug, actorInstanceId: slug.optional(), task }),
  z.strictObject({ ...drill, timeline }),
]);
