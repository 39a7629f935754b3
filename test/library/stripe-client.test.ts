// The vendor's own client, unchanged, against the Stripe account of the library: its errors, its pages, its webhooks, and months of virtual
// time.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import Stripe from 'stripe';
import { createBindings } from '../../src/bindings/create-bindings.js';
import { compileProject } from '../../src/compiler/compile.js';
import { newId } from '../../src/contract/ids.js';
import { createLocalWorld } from '../../src/index.js';
import { openWorlds } from '../../src/worlds/worlds.js';
import { library } from './package-world.js';

const root = join(library, 'stripe', 'conformance');
const dayUs = 86_400_000_000;
const directory = await mkdtemp(join(tmpdir(), 'drillyard-stripe-'));
const worlds = await openWorlds({ directory, layout: 'run', durability: 'committed', hosts: 1, isolation: 'thread', log: () => {} });
const bindings = createBindings();
after(async () => {
  await bindings.close();
  await worlds.close();
  await rm(directory, { recursive: true, force: true });
});
const { build } = await compileProject({ root });

async function openAccount() {
  assert.ok(build);
  const world = await worlds.create({ worldId: newId('world'), build, ...build.baseline, seed: { seed: '1', trial: 1, attempt: 1 } });
  const access = await bindings.open({ world, actorId: 'operator', bindings: ['http'], httpMounts: 'port' });
  const { token, mounts } = access.endpoints.http ?? assert.fail();
  const { hostname: host, port } = new URL(mounts?.stripe?.url ?? assert.fail());
  const options = { host, port, protocol: 'http', telemetry: false, maxNetworkRetries: 0 } as const;
  const advance = async (byUs: number) => {
    const { virtualTimeUs } = await world.query({ kind: 'position' });
    await world.command({ kind: 'advance', targetUs: virtualTimeUs + byUs, maxEvents: 1000 });
  };
  return {
    url: mounts?.stripe?.url ?? '',
    token,
    stripe: new Stripe(token, options),
    stranger: new Stripe('sk_test_nobody', options),
    advance,
  };
}

test('a declined confirm is a StripeCardError, and the intent and its failed charge are there', async () => {
  const { stripe } = await openAccount();
  const { id } = await stripe.paymentIntents.create({ amount: 2000, currency: 'usd', metadata: { order: '7' } });
  await assert.rejects(stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_chargeDeclined' }), (error: unknown) => {
    assert.ok(error instanceof Stripe.errors.StripeCardError);
    assert.deepEqual(
      [error.statusCode, error.code, error.decline_code, error.payment_intent?.id],
      [402, 'card_declined', 'generic_decline', id],
    );
    assert.match(error.requestId ?? '', /^req_/);
    return true;
  });
  const declined = await stripe.paymentIntents.retrieve(id);
  assert.deepEqual([declined.status, declined.last_payment_error?.code], ['requires_payment_method', 'card_declined']);
  const { data } = await stripe.charges.list({ payment_intent: id });
  assert.deepEqual(
    data.map(({ status, failure_code, paid }) => [status, failure_code, paid]),
    [['failed', 'card_declined', false]],
  );
  const paid = await stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa', expand: ['latest_charge'] });
  assert.equal(paid.status, 'succeeded');
  assert.equal(typeof paid.latest_charge === 'string' ? paid.latest_charge : paid.latest_charge?.paid, true);
});

