// A tool that makes as much as its input says, of everything that a turn can make.
import { jsonDigest } from '../../src/contract/digest.js';
import type { JsonObject, JsonValue } from '../../src/contract/json.js';
import type { OutcomeError } from '../../src/contract/outcome-error.js';
import type { CompiledBuild } from '../../src/contract/run/build.js';
import type { ToolOutcome } from '../../src/contract/world/evidence.js';
import type { WorldSetup } from '../../src/contract/world/scenario.js';
import type { CreateWorld, WorldRef, Worlds } from '../../src/worlds/api.js';
import { compiledOf, manifestOf } from '../tools/tool-fixture.js';

const callback = {
  id: 'reported',
  eventId: 'called',
  receiverId: 'hook',
  method: 'POST' as const,
  path: '/hook',
  idempotencyHeader: 'Delivery-Id',
  signature: { kind: 'hmac-sha256' as const, header: 'X-Signature', prefix: '' },
  retry: { delaysUs: [] },
  timeoutMs: 1000,
};
const [make, ...others] = manifestOf(['make', 'schedule', 'empty', 'deep', 'burn', 'lie']).operations ?? [];
/** More than sixteen copies of a mebibyte. */
const many = Array.from({ length: 20 }, (_, index) => index);
const declaredErrors = [{ code: 'REFUSED' }];
const manifest = manifestOf([], {
  id: 'maker',
  operations: [{ ...make, declaredErrors } as NonNullable<typeof make>, ...others],
  events: ['made', 'called', 'heard', 'shouted', 'sung'].map((id) => ({ id, payloadSchema: { type: 'object' } })),
  subscriptions: [
    { id: 'first', event: { packageId: 'maker', eventId: 'heard' } },
    { id: 'second', event: { packageId: 'maker', eventId: 'heard' } },
    ...many.map((index) => ({ id: `voice-${index}`, event: { packageId: 'maker', eventId: 'sung' } })),
  ],
  callbacks: [
    callback,
    { ...callback, id: 'reported-too' },
    ...many.map((index) => ({ ...callback, id: `shout-${index}`, eventId: 'shouted' })),
  ],
});

