// Checking a tool call's body, a scenario and a drill, sound and broken: ours (the JSON check, typia's generated check, and the walk that
// explains) against Ajv and zod on the same shapes, all of them asked to report every issue, and to look into JSON values.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { Bench } from 'tinybench';
import type { ZodType } from 'zod';
import type { Schema, Shapes } from '../src/contract/shape.js';
import { type Validator, validateCallRequest, validateDrill, validateScenario, wordings } from '../src/contract/validate/validators.js';
import * as zodShapes from './zod-shapes.js';

interface Contest {
  name: string;
  ours: Validator<unknown>;
  ajv: ValidateFunction;
  zod: ZodType;
  sound: unknown;
  broken: unknown;
}

export async function run(options: { [flag: string]: string | boolean }): Promise<object> {
  const timeMs = Number(options.timeMs ?? 300);
  const figures: { [name: string]: object } = {};
  for (const contest of contests()) {
    agree(contest);
    for (const kind of ['sound', 'broken'] as const) figures[`${contest.name}.${kind}`] = await measure(contest, contest[kind], timeMs);
  }
  return figures;
}

async function measure({ ours, ajv, zod }: Contest, value: unknown, timeMs: number): Promise<object> {
  const bench = new Bench({ time: timeMs, warmupTime: timeMs / 3 });
  bench.add('ours', () => {
    ours(value);
  });
  bench.add('ajv', () => {
    ajv(value);
  });
  bench.add('zod', () => {
    zod.safeParse(value);
  });
  await bench.run();
  const nanoseconds = (name: string): number => {
    const result = bench.getTask(name)?.result;
    if (result === undefined || !('latency' in result)) throw new Error(`${name} was not measured`);
    return result.latency.p50 * 1e6;
  };
  const [own, ajvTime, zodTime] = [nanoseconds('ours'), nanoseconds('ajv'), nanoseconds('zod')];
  const ratio = (other: number) => Number((other / own).toFixed(2));
  return {
    oursNs: Math.round(own),
    ajvNs: Math.round(ajvTime),
    zodNs: Math.round(zodTime),
    ajvToOurs: ratio(ajvTime),
    zodToOurs: ratio(zodTime),
  };
}

/** A contest between checks that do not say the same would prove nothing. */
function agree({ name, ours, ajv, zod, sound, broken }: Contest): void {
  for (const [value, expected] of [
    [sound, true],
    [broken, false],
  ] as const) {
    const answers = [ours(value).ok, ajv(value), zod.safeParse(value).success];
    if (answers.some((answer) => answer !== expected))
      throw new Error(`${name}: ours, Ajv and zod say ${answers.join(', ')}, expected ${expected}`);
  }
}

function contests(): Contest[] {
  const ajv = new Ajv2020({ allErrors: true, discriminator: false, strict: false, formats: wordings.formats });
  ajv.addSchema({ $id: 'contract', components: { schemas: closed(wordings.shapes) } });
  const compiled = (name: string) => ajv.compile({ $ref: `contract#/components/schemas/${name}` });
  return [
    { name: 'call', ours: validateCallRequest, ajv: compiled('CallRequest'), zod: zodShapes.callRequest, ...callSamples() },
    { name: 'scenario', ours: validateScenario, ajv: compiled('ScenarioInput'), zod: zodShapes.scenario, ...scenarioSamples() },
    { name: 'drill', ours: validateDrill, ajv: compiled('DrillInput'), zod: zodShapes.drillInput, ...drillSamples() },
  ];
}

const jsonRef = { $ref: '#/components/schemas/JsonValue' };
/** As Ajv likes it best: no union. */
const jsonSchema = { type: ['null', 'boolean', 'number', 'string', 'array', 'object'], items: jsonRef, additionalProperties: jsonRef };