test('errors have the classes that the client gives them', async () => {
  const { stripe, stranger } = await openAccount();
  const { errors } = Stripe;
  await assert.rejects(stranger.customers.list(), errors.StripeAuthenticationError);
  await assert.rejects(stripe.customers.retrieve('cus_none'), { statusCode: 404, code: 'resource_missing', param: 'id' });
  await assert.rejects(stripe.refunds.create({ charge: 'ch_none' }), { statusCode: 400, code: 'resource_missing', param: 'charge' });
  await assert.rejects(stripe.paymentIntents.create({ amount: 10, currency: 'usd' }), { code: 'amount_too_small', param: 'amount' });
  await assert.rejects(stripe.customers.create({ colour: 'red' } as object), { code: 'parameter_unknown', param: 'colour' });
  const key = { idempotencyKey: 'once' };
  const first = await stripe.customers.create({ name: 'Cy' }, key);
  assert.equal((await stripe.customers.create({ name: 'Cy' }, key)).id, first.id);
  await assert.rejects(stripe.customers.create({ name: 'Di' }, key), errors.StripeIdempotencyError);
  const again = { idempotencyKey: 'declined' };
  const pay = () =>
    stripe.paymentIntents.create({ amount: 500, currency: 'usd', confirm: true, payment_method: 'pm_card_chargeDeclined' }, again);
  await assert.rejects(pay, errors.StripeCardError);
  await assert.rejects(pay, errors.StripeCardError);
  assert.equal((await stripe.charges.list()).data.length, 1, 'the second answer is the first one again');
});

/** A request as another client than that for Node writes it. */
function formSender({ url, token }: { url: string; token: string }) {
  return async (path: string, body: string, headers: Record<string, string> = {}) => {
    const authorization = `Bearer ${token}`;
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const response = await fetch(url + path, { method: 'POST', body, headers: { authorization, ...form, ...headers } });
    const answer = (await response.json()) as { status?: string; error: { code?: string; message: string; param?: string } };
    return { status: response.status, unsupported: response.headers.get('x-drillyard-unsupported'), body: answer };
  };
}

test('an id that no payment method can have is refused, and breaks nothing', async () => {
  const { url, token } = await openAccount();
  for (const id of ['', 'x'.repeat(3000)]) {
    const body = new URLSearchParams({ payment_method: id });
    const reply = await fetch(`${url}/v1/setup_intents`, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body });
    assert.equal(reply.status, 400, await reply.text());
  }
});

test('booleans are read in any case: the client for Python sends str(True)', async () => {
  const post = formSender(await openAccount());
  // stripe-python 5.0.0, PaymentIntent.create(..., confirm=True, automatic_payment_methods={'enabled': True, ...})
  const methods = 'automatic_payment_methods[enabled]=True&automatic_payment_methods[allow_redirects]=never';
  const paid = await post('/v1/payment_intents', `amount=2000&currency=usd&payment_method=pm_card_visa&confirm=True&${methods}`);
  assert.deepEqual([paid.status, paid.body.status], [200, 'succeeded']);
  const held = await post('/v1/payment_intents', 'amount=2000&currency=usd&confirm=False');
  assert.deepEqual([held.status, held.body.status], [200, 'requires_payment_method']);
});

test('another account is refused as Stripe refuses it, and so is a version that is none', async () => {
  const { stripe, ...served } = await openAccount();
  const post = formSender(served);
  await assert.rejects(stripe.customers.list({}, { stripeAccount: 'acct_999' }), (error: unknown) => {
    assert.ok(error instanceof Stripe.errors.StripePermissionError);
    assert.deepEqual([error.code, error.headers?.['x-drillyard-unsupported']], ['account_invalid', '1']);
    return true;
  });
  const other = await post('/v1/customers', 'name=Cy', { 'stripe-account': 'acct_999' });
  assert.deepEqual([other.status, other.unsupported], [403, '1']);
  const own = await post('/v1/customers', 'name=Cy', { 'stripe-account': 'acct_000001', 'stripe-version': '2019-12-03' });
  assert.equal(own.status, 200);
  const version = await post('/v1/customers', 'name=Cy', { 'stripe-version': 'latest' });
  assert.deepEqual([version.status, version.body.error.message], [400, 'Invalid Stripe API version: latest']);
});