const code = `
function text(chars, of) { return (of || 'x').repeat(chars); }
function times(count, what) { for (var i = 0; i < count; i++) what(i); }
var calls = {
  get: function (context) { context.state.get('rows', 'none'); },
  put: function (context, i) { context.state.put('rows', 'r' + i % 7, { n: i }); },
  delete: function (context, i) { context.state.put('rows', 'gone', { n: i }); context.state.delete('rows', 'gone'); },
  scan: function (context) { context.state.scan('rows'); },
  emit: function (context, i) { context.events.emit('heard', { n: i }); },
  schedule: function (context, i) { context.events.scheduleAt('heard', { n: i }, context.clock.nowUs() + 10); },
  random: function (context) { context.random.nextFloat(); },
  wide: function (context) { context.random.nextU64(); },
  clock: function (context) { context.clock.nowUs(); },
  source: function (context) { return context.source; },
  actor: function (context) { return context.actor; },
  unknown: function (context) { context.state.get('nowhere', 'x'); },
  huge: function (context) { context.state.put('rows', 'huge', { text: text(5e8) }); }
};
var made = {
  result: function (input) { return text(input.chars, input.of); },
  details: function (input, context) { context.fail({ code: 'REFUSED', message: 'no', details: text(input.chars, input.of) }); },
  message: function (input, context) { context.fail({ code: 'REFUSED', message: text(input.chars) }); },
  code: function (input, context) { context.fail({ code: text(input.chars, 'A'), message: '' }); },
  thrown: function (input) { throw new Error(text(input.chars)); },
  name: function (input) { var error = new Error('x'); error.name = text(input.chars); throw error; },
  bare: function (input) { throw text(input.chars); },
  row: function (input, context) { context.state.put('rows', 'one', { t: text(input.chars, input.of) }); },
  large: function (input, context) { context.state.put('rows', input.id, { t: text(input.chars) }); },
  caughtRow: function (input, context) { try { made.row(input, context); } catch (error) { return error.message; } },
  emit: function (input, context) { context.events.emit('made', { t: text(input.chars, input.of) }); },
  scheduled: function (input, context) { context.events.scheduleAt('made', { t: text(input.chars, input.of) }, 1e9); },
  rows: function (input, context) { times(input.count, function (i) { context.state.put('rows', 'r' + String(i).padStart(5, '0'), { t: text(input.chars, input.of) }); }); },
  deletes: function (input, context) { times(input.count, function (i) { context.state.delete('rows', 'none'); }); },
  events: function (input, context) { times(input.count, function () { context.events.emit(input.event || 'made', { t: text(input.chars) }); }); },
  draws: function (input, context) { times(input.count, function () { context.random.nextFloat(); }); },
  gets: function (input, context) { times(input.count, function () { context.state.get('rows', 'none'); }); },
  caught: function (input, context) {
    made.rows({ count: 1, chars: 1 }, context);
    for (var i = 0; i < input.count; i++) { try { context.state.get('rows', 'none'); } catch (error) { return 'caught'; } }
  },
  blob: function (input, context) { context.blobs.put(text(input.chars, input.of), 'text/plain'); },
  stuck: function (input) { return text(2 * input.chars).lastIndexOf(text(input.chars) + 'y'); },
  many: function (input) { return new Array(input.count).fill(text(1000)); },
  forged: function (input, context) {
    try { made.row({ chars: 2e6 }, context); } catch (error) { throw new error.constructor('sliceMs', 'mine'); }
  }
};
var half = '\\ud800', pairs = '\\u{1f600}'.repeat(10);
var halves = {
  thrown: function () { throw new Error(half); },
  cutThrown: function () { throw new Error('x'.repeat(992) + pairs); },
  name: function () { var error = new Error('m'); error.name = half; throw error; },
  cutName: function () { var error = new Error('m'); error.name = 'x'.repeat(99) + pairs; throw error; },
  bare: function () { throw half; },
  message: function (context) { context.fail({ code: 'REFUSED', message: half }); },
  cutMessage: function (context) { context.fail({ code: 'REFUSED', message: 'x'.repeat(999) + pairs }); },
  kept: function (context) { context.fail({ code: 'REFUSED', message: half, keep: true }); },
  code: function (context) { context.fail({ code: half, message: '' }); },
  undeclared: function (context) { context.fail({ code: 'ELSE', message: half }); },
  details: function (context) { context.fail({ code: 'REFUSED', message: '', details: half }); },
  detailsName: function (context) { context.fail({ code: 'REFUSED', message: '', details: { [half]: 1 } }); },
  result: function () { return half; },
  resultName: function () { return { [half]: 1 }; },
  row: function (context) { context.state.put('rows', 'r', { t: half }); },
  rowName: function (context) { context.state.put('rows', 'r', { [half]: 1 }); },
  rowId: function (context) { context.state.put('rows', half, {}); },
  getId: function (context) { context.state.get('rows', half); },
  deleteId: function (context) { context.state.delete('rows', half); },
  afterId: function (context) { context.state.scan('rows', { afterRowId: half }); },
  namespace: function (context) { context.state.get(half, 'r'); },
  emit: function (context) { context.events.emit(half, {}); },
  emitName: function (context) { context.events.emit('made', { [half]: 1 }); },
  schedule: function (context) { context.events.scheduleAt(half, {}, 1e9); },
  cancel: function (context) { context.events.cancel(half); }
};
made.half = function (input, context) { return halves[input.way](context); };
made.tick = function (input, context) { context.events.scheduleAt('heard', { half: true }, context.clock.nowUs() + 5); };
function deep(context, what, left) {
  if (left > 0) return deep(context, what, left - 1);
  return calls[what](context, 1);
}
function fill(context, what, pad) {
  // Goes down until the stack is full, then calls the context at each level on the way up.
  var done = 0;
  function down(left) {
    try { down(left + 1); } catch (error) { done++; if (done < 40) { try { calls[what](context, left); } catch (again) { } } }
    if (pad > 0) { pad--; return [left, pad, done, left, pad, done].length; }
  }
  down(0);
  return done;
}
var behavior = { default: {
  operations: {
    make: function (input, context) { var result = made[input.what](input, context); return result === undefined ? null : result; },
    schedule: function (input, context) { context.events.scheduleAt(input.event, { t: text(input.chars) }, context.clock.nowUs() + 5); return null; },
    empty: function () { return null; },
    deep: function (input, context) { fill(context, input.what, input.pad); context.state.put('rows', 'after', {}); return null; },
    burn: function (input, context) { (function down(left) { calls[input.what](context, left); down(left + 1); })(0); return null; },
    lie: function (input, context) { (function down(left) { try { calls[input.what](context, left); } catch (e) { throw new TypeError('mine'); } down(left + 1); })(0); return null; }
  },
  subscriptions: { first: function (payload) { if (payload.half) throw new Error('x'.repeat(990) + half); }, second: function () { } },
  callbacks: {}
} };
var silent = { encode: function () { return { body: { kind: 'empty' } }; } };
behavior.default.callbacks = { reported: silent, 'reported-too': silent };
times(20, function (i) { behavior.default.callbacks['shout-' + i] = silent; behavior.default.subscriptions['voice-' + i] = function () { }; });`;