/** The schemas leave "no other members" unsaid; Ajv must be reported. */
function closed(shapes: Shapes): object {
  const close = (schema: Schema): object =>
    JSON.parse(JSON.stringify(schema), (_, part: Schema | undefined) =>
      part?.type === 'object' && part.properties !== undefined && part.additionalProperties === undefined
        ? { ...part, additionalProperties: false }
        : part,
    ) as object;
  return Object.fromEntries(Object.entries(shapes).map(([name, schema]) => [name, name === 'JsonValue' ? jsonSchema : close(schema)]));
}

function callSamples() {
  const sound = {
    arguments: { ticketId: 'T-1042', comment: { text: 'We are looking into it.', public: true }, tags: ['billing', 'urgent'] },
    idempotencyKey: 'agent-7:step-12',
    instanceId: 'support-eu',
  };
  return { sound, broken: { ...sound, instanceId: 'Support EU', idempotencykey: 'x' } };
}

function scenarioSamples() {
  const grants = ['get', 'list', 'search', 'comment', 'assign'].map((id) => ({ packageId: 'ticket-desk', operationId: `tickets.${id}` }));
  const sound = {
    schemaVersion: 1,
    id: 'rush-hour',
    title: 'Rush hour',
    virtualTimeUs: 1_700_000_000_000_000,
    actors: ['ada', 'grace', 'edsger'].map((id) => ({
      id,
      description: 'An agent of the first line.',
      attributes: { team: 'first-line' },
      grants,
    })),
    state: Array.from({ length: 40 }, (_, index) => ({
      action: 'upsert',
      packageId: 'ticket-desk',
      namespace: 'tickets',
      rowId: `T-${index}`,
      value: { subject: 'It does not print', status: 'open', priority: 2, tags: ['printer'] },
    })),
    faults: [{ packageId: 'payments', faultId: 'card-network-down' }],
    initialEvents: [
      { event: { packageId: 'ticket-desk', eventId: 'sla.due' }, payload: { ticketId: 'T-1' }, atUs: 5_000_000, actorId: 'ada' },
    ],
  };
  const broken = structuredClone(sound) as typeof sound & { acters?: unknown };
  broken.acters = [];
  (broken.state[20] as { rowId: string }).rowId = '';
  return { sound, broken };
}

function drillSamples() {
  const operation = { packageId: 'payments', operationId: 'refunds.create', outcome: 'ok' };
  const sound = {
    schemaVersion: 1,
    id: 'refund-once',
    title: 'A refund is made once',
    tags: ['smoke', 'payments'],
    targetId: 'support-agent',
    scenarioId: 'rush-hour',
    actorId: 'ada',
    task: { instruction: 'Refund charge ch_1 and tell the customer.', input: { chargeId: 'ch_1' } },
    trials: { count: 3, require: { passRate: 1 } },
    assertions: [
      {
        id: 'refunded',
        kind: 'state.value',
        packageId: 'payments',
        namespace: 'charges',
        rowId: 'ch_1',
        path: ['status'],
        expected: 'refunded',
      },
      {
        id: 'one-refund',
        kind: 'state.count',
        packageId: 'payments',
        namespace: 'refunds',
        where: { chargeId: 'ch_1' },
        count: { equals: 1 },
      },
      { id: 'asked-once', kind: 'operation.count', operation, count: { atMost: 2 } },
      { id: 'in-order', kind: 'operation.order', operations: [operation, { packageId: 'ticket-desk', operationId: 'tickets.comment' }] },
      {
        id: 'nothing-denied',
        kind: 'operation.denied',
        operation: { packageId: 'payments', operationId: 'charges.create' },
        count: { equals: 0 },
      },
      { id: 'reported', kind: 'event.count', event: { packageId: 'ticket-desk', eventId: 'comment.added' }, count: { atLeast: 1 } },
    ],
  };
  const broken = structuredClone(sound);
  (broken.assertions[0] as { comparision?: string }).comparision = 'equals';
  broken.trials.count = 0;
  return { sound, broken };
}