test('a parameter or an expansion that Stripe has and the package has not is marked, and one that Stripe has not is not', async () => {
  const post = formSender(await openAccount());
  const intent = 'amount=2000&currency=usd';
  const asked = async (body: string) => {
    const { status, unsupported, body: answer } = await post('/v1/payment_intents', `${intent}&${body}`);
    return [status, unsupported, answer.error.message];
  };
  assert.deepEqual(await asked('transfer_data[destination]=acct_1'), [400, '1', 'Received unknown parameter: transfer_data']);
  assert.deepEqual(await asked('colour=red'), [400, null, 'Received unknown parameter: colour']);
  assert.deepEqual(await asked('expand[]=latest_charge.refunds'), [400, '1', 'This property cannot be expanded (latest_charge.refunds).']);
  assert.deepEqual(await asked('expand[]=nonsense'), [400, null, 'This property cannot be expanded (nonsense).']);
  const nested = await post('/v1/subscriptions', 'customer=cus_1&items[0][price]=price_1&items[0][discounts][0][coupon]=x');
  assert.deepEqual([nested.unsupported, nested.body.error.param], ['1', 'items[0][discounts]']);
});

test('arguments that do not fit are refused in words of Stripe, which say nothing of a simulation', async () => {
  const post = formSender(await openAccount());
  const refused = async (path: string, body: string) => {
    const { code, message, param } = (await post(path, body)).body.error;
    return [code, message, param];
  };
  const shown = [
    await refused('/v1/payment_intents', 'amount=10.5&currency=usd'),
    await refused('/v1/payment_intents', 'amount=-10&currency=usd'),
    await refused('/v1/payment_intents', 'amount=100&currency=usd&confirm=maybe'),
    await refused('/v1/payment_intents', 'amount=100&currency=usd&capture_method=later'),
    await refused('/v1/payment_intents', 'amount=100'),
    await refused('/v1/customers', 'address=x'),
    await refused('/v1/customers', `metadata[order]=${'7'.repeat(501)}`),
    await refused('/v1/customers', 'name=a&name=b'),
  ];
  assert.deepEqual(shown.slice(0, 6), [
    ['parameter_invalid_integer', 'Invalid integer: 10.5', 'amount'],
    ['parameter_invalid_integer', 'This value must be greater than or equal to 1.', 'amount'],
    [undefined, 'Invalid boolean: maybe', 'confirm'],
    [undefined, 'Invalid capture_method: must be one of automatic, automatic_async, or manual', 'capture_method'],
    ['parameter_missing', 'Missing required param: currency.', 'currency'],
    [undefined, 'Invalid object', 'address'],
  ]);
  assert.match(JSON.stringify(shown[6]), /Metadata values can have up to 500 characters, but you passed in a value that is 501 characters/);
  assert.doesNotMatch(JSON.stringify(shown), /schema|pattern|property '|route/);
});

test('lists page by themselves, and the balance is the sum of its transactions', async () => {
  const { stripe, advance } = await openAccount();
  for (let number = 1; number <= 7; number += 1)
    await stripe.paymentIntents.create({ amount: 1000 * number, currency: 'usd', confirm: true, payment_method: 'pm_card_visa' });
  const amounts: number[] = [];
  for await (const { amount } of stripe.charges.list({ limit: 3 })) amounts.push(amount);
  assert.deepEqual(amounts, [7000, 6000, 5000, 4000, 3000, 2000, 1000]);
  const [{ payment_intent } = assert.fail()] = (await stripe.charges.list({ limit: 1 })).data;
  const refund = await stripe.refunds.create({ payment_intent: payment_intent as string, amount: 700, reason: 'duplicate' });
  assert.deepEqual([refund.status, refund.amount], ['succeeded', 700]);
  const sum = async () => {
    let total = 0;
    for await (const { net } of stripe.balanceTransactions.list({ limit: 2 })) total += net;
    const { available, pending } = await stripe.balance.retrieve();
    assert.equal(
      total,
      [...available, ...pending].reduce((all, { amount }) => all + amount, 0),
    );
    return { total, pending: pending[0]?.amount };
  };
  const before = await sum();
  assert.equal(before.pending, before.total);
  await advance(3 * dayUs);
  assert.deepEqual(await sum(), { total: before.total, pending: 0 });
  const payout = await stripe.payouts.create({ amount: 1000, currency: 'usd' });
  await advance(3 * dayUs);
  assert.equal((await stripe.payouts.retrieve(payout.id)).status, 'paid');
  assert.equal((await sum()).total, before.total - 1000);
});

test('cards are attached to customers and found again, and a customer authenticates a payment', async () => {
  const { stripe, advance } = await openAccount();
  const customer = await stripe.customers.create({ email: 'cy@mail.example', metadata: { tier: 'gold' } });
  const method = await stripe.paymentMethods.create({ type: 'card', card: { token: 'tok_mastercard' } });
  await stripe.paymentMethods.attach(method.id, { customer: customer.id });
  await stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: method.id }, metadata: { tier: '' } });
  const { data } = await stripe.paymentMethods.list({ customer: customer.id, expand: ['data.customer'] });
  const [{ card, customer: owner } = assert.fail()] = data;
  assert.deepEqual([card?.last4, typeof owner === 'object' && owner?.id], ['4444', customer.id]);
  assert.deepEqual(((await stripe.customers.retrieve(customer.id)) as Stripe.Customer).metadata, {});
  const { id, next_action } = await stripe.paymentIntents.create({
    amount: 5000,
    currency: 'usd',
    confirm: true,
    payment_method: 'pm_card_threeDSecure2Required',
    return_url: 'https://shop.example/done',
  });
  assert.equal(next_action?.type, 'redirect_to_url');
  await advance(120_000_000);
  assert.equal((await stripe.paymentIntents.retrieve(id)).status, 'succeeded');
  assert.deepEqual(await stripe.customers.del(customer.id), { id: customer.id, object: 'customer', deleted: true });
});

