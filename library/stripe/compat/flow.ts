// Every route, driven by the `stripe` client as it is.
import assert from 'node:assert/strict';
import type { CompatContext } from 'drillyard/compat';
import Stripe from 'stripe';
import { driveBilling } from './billing-flow.js';

export const dayUs = 86_400_000_000;

/** The client takes a host and a port. */
export function clientOf({ url, token }: Pick<CompatContext, 'url' | 'token'>): Stripe {
  const { hostname: host, port } = new URL(url);
  return new Stripe(token, { host, port, protocol: 'http', telemetry: false, maxNetworkRetries: 0 });
}

export async function flow(context: CompatContext): Promise<void> {
  const stripe = clientOf(context);
  const customer = await driveCustomers(stripe);
  await drivePayments(stripe, customer);
  await driveSetups(stripe, customer);
  await driveMoney(stripe, context.advance);
  await driveBilling(stripe, context.advance);
  const stranger = clientOf({ url: context.url, token: 'sk_test_nobody' });
  await assert.rejects(stranger.customers.list(), Stripe.errors.StripeAuthenticationError);
  await assert.rejects(stripe.customers.retrieve('cus_none'), { statusCode: 404, code: 'resource_missing' });
  await assert.rejects(stripe.customers.search({ query: "email:'ada@mail.example'" }), { statusCode: 404 });
}

async function driveCustomers(stripe: Stripe): Promise<string> {
  const address = { city: 'Bern', country: 'CH', line1: 'Markt 1' };
  const { id } = await stripe.customers.create({ name: 'Cy Lund', email: 'cy@mail.example', address, metadata: { tier: 'gold' } });
  const method = await stripe.paymentMethods.create({ type: 'card', card: { token: 'tok_mastercard' } });
  await stripe.paymentMethods.attach(method.id, { customer: id });
  await stripe.paymentMethods.update(method.id, { metadata: { use: 'home' } });
  assert.equal((await stripe.paymentMethods.retrieve(method.id)).card?.brand, 'mastercard');
  await stripe.customers.update(id, { invoice_settings: { default_payment_method: method.id }, phone: '+45 1234' });
  const customer = await stripe.customers.retrieve(id, { expand: ['invoice_settings.default_payment_method'] });
  assert.ok(!customer.deleted && typeof customer.invoice_settings.default_payment_method === 'object');
  assert.equal((await stripe.paymentMethods.list({ customer: id, expand: ['data.customer'] })).data.length, 1);
  const other = await stripe.paymentMethods.create({ type: 'card', card: { token: 'tok_visa' } });
  await stripe.paymentMethods.attach(other.id, { customer: id });
  await stripe.paymentMethods.detach(other.id);
  const gone = await stripe.customers.create({ email: 'gone@mail.example' });
  assert.equal((await stripe.customers.del(gone.id)).deleted, true);
  const names: (string | null | undefined)[] = [];
  for await (const { name } of stripe.customers.list({ limit: 2 })) names.push(name);
  assert.equal(names.length, 3);
  return id;
}

async function drivePayments(stripe: Stripe, customer: string): Promise<void> {
  const intent = await stripe.paymentIntents.create({ amount: 2000, currency: 'usd', customer, metadata: { order: '7' } });
  await stripe.paymentIntents.update(intent.id, { description: 'Order 7' });
  const declined = stripe.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_chargeDeclined' });
  await assert.rejects(declined, Stripe.errors.StripeCardError);
  const paid = await stripe.paymentIntents.confirm(intent.id, {
    payment_method: 'pm_card_bypassPending',
    expand: ['latest_charge.balance_transaction', 'payment_method', 'customer'],
  });
  assert.ok(paid.status === 'succeeded' && typeof paid.latest_charge === 'object');
  const held = await stripe.paymentIntents.create({
    ...{ amount: 900, currency: 'usd', confirm: true, capture_method: 'manual', payment_method: 'pm_card_visa' },
    return_url: 'https://shop.example/done',
  });
  await stripe.paymentIntents.capture(held.id, { amount_to_capture: 700 });
  const dropped = await stripe.paymentIntents.create({ amount: 800, currency: 'usd' });
  await stripe.paymentIntents.cancel(dropped.id, { cancellation_reason: 'abandoned' });
  const waits = await stripe.paymentIntents.create({
    ...{ amount: 800, currency: 'usd', confirm: true, payment_method: 'pm_card_threeDSecure2Required' },
    return_url: 'https://shop.example/done',
  });
  assert.equal(waits.next_action?.type, 'redirect_to_url');
  assert.equal((await stripe.paymentIntents.retrieve(waits.id)).status, 'requires_action');
  assert.equal((await stripe.paymentIntents.list({ customer, limit: 1 })).data[0]?.id, intent.id);
  const { data } = await stripe.charges.list({ payment_intent: intent.id, expand: ['data.balance_transaction', 'data.customer'] });
  assert.deepEqual(
    data.map(({ status }) => status),
    ['succeeded', 'failed'],
  );
  assert.equal((await stripe.charges.retrieve(data[0]?.id ?? '')).amount_captured, 2000);
}

