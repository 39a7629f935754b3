// What the Stripe account refuses as Stripe does, and what it leaves of a deleted customer, as the vendor's own client sees it.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import Stripe from 'stripe';
import { serveWorld } from './served-world.js';

async function openAccount(context: TestContext): Promise<Stripe> {
  const { url, token } = await serveWorld(context, { packageId: 'stripe', httpMounts: 'port' });
  const { hostname: host, port } = new URL(url);
  return new Stripe(token, { host, port, protocol: 'http', telemetry: false, maxNetworkRetries: 0 });
}

test('of a deleted customer there is left that it was deleted', async (context) => {
  const stripe = await openAccount(context);
  const paid = { amount: 500, currency: 'usd', confirm: true, payment_method: 'pm_card_visa' };
  const { id } = await stripe.customers.create({ name: 'Cy' });
  const intent = await stripe.paymentIntents.create({ ...paid, customer: id });
  await stripe.customers.del(id);
  const gone = await stripe.customers.retrieve(id);
  assert.ok(gone.deleted);
  const left: { [member: string]: unknown } = { id, object: 'customer', deleted: true };
  assert.deepEqual({ ...gone }, left);
  assert.deepEqual((await stripe.paymentIntents.retrieve(intent.id, { expand: ['customer'] })).customer, left);
  const missing = { statusCode: 404, code: 'resource_missing' };
  await assert.rejects(stripe.customers.update(id, { name: 'Di' }), missing);
  await assert.rejects(stripe.customers.del(id), missing);
  assert.ok(!(await stripe.customers.list()).data.some((customer) => customer.id === id));
  assert.notEqual((await stripe.customers.create({ name: 'Di' })).id, id);
});

test('currencies that Stripe does not have are refused with those that it has', async (context) => {
  const stripe = await openAccount(context);
  const currency = 'abc';
  const { id: customer } = await stripe.customers.create({ name: 'Cy' });
  const price = await stripe.prices.create({ currency: 'jpy', unit_amount: 900, product_data: { name: 'Plan' } });
  const intent = await stripe.paymentIntents.create({ amount: 500, currency: 'eur' });
  const params = ['currency', 'default_price_data[currency]'];
  for (const refused of [
    () => stripe.paymentIntents.create({ amount: 500, currency }),
    () => stripe.paymentIntents.update(intent.id, { currency }),
    () => stripe.payouts.create({ amount: 500, currency }),
    () => stripe.balanceTransactions.list({ currency }),
    () => stripe.products.create({ name: 'Plan', default_price_data: { currency, unit_amount: 900 } }),
    () => stripe.prices.create({ currency, unit_amount: 900, product_data: { name: 'Plan' } }),
    () => stripe.prices.list({ currency }),
    () => stripe.invoiceItems.create({ customer, amount: 500, currency }),
    () => stripe.invoices.create({ customer, currency }),
    () => stripe.subscriptions.create({ customer, items: [{ price: price.id }], currency }),
  ])
    await assert.rejects(
      refused,
      (error: unknown) => {
        assert.ok(error instanceof Stripe.errors.StripeInvalidRequestError, String(error));
        assert.deepEqual([error.statusCode, error.code, params.includes(error.param ?? '')], [400, undefined, true]);
        assert.match(error.message, /^Invalid currency: abc\. Stripe currently supports these currencies: usd, aed, .*, zmw$/);
        return true;
      },
      refused.toString(),
    );
  await assert.rejects(stripe.paymentIntents.create({ amount: 500, currency: '' }), { code: 'parameter_invalid_empty', param: 'currency' });
});

test('metadata is bounded as at Stripe: 50 keys of 40 characters without brackets, and values of 500', async (context) => {
  const stripe = await openAccount(context);
  const keys = (count: number, prefix: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, 'x']));
  const within = { ...keys(49, 'k'), ['é'.repeat(40)]: 'x'.repeat(500) };
  const { id, metadata } = await stripe.customers.create({ metadata: within });
  assert.deepEqual({ ...metadata }, within);
  const long = 'k'.repeat(41);
  for (const [given, words] of [
    [{ [long]: 'x' }, `Metadata keys can have up to 40 characters, but you passed in a key that is 41 characters. Invalid key: ${long}`],
    [{ 'a]b': 'x' }, 'Metadata keys cannot contain square brackets. Invalid key: a]b'],
    [{ 'a[b]': 'x' }, /^Invalid string: /],
    [{ a: 'x'.repeat(501) }, /^Metadata values can have up to 500 characters, but you passed in a value that is 501 characters\./],
    [keys(51, 'm'), 'You can have up to 50 keys in metadata.'],
    [{ another: 'x' }, 'You can have up to 50 keys in metadata.'],
  ] as const)
    await assert.rejects(stripe.customers.update(id, { metadata: { ...given } }), (error: unknown) => {
      assert.ok(error instanceof Stripe.errors.StripeInvalidRequestError, String(error));
      assert.deepEqual([error.statusCode, error.param?.split('[')[0]], [400, 'metadata']);
      if (typeof words === 'string') assert.equal(error.message, words);
      else assert.match(error.message, words);
      return true;
    });
  assert.equal((await stripe.customers.update(id, { metadata: { k0: '', another: 'x' } })).metadata.another, 'x');
});