test('a year of a subscription: trial, renewals on the last day of the month, a card that declines, and a new one', async () => {
  const { stripe, advance } = await openAccount();
  const { id: customer } = await stripe.customers.create({ name: 'Cy', email: 'cy@mail.example' });
  const { id: good } = await stripe.paymentMethods.attach('pm_card_visa', { customer });
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: good } });
  const price = await stripe.prices.create({
    ...{ currency: 'usd', unit_amount: 2500, product_data: { name: 'Plan' } },
    recurring: { interval: 'month' },
  });
  const trial_end = Date.UTC(2026, 2, 31, 9) / 1000;
  const { id } = await stripe.subscriptions.create({ customer, items: [{ price: price.id }], trial_end });
  await advance(300 * dayUs);
  const starts: string[] = [];
  for await (const { lines, status, billing_reason } of stripe.invoices.list({ subscription: id, limit: 3 })) {
    assert.equal(status, 'paid');
    if (billing_reason === 'subscription_cycle')
      starts.unshift(new Date((lines.data[0]?.period.start ?? 0) * 1000).toISOString().slice(5, 10));
  }
  assert.deepEqual(starts, ['03-31', '04-30', '05-31', '06-30', '07-31', '08-31', '09-30', '10-31', '11-30']);
  const { id: bad } = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer });
  await stripe.subscriptions.update(id, { default_payment_method: bad });
  await advance(8 * dayUs);
  const late = await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] });
  assert.ok(late.status === 'past_due' && typeof late.latest_invoice === 'object' && late.latest_invoice !== null);
  await assert.rejects(stripe.invoices.pay(late.latest_invoice.id), Stripe.errors.StripeCardError);
  await stripe.subscriptions.update(id, { default_payment_method: good });
  assert.equal((await stripe.invoices.pay(late.latest_invoice.id)).status, 'paid');
  assert.equal((await stripe.subscriptions.retrieve(id)).status, 'active');
  const failed = await stripe.events.list({ type: 'invoice.payment_failed' });
  assert.ok(failed.data.length > 0 && failed.data[0]?.type === 'invoice.payment_failed' && failed.data[0].data.object.attempted);
  const { available, pending } = await stripe.balance.retrieve();
  const sum = [...available, ...pending].reduce((all, { amount }) => all + amount, 0);
  assert.equal(sum, 10 * (2500 - 103), 'ten months, each without its fee');
});