async function driveSetups(stripe: Stripe, customer: string): Promise<void> {
  const setup = await stripe.setupIntents.create({ customer, usage: 'off_session' });
  await stripe.setupIntents.update(setup.id, { description: 'A second card' });
  const declined = stripe.setupIntents.confirm(setup.id, { payment_method: 'pm_card_chargeDeclined' });
  await assert.rejects(declined, (error: unknown) => {
    assert.ok(error instanceof Stripe.errors.StripeCardError);
    assert.equal(error.setup_intent?.last_setup_error?.decline_code, 'generic_decline');
    return true;
  });
  assert.equal((await stripe.setupIntents.retrieve(setup.id)).last_setup_error?.code, 'card_declined');
  const saved = await stripe.setupIntents.confirm(setup.id, { payment_method: 'pm_card_visa', expand: ['payment_method'] });
  assert.ok(typeof saved.payment_method === 'object' && saved.payment_method?.customer === customer);
  const dropped = await stripe.setupIntents.create({ customer });
  await stripe.setupIntents.cancel(dropped.id, { cancellation_reason: 'duplicate' });
  assert.equal((await stripe.setupIntents.list({ customer })).data.length, 2);
}

async function driveMoney(stripe: Stripe, advance: CompatContext['advance']): Promise<void> {
  const pay = (payment_method: string) =>
    stripe.paymentIntents.create({ amount: 5000, currency: 'usd', confirm: true, payment_method, return_url: 'https://shop.example' });
  const pending = await pay('pm_card_pendingRefund');
  const refund = await stripe.refunds.create({ payment_intent: pending.id, amount: 700, reason: 'duplicate' });
  await stripe.refunds.update(refund.id, { metadata: { note: 'twice' } });
  assert.equal((await stripe.refunds.cancel(refund.id)).status, 'canceled');
  const expand = ['charge', 'balance_transaction', 'payment_intent'];
  assert.equal(typeof (await stripe.refunds.retrieve(refund.id, { expand })).charge, 'object');
  assert.equal((await stripe.refunds.list({ payment_intent: pending.id })).data.length, 1);
  await pay('pm_card_createDispute');
  await pay('pm_card_createDispute');
  await advance(dayUs);
  const [first, second] = (await stripe.disputes.list()).data;
  assert.ok(first !== undefined && second !== undefined);
  await stripe.disputes.update(first.id, { evidence: { uncategorized_text: 'winning_evidence' } });
  assert.equal((await stripe.disputes.close(second.id)).status, 'lost');
  await advance(4 * dayUs);
  assert.equal((await stripe.disputes.retrieve(first.id, { expand: ['charge'] })).status, 'won');
  const sent = await stripe.payouts.create({ amount: 500, currency: 'usd' });
  const stopped = await stripe.payouts.create({ amount: 100, currency: 'usd' });
  assert.equal((await stripe.payouts.cancel(stopped.id)).status, 'canceled');
  assert.equal(typeof (await stripe.payouts.retrieve(sent.id, { expand: ['balance_transaction'] })).balance_transaction, 'object');
  assert.equal((await stripe.payouts.list({ status: 'pending' })).data.length, 1);
  let total = 0;
  for await (const { net } of stripe.balanceTransactions.list({ limit: 4 })) total += net;
  const { available, pending: later } = await stripe.balance.retrieve();
  assert.equal(
    total,
    [...available, ...later].reduce((sum, { amount }) => sum + amount, 0),
  );
  const [move] = (await stripe.balanceTransactions.list({ type: 'charge', limit: 1 })).data;
  assert.equal(typeof (await stripe.balanceTransactions.retrieve(move?.id ?? '', { expand: ['source'] })).source, 'object');
  const { data } = await stripe.events.list({ types: ['charge.failed', 'payout.canceled'] });
  assert.equal((await stripe.events.retrieve(data[0]?.id ?? '')).type, 'payout.canceled');
}
