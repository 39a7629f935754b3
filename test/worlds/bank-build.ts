// The build the tests of this module share: a bank with every kind of operation, event and fault, and an audit that listens to it. Made by
// hand, without the compiler: what is tested is what worlds do with a build.
import { jsonDigest } from '../../src/contract/digest.js';
import type { JsonObject, JsonValue } from '../../src/contract/json.js';
import type { CompiledBuild, CompiledTool } from '../../src/contract/run/build.js';
import type { ScenarioActor, WorldSetup } from '../../src/contract/world/scenario.js';
import type { ToolFault, ToolManifest, ToolOperation } from '../../src/contract/world/tool-manifest.js';
import { bundleFunction } from '../../src/tools/ambient.js';

const text = { type: 'string' };
const integer = { type: 'integer' };
const object = (properties: JsonObject, required = Object.keys(properties)): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const anything: JsonObject = { type: 'object' };

const errors = [
  { code: 'TOO_MUCH', description: 'More than 1000 at a time.' },
  { code: 'BUSY', retryable: true },
  { code: 'LIMIT_REACHED' },
];
const operation = (id: string, inputSchema: JsonObject, rest: Partial<ToolOperation> = {}): ToolOperation => ({
  id,
  inputSchema,
  outputSchema: anything,
  declaredErrors: errors,
  idempotency: 'optional',
  fidelity: 'exact',
  ...rest,
});

const busy = { code: 'BUSY', message: 'The bank is busy.', retryable: true };
const lost = { code: 'BUSY', message: 'The answer was lost.', retryable: true };
const fault = (id: string, timing: ToolFault['timing'], rest: Partial<ToolFault> = {}): ToolFault => ({
  id,
  appliesTo: ['add', 'pay'],
  timing,
  ...rest,
});

const bank: ToolManifest = {
  schemaVersion: 1,
  id: 'bank',
  version: '1.0.0',
  engine: '*',
  capabilities: ['state.read', 'state.write', 'clock.read', 'clock.schedule', 'random.draw', 'event.emit'],
  state: [
    { namespace: 'accounts', schema: object({ balance: { type: 'integer', minimum: 0 } }) },
    { namespace: 'log', schema: anything },
  ],
  operations: [
    operation('add', object({ account: text, amount: integer }), { outputSchema: object({ balance: integer }) }),
    operation('pay', object({ account: text, amount: integer }), { idempotency: 'required' }),
    operation('read', object({ account: text }), { idempotency: 'none' }),
    operation('roll', object({ most: integer }), { idempotency: 'none' }),
    operation('later', object({ inUs: integer, account: text, amount: integer }), { idempotency: 'none' }),
    operation('chain', object({ length: integer, width: integer }), { idempotency: 'none' }),
    operation('misbehave', object({ how: text }), { outputSchema: object({ balance: integer }) }),
  ],
  events: [
    { id: 'changed', payloadSchema: object({ account: text, balance: integer }) },
    { id: 'due', payloadSchema: object({ account: text, amount: integer }) },
    { id: 'link', payloadSchema: object({ left: integer, width: integer }) },
    { id: 'ignored', payloadSchema: anything },
  ],
  subscriptions: [
    { id: 'on-due', event: { packageId: 'bank', eventId: 'due' } },
    { id: 'on-link', event: { packageId: 'bank', eventId: 'link' } },
  ],
  faults: [
    fault('busy', 'before', { error: busy }),
    fault('busy-once', 'before', { error: busy, times: 1 }),
    fault('busy-third', 'before', { error: busy, everyNth: 3 }),
    fault('busy-half', 'before', { error: busy, rate: 0.5 }),
    fault('busy-window', 'before', { error: busy, fromUs: 1000, untilUs: 2000 }),
    fault('lost', 'after_commit', { error: lost }),
    fault('slow', 'latency', { latencyUs: 250 }),
    fault('slow-half', 'latency', { latencyUs: 250, rate: 0.5 }),
    fault('slower', 'latency', { latencyUs: 1000 }),
    fault('lost-way', 'after_commit', { error: lost, appliesTo: ['misbehave'] }),
  ],
  http: [],
  callbacks: [],
  connections: [],
  compatibility: [],
};