test('what Stripe has and the package has not says so', async () => {
  const { stripe, url, token } = await openAccount();
  const { id: customer } = await stripe.customers.create({ name: 'Cy' });
  const card = await stripe.paymentMethods.attach('pm_card_visa', { customer });
  const recurring = { interval: 'month' } as const;
  const price = await stripe.prices.create({ currency: 'usd', unit_amount: 900, product_data: { name: 'Plan' }, recurring });
  const items = [{ price: price.id }];
  const { id, items: made } = await stripe.subscriptions.create({ customer, items, default_payment_method: card.id });
  const ask = async (method: string, path: string, form?: { [name: string]: string }) => {
    const body = form === undefined ? {} : { body: new URLSearchParams(form) };
    const reply = await fetch(url + path, { method, headers: { authorization: `Bearer ${token}` }, ...body });
    const { error } = (await reply.json()) as { error: { type: string; param?: string } };
    return [reply.status, reply.headers.get('x-drillyard-unsupported'), error.type, error.param];
  };
  const change = { 'items[0][id]': made.data[0]?.id ?? '', 'items[0][quantity]': '2' };
  assert.deepEqual(await ask('POST', `/v1/subscriptions/${id}`, change), [400, '1', 'invalid_request_error', 'proration_behavior']);
  assert.deepEqual(await ask('DELETE', `/v1/subscriptions/${id}?prorate=true`), [400, '1', 'invalid_request_error', 'prorate']);
  assert.deepEqual(await ask('GET', '/v1/customers/search?query=x'), [404, '1', 'invalid_request_error', undefined]);
  assert.deepEqual(await ask('GET', '/v1/coupons'), [404, '1', 'invalid_request_error', undefined]);
  assert.deepEqual(await ask('GET', '/v1/customers/cus_none'), [404, null, 'invalid_request_error', 'id']);
});

test("the tools of Stripe's own MCP server are there under their names", () => {
  // Of @stripe/agent-toolkit 0.7.11, the last with tools of its own, without coupons, payment links and the search of documents.
  const objects = ['customers', 'products', 'prices', 'invoices', 'payment_intents', 'subscriptions', 'disputes'].map(
    (name) => `list_${name}`,
  );
  const made = ['customer', 'product', 'price', 'invoice', 'invoice_item', 'refund'].map((name) => `create_${name}`);
  const more = ['retrieve_balance', 'finalize_invoice', 'update_subscription', 'cancel_subscription', 'update_dispute'];
  const names = new Set(build?.tools.flatMap(({ manifest }) => manifest.operations.map(({ mcp }) => mcp?.name)));
  assert.deepEqual(
    [...objects, ...made, ...more].filter((name) => !names.has(name)),
    [],
  );
});

test('constructEvent verifies the webhooks of a world whose clock stands elsewhere', async () => {
  const secret = 'whsec_shared_with_the_endpoint';
  const arrived: Stripe.Event[] = [];
  const receiver = createServer(async (request, response) => {
    const body = await buffer(request);
    arrived.push(Stripe.webhooks.constructEvent(body, request.headers['stripe-signature'] ?? '', secret));
    response.writeHead(200).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  const local = await createLocalWorld({ root, callbackReceivers: { merchant: { url: `http://127.0.0.1:${port}`, secret } } });
  try {
    const pay = { amount: 1500, currency: 'usd', confirm: true, payment_method: 'pm_card_createDispute' };
    await local.call({ actorId: 'operator', packageId: 'stripe', operationId: 'payment_intents.create', arguments: pay });
    await local.advance((await local.position()).virtualTimeUs + dayUs);
    assert.deepEqual(
      arrived.map(({ type }) => type),
      [
        'payment_intent.created',
        'charge.succeeded',
        'payment_intent.succeeded',
        'charge.dispute.created',
        'charge.dispute.funds_withdrawn',
      ],
    );
    const [, succeeded = assert.fail()] = arrived;
    assert.ok(succeeded.type === 'charge.succeeded' && succeeded.data.object.amount === 1500);
  } finally {
    await local.close();
    receiver.close();
  }
});