const tools = [compiledOf(code, manifest)];
const setup: WorldSetup = {
  virtualTimeUs: 500,
  actors: [
    { id: 'clerk', attributes: {}, grants: tools[0]?.manifest.operations.map(({ id }) => ({ packageId: 'maker', operationId: id })) ?? [] },
  ],
  state: [],
  faults: [],
  initialEvents: [],
  toolOverrides: [],
};
const setupHash = jsonDigest(setup as unknown as JsonValue);
export const makerBuild: CompiledBuild = {
  schemaVersion: 1,
  buildHash: jsonDigest(tools as unknown as JsonValue),
  packageLockHash: jsonDigest(tools.map(({ artifactHash }) => artifactHash)),
  world: { schemaVersion: 1, id: 'maker-world', seed: '1', ...setup } as unknown as CompiledBuild['world'],
  baseline: { setup, setupHash },
  tools,
  scenarios: [],
  targets: [],
  drills: [],
  suites: [],
  compat: { environmentPrefixes: [] },
};

export async function createMaker(worlds: Worlds, worldId: string, rest: Partial<CreateWorld> = {}): Promise<Maker> {
  return new Maker(
    await worlds.create({ worldId, build: makerBuild, setup, setupHash, seed: { seed: '7', trial: 1, attempt: 1 }, ...rest }),
  );
}

export class Maker {
  readonly world: WorldRef;

  constructor(world: WorldRef) {
    this.world = world;
  }

  async call(operationId: string, args: JsonObject): Promise<ToolOutcome> {
    return (await this.world.command({ kind: 'call', actorId: 'clerk', packageId: 'maker', operationId, arguments: args })).outcome;
  }
  make(what: string, args: JsonObject = {}): Promise<ToolOutcome> {
    return this.call('make', { what, ...args });
  }
  /** Of an outcome that must be an error. */
  async error(what: string, args: JsonObject = {}): Promise<OutcomeError> {
    const outcome = await this.make(what, args);
    if (outcome.kind === 'ok') throw new Error(`${what} was answered: ${JSON.stringify(outcome.value).slice(0, 100)}`);
    return outcome.error;
  }
  /** The ways in which `half` puts half a surrogate pair where it does not belong. */
  static readonly halves = [...code.slice(code.indexOf('var halves'), code.indexOf('made.half')).matchAll(/^ {2}(\w+):/gm)].map(
    ([, way]) => way as string,
  );
  async rowCount(): Promise<number> {
    return (await this.world.query({ kind: 'namespaces' }))[0]?.rowCount ?? 0;
  }
  async figures(): Promise<{ rows: number; pending: number; deliveries: number }> {
    const { total, deliveriesTotal } = await this.world.query({ kind: 'pending', limit: 1 });
    return { rows: await this.rowCount(), pending: total, deliveries: deliveriesTotal };
  }
}