const audit: ToolManifest = {
  ...bank,
  id: 'audit',
  capabilities: ['state.read', 'state.write'],
  state: [{ namespace: 'seen', schema: object({ count: integer, last: integer }) }],
  operations: [operation('clock', anything, { idempotency: 'none' })],
  events: [],
  subscriptions: [{ id: 'on-changed', event: { packageId: 'bank', eventId: 'changed' } }],
  faults: [],
};

const bankCode = `
var stash;
var calls = 0;
function add(account, amount, context) {
  if (amount > 1000) context.fail({ code: 'TOO_MUCH', message: amount + ' is above 1000', details: { amount: amount } });
  var row = context.state.get('accounts', account);
  var balance = (row === undefined ? 0 : row.balance) + amount;
  if (balance === 666) throw new Error('the number of the beast');
  context.state.put('accounts', account, { balance: balance });
  context.events.emit('changed', { account: account, balance: balance });
  return { balance: balance };
}
function scribble(context) {
  context.state.put('log', 'scribble', { atUs: context.clock.nowUs() });
  context.state.delete('accounts', 'main');
  context.events.scheduleAt('due', { account: 'main', amount: 1 }, context.clock.nowUs() + 5);
  context.random.nextFloat();
}
var ways = {
  throw: function () { throw new Error('on purpose'); },
  undeclared: function (context) { context.fail({ code: 'NOBODY_KNOWS', message: 'not in the manifest', details: { a: 1 } }); },
  retryable: function (context) { context.fail({ code: 'BUSY', message: 'try again' }); },
  output: function () { return { balance: 'much' }; },
  nothing: function () { },
  promise: function () { return { then: function () { } }; },
  row: function (context) { context.state.put('accounts', 'main', { balance: -1 }); },
  caught: function (context) { try { context.state.put('accounts', 'main', { balance: -1 }); } catch (error) { return { balance: 1 }; } },
  namespace: function (context) { context.state.get('nowhere', 'x'); },
  event: function (context) { context.events.emit('nothing', {}); },
  payload: function (context) { context.events.emit('changed', { account: 1 }); },
  frozen: function (context) { 'use strict'; context.state.get('accounts', 'other').balance = 5; },
  stash: function (context) { stash = context; return { balance: 0 }; },
  stashed: function (context) { stash = stash || context; return { balance: stash.state.get('accounts', 'main').balance }; },
  remember: function () { calls += 1; return { balance: calls }; },
  kept: function (context) { context.events.emit('changed', { account: 'other', balance: 7 }); context.fail({ code: 'LIMIT_REACHED', message: 'declined', keep: true }); },
  'kept retryable': function (context) { context.fail({ code: 'BUSY', message: 'declined for now', keep: true }); },
  'kept undeclared': function (context) { context.fail({ code: 'NOBODY_KNOWS', message: 'not in the manifest', keep: true }); },
  'kept listener': function (context) { context.events.emit('link', { left: -1, width: 1 }); context.fail({ code: 'BUSY', message: 'x', keep: true }); },
  listener: function (context) { context.events.emit('link', { left: -1, width: 1 }); return { balance: 0 }; }
};
var behavior = { default: {
  operations: {
    add: function (input, context) { return add(input.account, input.amount, context); },
    pay: function (input, context) { return add(input.account, input.amount, context); },
    read: function (input, context) { var row = context.state.get('accounts', input.account); return { balance: row ? row.balance : null, nowUs: context.clock.nowUs(), actor: context.actor, source: context.source }; },
    roll: function (input, context) { return { float: context.random.nextFloat(), integer: context.random.nextInteger(0, input.most), wide: context.random.nextU64().toString() }; },
    later: function (input, context) { return { id: context.events.scheduleAt('due', { account: input.account, amount: input.amount }, context.clock.nowUs() + input.inUs) }; },
    chain: function (input, context) { for (var index = 0; index < input.width; index++) context.events.emit('link', { left: input.length, width: 1 }); return {}; },
    misbehave: function (input, context) {
      if (input.how !== 'caught' && input.how !== 'remember' && input.how !== 'frozen' && input.how.indexOf('stash') !== 0) scribble(context);
      return ways[input.how](context);
    }
  },
  subscriptions: {
    'on-due': function (payload, context) { add(payload.account, payload.amount, context); },
    'on-link': function (payload, context) {
      if (payload.left < 0) throw new Error('a broken link');
      context.state.put('log', 'link-' + payload.left, { source: context.source });
      if (payload.left > 0) context.events.emit('link', { left: payload.left - 1, width: payload.width });
    }
  }
} };`;

