// A tool that tells a receiver of its orders: two callbacks on one event, one on a scheduled one, and a fault of each kind of delivery.
import { jsonDigest } from '../../src/contract/digest.js';
import type { JsonValue } from '../../src/contract/json.js';
import type { CompiledBuild } from '../../src/contract/run/build.js';
import type { DeliveryRequest } from '../../src/contract/world/delivery-request.js';
import type { CallbackEntry, EvidenceEntry } from '../../src/contract/world/evidence.js';
import type { WorldSetup } from '../../src/contract/world/scenario.js';
import type { ToolCallback, ToolFault } from '../../src/contract/world/tool-manifest.js';
import type { DeliveryAnswer } from '../../src/contract/world/world-protocol.js';
import type { WorldRef, Worlds } from '../../src/worlds/api.js';
import { compiledOf, manifestOf } from '../tools/tool-fixture.js';

const callback = (id: string, eventId: string, rest: Partial<ToolCallback> = {}): ToolCallback => ({
  id,
  eventId,
  receiverId: 'hook',
  method: 'POST',
  path: `/hooks/${id}`,
  idempotencyHeader: 'Delivery-Id',
  signature: { kind: 'hmac-sha256', header: 'X-Signature', prefix: 'sha256=' },
  retry: { delaysUs: [100, 1000] },
  timeoutMs: 5_000,
  ...rest,
});
const fault = (id: string, delivery: NonNullable<ToolFault['delivery']>, rest: Partial<ToolFault> = {}): ToolFault => ({
  id,
  appliesTo: ['ordered', 'due'],
  timing: 'delivery',
  delivery,
  ...rest,
});

const manifest = manifestOf(['order', 'later', 'fail', 'burst'], {
  id: 'shop',
  events: [
    { id: 'order.made', payloadSchema: { type: 'object' } },
    { id: 'order.due', payloadSchema: { type: 'object' } },
  ],
  subscriptions: [{ id: 'on-due', event: { packageId: 'shop', eventId: 'order.due' } }],
  faults: [
    fault('twice', { kind: 'duplicate' }),
    fault('late', { kind: 'delay', delayUs: 500 }),
    fault('crossed', { kind: 'reorder', delayUs: 500 }, { times: 1 }),
    fault('lost', { kind: 'drop' }, { times: 1 }),
    fault('gone', { kind: 'drop' }),
    fault('forged', { kind: 'bad_signature' }, { times: 1 }),
  ],
  callbacks: [
    callback('ordered', 'order.made'),
    callback('audited', 'order.made', { receiverId: 'auditor', method: 'PUT' }),
    callback('due', 'order.due'),
  ],
});

const code = `
var behavior = { default: {
  operations: {
    order: function (input, context) { context.state.put('rows', input.id, { id: input.id }); context.events.emit('order.made', input); return null; },
    later: function (input, context) { context.events.scheduleAt('order.due', input, context.clock.nowUs() + input.inUs); return null; },
    burst: function (input, context) { for (var i = 0; i < input.count; i++) context.events.emit('order.made', { id: 'b' + i }); return null; },
    fail: function (input, context) { context.events.emit('order.made', input); throw new Error('after all not'); }
  },
  subscriptions: { 'on-due': function (payload, context) { if (payload.fails) throw new Error('on purpose'); } },
  callbacks: {
    ordered: { encode: function (input) {
      if (input.payload.id === 'broken') throw new Error('no words');
      if (input.payload.id === 'smuggled') return { headers: { 'Content-Length': '0' }, body: { kind: 'empty' } };
      if (input.payload.id === 'split') return { headers: { extra: 'a\\r\\nb: c' }, body: { kind: 'empty' } };
      return { headers: { 'X-Kind': 'order' }, body: { kind: 'json', value: input } };
    } },
    audited: { encode: function (input) { return { body: { kind: 'text', value: input.payload.id } }; } },
    due: { encode: function (input) { return { body: { kind: 'json', value: input } }; } }
  }
} };`;

const shop = compiledOf(code, manifest);
const actors = [
  {
    id: 'clerk',
    attributes: {},
    grants: [
      ...['order', 'later', 'fail', 'burst'].map((operationId) => ({ packageId: 'shop', operationId })),
      { packageId: 'world', operationId: 'clock.wait' },
    ],
  },
];
const setup: WorldSetup = { virtualTimeUs: 1000, actors, state: [], faults: [], initialEvents: [], toolOverrides: [] };
export const shopBuild = {
  schemaVersion: 1,
  buildHash: jsonDigest([shop.artifactHash, shop.manifestHash]),
  tools: [shop],
} as unknown as CompiledBuild;

let made = 0;
export async function createShop(worlds: Worlds, faults: readonly string[] = []): Promise<Shop> {
  const changed = { ...setup, faults: faults.map((faultId) => ({ packageId: 'shop', faultId })) };
  const setupHash = jsonDigest(changed as unknown as JsonValue);
  const worldId = `world_shop${String(made++).padStart(12, '0')}`;
  return new Shop(await worlds.create({ worldId, build: shopBuild, setup: changed, setupHash, seed: { seed: '7', trial: 1, attempt: 1 } }));
}

export class Shop {
  readonly world: WorldRef;

  constructor(world: WorldRef) {
    this.world = world;
  }

  call(operationId: string, args: JsonValue) {
    return this.world.command({ kind: 'call', actorId: 'clerk', packageId: 'shop', operationId, arguments: args });
  }
  order(id: string) {
    return this.call('order', { id });
  }
  advance(targetUs: number, receivers: string[] = []) {
    return this.world.command({ kind: 'advance', targetUs, maxEvents: 1000, delivering: { receivers } });
  }
  setFault(faultId: string, active = true) {
    return this.world.command({ kind: 'setFault', packageId: 'shop', faultId, active });
  }
  async start(...receivers: string[]): Promise<DeliveryRequest | undefined> {
    return (await this.world.command({ kind: 'startDelivery', receivers: receivers.length === 0 ? ['hook'] : receivers })).request;
  }
  settle({ deliveryId, attempt }: DeliveryRequest, answer: DeliveryAnswer | number) {
    const reported: DeliveryAnswer = typeof answer === 'number' ? { kind: 'status', status: answer } : answer;
    return this.world.command({ kind: 'settleDelivery', deliveryId, attempt, answer: reported });
  }
  pending() {
    return this.world.query({ kind: 'pending', limit: 100 });
  }
  async evidence(): Promise<EvidenceEntry[]> {
    return (await this.world.query({ kind: 'evidence', fromSequence: 1, limit: 500 })).entries;
  }
  async callbacks(): Promise<CallbackEntry[]> {
    return (await this.evidence()).filter((entry): entry is CallbackEntry => entry.kind === 'callback');
  }
  /** `phase receiver` of every entry of a delivery. */
  async phases(receiverId = 'hook'): Promise<string[]> {
    return (await this.callbacks()).filter((entry) => entry.receiverId === receiverId).map(({ phase }) => phase);
  }
}

export const bodyOf = ({ bodyBase64 }: DeliveryRequest) => JSON.parse(Buffer.from(bodyBase64, 'base64').toString());
