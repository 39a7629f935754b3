// The routes of billing, driven by the `stripe` client as it is.
import assert from 'node:assert/strict';
import type { CompatContext } from 'drillyard/compat';
import type Stripe from 'stripe';

const hourUs = 3_600_000_000;
const dayUs = 24 * hourUs;

export async function driveBilling(stripe: Stripe, advance: CompatContext['advance']): Promise<void> {
  const { monthly, once } = await driveCatalog(stripe);
  const { id: customer } = await stripe.customers.create({ name: 'Dee Holm', email: 'dee@mail.example' });
  await stripe.paymentMethods
    .attach('pm_card_visa', { customer })
    .then(({ id }) => stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } }));
  await driveInvoices(stripe, customer, once);
  await driveSubscriptions(stripe, { customer, monthly, advance });
}

async function driveCatalog(stripe: Stripe): Promise<{ monthly: string; once: string }> {
  const product = await stripe.products.create({
    ...{ name: 'Plan', images: ['https://shop.example/plan.png'], marketing_features: [{ name: 'Fast' }] },
    default_price_data: { currency: 'usd', unit_amount: 1500, recurring: { interval: 'month' } },
    expand: ['default_price'],
  });
  assert.ok(typeof product.default_price === 'object' && product.default_price?.unit_amount_decimal?.toString() === '1500');
  await stripe.products.update(product.id, { description: 'Everything', metadata: { line: 'a' } });
  assert.equal((await stripe.products.retrieve(product.id)).description, 'Everything');
  const once = await stripe.prices.create({ currency: 'usd', unit_amount: 900, product_data: { name: 'Setup' }, lookup_key: 'setup' });
  await stripe.prices.update(once.id, { nickname: 'Setup fee' });
  assert.equal((await stripe.prices.list({ lookup_keys: ['setup'], expand: ['data.product'] })).data[0]?.nickname, 'Setup fee');
  assert.equal((await stripe.prices.retrieve(once.id)).type, 'one_time');
  const mistake = await stripe.products.create({ name: 'Mistake' });
  assert.equal((await stripe.products.del(mistake.id)).deleted, true);
  assert.equal((await stripe.products.list({ active: true, limit: 2 })).data.length, 2);
  return { monthly: product.default_price.id, once: once.id };
}

async function driveInvoices(stripe: Stripe, customer: string, price: string): Promise<void> {
  const item = await stripe.invoiceItems.create({ customer, pricing: { price }, quantity: 2 });
  await stripe.invoiceItems.update(item.id, { quantity: 3 });
  assert.equal((await stripe.invoiceItems.retrieve(item.id, { expand: ['customer'] })).amount, 2700);
  const extra = await stripe.invoiceItems.create({ customer, amount: 100, currency: 'usd', description: 'By mistake' });
  assert.equal((await stripe.invoiceItems.del(extra.id)).deleted, true);
  assert.equal((await stripe.invoiceItems.list({ customer, pending: true })).data.length, 1);
  assert.equal((await stripe.invoices.createPreview({ customer })).total, 2700);
  const draft = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' });
  await stripe.invoices.update(draft.id, { description: 'March', footer: 'Thank you' });
  const { data: lines } = await stripe.invoices.listLineItems(draft.id, { expand: ['data.pricing.price_details.price'] });
  assert.equal(typeof lines[0]?.pricing?.price_details?.price, 'object');
  const open = await stripe.invoices.finalizeInvoice(draft.id, { auto_advance: false });
  assert.deepEqual([open.status, open.amount_due], ['open', 2700]);
  const paid = await stripe.invoices.pay(draft.id, { expand: ['payments.data.payment.payment_intent', 'confirmation_secret', 'customer'] });
  assert.ok(paid.status === 'paid' && typeof paid.payments?.data[0]?.payment.payment_intent === 'object');
  const { data } = await stripe.invoicePayments.list({ invoice: draft.id });
  assert.equal((await stripe.invoicePayments.retrieve(data[0]?.id ?? '', { expand: ['invoice'] })).amount_paid, 2700);
  const unwanted = await stripe.invoices.create({ customer });
  assert.equal((await stripe.invoices.del(unwanted.id)).deleted, true);
  const sent = await stripe.invoices.create({ customer, collection_method: 'send_invoice', days_until_due: 14 });
  await stripe.invoiceItems.create({ customer, invoice: sent.id, amount: 4000, currency: 'usd' });
  await stripe.invoices.sendInvoice(sent.id);
  assert.equal((await stripe.invoices.markUncollectible(sent.id)).status, 'uncollectible');
  assert.equal((await stripe.invoices.voidInvoice(sent.id)).status, 'void');
  assert.equal((await stripe.invoices.retrieve(sent.id)).status, 'void');
  assert.equal((await stripe.invoices.list({ customer, status: 'paid' })).data.length, 1);
}

interface Subscribing {
  readonly customer: string;
  readonly monthly: string;
  readonly advance: CompatContext['advance'];
}
async function driveSubscriptions(stripe: Stripe, { customer, monthly: price, advance }: Subscribing): Promise<void> {
  const trial = await stripe.subscriptions.create({ customer, items: [{ price, quantity: 2 }], trial_period_days: 7 });
  assert.equal(trial.status, 'trialing');
  const first = await stripe.subscriptions.create({
    ...{ customer, items: [{ price }], payment_behavior: 'default_incomplete' },
    payment_settings: { save_default_payment_method: 'on_subscription' },
    expand: ['latest_invoice.confirmation_secret', 'latest_invoice.payments.data.payment.payment_intent'],
  });
  const invoice = first.latest_invoice;
  assert.ok(first.status === 'incomplete' && invoice !== null && typeof invoice === 'object');
  const intent = invoice.payments?.data[0]?.payment.payment_intent;
  assert.ok(typeof intent === 'object' && intent.client_secret === invoice.confirmation_secret?.client_secret);
  await stripe.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_mastercard', return_url: 'https://shop.example/done' });
  assert.equal((await stripe.subscriptions.retrieve(first.id)).status, 'active');
  await advance(8 * dayUs);
  const started = await stripe.subscriptions.retrieve(trial.id, { expand: ['latest_invoice', 'customer', 'items.data.price.product'] });
  assert.ok(started.status === 'active' && typeof started.latest_invoice === 'object' && started.latest_invoice?.amount_paid === 3000);
  const id = started.items.data[0]?.id ?? '';
  const refused = stripe.subscriptions.update(trial.id, { items: [{ id, quantity: 5 }] });
  await assert.rejects(refused, { statusCode: 400, param: 'proration_behavior' });
  const more = await stripe.subscriptions.update(trial.id, { items: [{ id, quantity: 5 }], proration_behavior: 'none' });
  assert.equal(more.items.data[0]?.quantity, 5);
  assert.equal((await stripe.invoices.createPreview({ subscription: trial.id })).total, 7500);
  await stripe.subscriptions.update(first.id, { cancel_at_period_end: true });
  const canceled = await stripe.subscriptions.cancel(trial.id, { cancellation_details: { comment: 'Enough', feedback: 'unused' } });
  assert.deepEqual([canceled.status, canceled.cancellation_details?.comment], ['canceled', 'Enough']);
  assert.equal((await stripe.subscriptions.list({ customer })).data[0]?.id, first.id);
  await advance(32 * dayUs);
  assert.deepEqual((await stripe.subscriptions.list({ customer })).data, []);
}
