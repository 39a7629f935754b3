// Signatures by name, judged by the verifiers that the services give out, as they are: their clock is the machine's, the world's is a year
// away.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { Signature } from '@hubspot/api-client';
import { LinearWebhookClient } from '@linear/sdk/webhooks';
import { Webhooks } from '@octokit/webhooks';
import { ApiVersion, shopifyApi } from '@shopify/shopify-api';
import '@shopify/shopify-api/adapters/node';
import { verifySlackRequest } from '@slack/bolt/dist/receivers/verify-request.js';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { createLocalWorld } from '../../src/index.js';
import { createRepository } from '../drills/repository.js';
import { type Arrival, startReceiver, type TestReceiver } from './receiver-kit.js';

const twilio = createRequire(import.meta.url)('twilio') as typeof import('twilio');

const secret = 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const virtualTimeUs = 1_700_000_000_000_000;
const signatures: { [id: string]: object } = {
  github: { kind: 'github' },
  stripe: { kind: 'stripe' },
  slack: { kind: 'slack' },
  standard: { kind: 'standard-webhooks' },
  svix: { kind: 'standard-webhooks', headers: 'svix' },
  shopify: { kind: 'shopify' },
  'twilio-form': { kind: 'twilio' },
  'twilio-json': { kind: 'twilio' },
  hubspot: { kind: 'hubspot-v3' },
  linear: { kind: 'linear' },
  'slack-virtual': { kind: 'slack', signedAt: 'virtual' },
  'linear-virtual': { kind: 'linear', signedAt: 'virtual' },
};
const ids = Object.keys(signatures);
const callback = (id: string): object => ({
  id,
  eventId: 'told',
  receiverId: 'listener',
  method: 'POST',
  path: `/${id}?to=a%2Fb%20c`,
  idempotencyHeader: id === 'standard' ? 'webhook-id' : 'x-delivery',
  signature: signatures[id],
  retry: { delaysUs: [] },
  timeoutMs: 5_000,
});
const repository = (faults: object[]) =>
  createRepository({
    'notes/notes.tool.json': {
      schemaVersion: 1,
      module: 'behavior.ts',
      manifest: {
        ...{ schemaVersion: 1, id: 'notes', version: '1.0.0', engine: '>=0.1.0', capabilities: ['event.emit'] },
        operations: [{ id: 'tell', inputSchema: true, outputSchema: true, idempotency: 'none', fidelity: 'test' }],
        events: [{ id: 'told', payloadSchema: { type: 'object' } }],
        faults: [{ id: 'forged', appliesTo: ids, timing: 'delivery', delivery: { kind: 'bad_signature' } }],
        callbacks: ids.map(callback),
      },
    },
    'notes/behavior.ts': `
import { defineToolBehavior } from 'drillyard/tool-sdk';
const json = { encode: ({ payload }: any) => ({ body: { kind: 'json', value: payload } }) };
const form = { encode: () => ({ body: { kind: 'text', value: 'b=2&a=J%C3%BCrgen+B&a=1&a=1&c=', contentType: 'application/x-www-form-urlencoded' } }) };
export default defineToolBehavior({
  operations: { tell: (input: any, context: any) => { context.events.emit('told', input); return null; } },
  callbacks: { ${ids.map((id) => `'${id}': ${id === 'twilio-form' ? 'form' : 'json'}`).join(', ')} } as any,
});`,
    'drillyard/world.json': {
      ...{ schemaVersion: 1, id: 'test', seed: '7', virtualTimeUs, faults },
      actors: [{ id: 'writer', grants: [{ packageId: 'notes', operationId: 'tell' }] }],
    },
  });
async function told(receiver: TestReceiver, faults: object[] = []): Promise<string> {
  const { root, remove } = repository(faults);
  const local = await createLocalWorld({ root, callbackReceivers: { listener: receiver } });
  try {
    const payload = { action: 'create', type: 'Issue', title: 'Jürgen’s 7' };
    await local.call({ actorId: 'writer', packageId: 'notes', operationId: 'tell', arguments: payload });
    return (await local.position()).evidenceHash;
  } finally {
    await local.close();
    remove();
  }
}