const auditCode = `
var behavior = { default: {
  operations: { clock: function (input, context) { return { nowUs: context.clock.nowUs() }; } },
  subscriptions: {
    'on-changed': function (payload, context) {
      var row = context.state.get('seen', payload.account) || { count: 0, last: 0 };
      context.state.put('seen', payload.account, { count: row.count + 1, last: payload.balance });
    }
  }
} };`;

function compiled(manifest: ToolManifest, code: string): CompiledTool {
  const bundle = bundleFunction(code);
  const codeHash = jsonDigest(bundle);
  const manifestHash = jsonDigest(manifest as unknown as JsonValue);
  return {
    packageId: manifest.id,
    version: manifest.version,
    manifest,
    manifestHash,
    artifactHash: codeHash,
    stateSchemaDigest: jsonDigest(manifest.state as unknown as JsonValue),
    behavior: { code: bundle, codeHash },
  };
}

const grant = (packageId: string, operationId: string, instanceId?: string) => ({
  packageId,
  operationId,
  ...(instanceId === undefined ? {} : { instanceId }),
});
const actors: ScenarioActor[] = [
  {
    id: 'clerk',
    attributes: { desk: 7 },
    grants: [...bank.operations.map(({ id }) => grant('bank', id)), grant('audit', 'clock'), grant('world', 'clock.wait')],
  },
  { id: 'reader', attributes: {}, grants: [grant('bank', 'read')] },
  { id: 'teller', instanceId: 'north', attributes: {}, grants: [grant('bank', 'add', 'bank-two')] },
  { id: 'teller', instanceId: 'south', attributes: {}, grants: [grant('bank', 'read')] },
];

/** Starts at 500; main holds 100. `bank` has a second instance, named by a grant; `audit` one named by a row. */
export const bankSetup: WorldSetup = {
  virtualTimeUs: 500,
  actors,
  state: [
    { action: 'upsert', packageId: 'bank', namespace: 'accounts', rowId: 'main', value: { balance: 100 } },
    { action: 'upsert', packageId: 'bank', namespace: 'accounts', rowId: 'other', value: { balance: 0 } },
    { action: 'upsert', packageId: 'audit', instanceId: 'audit-two', namespace: 'seen', rowId: 'none', value: { count: 0, last: 0 } },
  ],
  faults: [],
  initialEvents: [],
  toolOverrides: [],
};

/** What adds `amount` to an account when its time comes. */
export const dueEvent = (atUs: number, amount: JsonValue = 1, account = 'main') => ({
  event: { packageId: 'bank', eventId: 'due' },
  payload: { account, amount },
  atUs,
  actorId: 'clerk',
});
/** Two events to come, and a fault that strikes each third call. */
export const busySetup = { initialEvents: [dueEvent(700), dueEvent(900, 2)], faults: [{ packageId: 'bank', faultId: 'busy-third' }] };

const tools = [compiled(bank, bankCode), compiled(audit, auditCode)];
export const bankBuild: CompiledBuild = {
  schemaVersion: 1,
  buildHash: jsonDigest(tools as unknown as JsonValue),
  packageLockHash: jsonDigest(tools.map(({ artifactHash }) => artifactHash)),
  world: { schemaVersion: 1, id: 'bank-world', seed: '1', ...bankSetup, toolOverrides: [] } as unknown as CompiledBuild['world'],
  baseline: { setup: bankSetup, setupHash: jsonDigest(bankSetup as unknown as JsonValue) },
  tools,
  scenarios: [],
  targets: [],
  drills: [],
  suites: [],
  compat: { environmentPrefixes: [] },
};