const shopify = shopifyApi({
  apiKey: 'key',
  apiSecretKey: secret,
  hostName: 'shop.example.com',
  apiVersion: ApiVersion.January26,
  isEmbeddedApp: false,
  logger: { log: () => {} },
});
type Verifier = (arrival: Arrival & { url: string; text: (header: string) => string }) => unknown;
const verifiers: { [id: string]: Verifier } = {
  github: ({ body, text }) => new Webhooks({ secret }).verify(body, text('x-hub-signature-256')),
  stripe: ({ body, text }) => Stripe.webhooks.constructEvent(body, text('stripe-signature'), secret).type,
  slack: (arrival) => slackAt(arrival, Date.now()),
  standard: ({ body, headers }) => new Webhook(`whsec_${secret}`).verify(body, headers as { [name: string]: string }),
  svix: ({ body, text }) => {
    const headers = ['id', 'timestamp', 'signature'].map((name) => [`webhook-${name}`, text(`svix-${name}`)]);
    return new Webhook(secret).verify(body, Object.fromEntries(headers));
  },
  shopify: async ({ body, headers }) => {
    const named = { 'x-shopify-topic': 'orders/create', 'x-shopify-shop-domain': 'shop.example.com', 'x-shopify-webhook-id': '1' };
    const rawRequest = { method: 'POST', url: '/', headers: { ...headers, ...named, 'x-shopify-api-version': '2026-01' } };
    return (await shopify.webhooks.validate({ rawBody: body, rawRequest })).valid;
  },
  'twilio-form': ({ url, body, text }) => {
    const params = { a: new URLSearchParams(body).getAll('a'), b: '2', c: '' };
    return twilio.validateRequest(secret, text('x-twilio-signature'), url, params);
  },
  'twilio-json': ({ url, body, text }) => twilio.validateRequestWithBody(secret, text('x-twilio-signature'), url, body),
  hubspot: ({ url, body, text }) =>
    Signature.isValid({
      ...{ signatureVersion: 'v3', method: 'POST', clientSecret: secret, requestBody: body },
      url: url.replace('%2F', '/'),
      signature: text('x-hubspot-signature-v3'),
      timestamp: Number(text('x-hubspot-request-timestamp')),
    }),
  linear: ({ body, text }) => new LinearWebhookClient(secret).verify(Buffer.from(body), text('linear-signature')),
  'slack-virtual': (arrival) => slackAt(arrival, virtualTimeUs / 1000),
  'linear-virtual': ({ body }) => JSON.parse(body).webhookTimestamp === virtualTimeUs / 1000,
};
function slackAt({ body, headers, text }: Parameters<Verifier>[0], nowMilliseconds: number): true {
  assert.notEqual(headers['x-slack-request-timestamp'], undefined);
  const asked = { 'x-slack-signature': text('x-slack-signature'), 'x-slack-request-timestamp': Number(text('x-slack-request-timestamp')) };
  verifySlackRequest({ signingSecret: secret, body, headers: asked, nowMilliseconds });
  return true;
}

async function isGenuine({ url }: TestReceiver, arrival: Arrival): Promise<boolean> {
  const [, id] = /^\/([a-z-]+)/.exec(arrival.path) as unknown as [string, string];
  const text = (header: string) => String(arrival.headers[header]);
  try {
    return Boolean(await (verifiers[id] as Verifier)({ ...arrival, url: url + arrival.path, text }));
  } catch {
    return false;
  }
}

// SIGNATURES-1
test('the verifiers of the services take what a world of another year signs, and no hash knows of it', async (t) => {
  const receiver = await startReceiver();
  t.after(() => receiver.close());
  receiver.secret = secret;
  const first = await told(receiver);
  const genuine = await Promise.all(receiver.arrivals.map(async (arrival) => [arrival.path, await isGenuine(receiver, arrival)]));
  assert.deepEqual(
    genuine.map(([path, ok]) => [String(path).replace(/[?].*/, ''), ok]),
    ids.map((id) => [`/${id}`, true]),
  );
  const [standard] = receiver.arrivals.filter(({ path }) => path.startsWith('/standard'));
  assert.match(String(standard?.headers['webhook-id']), /^delivery_/);
  for (const { headers } of receiver.arrivals) if (headers['x-delivery']) assert.match(String(headers['x-delivery']), /^delivery_/);
  assert.equal(await told(receiver), first);
});

test('a verifier takes no signature of another key, and a body that was changed fails too', async (t) => {
  const receiver = await startReceiver();
  t.after(() => receiver.close());
  receiver.secret = secret;
  await told(receiver, [{ packageId: 'notes', faultId: 'forged' }]);
  assert.equal(receiver.arrivals.length, ids.length);
  const forged = receiver.arrivals.filter(({ path }) => !path.startsWith('/linear-virtual'));
  for (const arrival of forged) assert.equal(await isGenuine(receiver, arrival), false, arrival.path);
  receiver.arrivals.length = 0;
  await told(receiver);
  for (const arrival of receiver.arrivals.filter(({ path }) => !/virtual|twilio-form/.test(path)))
    assert.equal(await isGenuine(receiver, { ...arrival, body: arrival.body.replace('create', 'remove') }), false, arrival.path);
});
