// The laws of billing: periods lie where the calendar has them, and no invoice makes or loses money, whatever is asked of the account.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { transformSync } from 'esbuild';
import fc, { casesOf } from '../fast-check.js';
import { library, PackageWorld } from './package-world.js';
import { checkInvoices, checkMoney } from './stripe-laws.js';

type Unit = 'day' | 'week' | 'month' | 'year';
interface Every {
  interval: Unit;
  interval_count: number;
}
interface Periods {
  boundaryAt(anchor: number, every: Every, index: number): number;
  periodAt(anchor: number, every: Every, moment: number): { start: number; end: number };
}
const source = readFileSync(join(library, 'stripe', 'billing', 'periods.ts'), 'utf8');
const { code } = transformSync(source, { loader: 'ts', format: 'esm' });
const { boundaryAt, periodAt } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as Periods;

const every = fc.record({
  interval: fc.constantFrom<Unit>('day', 'week', 'month', 'year'),
  interval_count: fc.integer({ min: 1, max: 12 }),
});
/** From 2000 to 2100. */
const moment = fc.integer({ min: 946_684_800, max: 4_102_444_800 });

/** The same with the calendar of JavaScript. */
function expectedBoundary(anchor: number, { interval, interval_count }: Every, index: number): number {
  const date = new Date(anchor * 1000);
  const count = interval_count * index;
  if (interval === 'day' || interval === 'week') return anchor + count * (interval === 'week' ? 7 : 1) * 86_400;
  const months = date.getUTCMonth() + count * (interval === 'year' ? 12 : 1);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), months + 1, 0)).getUTCDate();
  return date.setUTCFullYear(date.getUTCFullYear(), months, Math.min(date.getUTCDate(), lastDay)) / 1000;
}

test('boundaries of periods keep the day and time of their anchor, or the last day of a month that is shorter', () => {
  fc.assert(
    fc.property(moment, every, fc.integer({ min: -24, max: 240 }), (anchor, each, index) => {
      assert.equal(boundaryAt(anchor, each, index), expectedBoundary(anchor, each, index));
    }),
    { numRuns: 2000 },
  );
  const january = Date.UTC(2028, 0, 31, 9) / 1000;
  const days = [0, 1, 2, 3, 13].map((index) =>
    new Date(boundaryAt(january, { interval: 'month', interval_count: 1 }, index) * 1000).toISOString().slice(0, 16),
  );
  assert.deepEqual(days, ['2028-01-31T09:00', '2028-02-29T09:00', '2028-03-31T09:00', '2028-04-30T09:00', '2029-02-28T09:00']);
});

test('each moment lies in one period, and the next one begins where it ends', () => {
  fc.assert(
    fc.property(moment, every, moment, (anchor, each, now) => {
      const { start, end } = periodAt(anchor, each, now);
      assert.ok(start <= now && now < end);
      assert.equal(periodAt(anchor, each, end).start, end);
      assert.deepEqual(periodAt(anchor, each, start), { start, end });
    }),
    { numRuns: 1000 },
  );
});

let world: PackageWorld;
before(async () => {
  world = await PackageWorld.open('stripe');
});
after(() => world.close());

const hourUs = 3_600_000_000;
type Step = { call: string; hours?: number; [argument: string]: unknown };
const numbered = (prefix: string, max: number) => fc.integer({ min: 1, max }).map((number) => `${prefix}_00000${number}`);
const customer = fc.constantFrom('cus_ada', 'cus_bo');
const card = fc.constantFrom('pm_000001', 'pm_000004', 'pm_000001', 'pm_000002', 'pm_000003', 'pm_card_chargeDeclined');
const price = fc.constantFrom('price_000001', 'price_000002');
const [invoice, subscription] = [numbered('in', 8), numbered('sub', 4)];
const attach = (payment_method: string, owner: string): Step => ({ call: 'payment_methods.attach', payment_method, customer: owner });
const opening: Step[] = [
  { call: 'prices.create', currency: 'usd', unit_amount: 1000, product_data: { name: 'Week' }, recurring: { interval: 'week' } },
  {
    call: 'prices.create',
    currency: 'usd',
    unit_amount: 30,
    product_data: { name: 'Day' },
    recurring: { interval: 'day', interval_count: 3 },
  },
  attach('pm_card_visa', 'cus_ada'),
  attach('pm_card_chargeCustomerFail', 'cus_ada'),
  attach('pm_card_threeDSecure2Required', 'cus_bo'),
  attach('pm_card_visa', 'cus_bo'),
  { call: 'customers.update', customer: 'cus_ada', invoice_settings: { default_payment_method: 'pm_000001' } },
  { call: 'customers.update', customer: 'cus_bo', invoice_settings: { default_payment_method: 'pm_000003' } },
  { call: 'subscriptions.create', customer: 'cus_ada', items: [{ price: 'price_000001', quantity: 2 }] },
  { call: 'subscriptions.create', customer: 'cus_bo', items: [{ price: 'price_000002' }], default_payment_method: 'pm_000004' },
];
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    call: fc.constant('subscriptions.create'),
    customer,
    items: fc.array(fc.record({ price, quantity: fc.integer({ min: 0, max: 3 }) }), { minLength: 1, maxLength: 2 }),
    default_payment_method: fc.option(card, { nil: undefined }),
    payment_behavior: fc.constantFrom('allow_incomplete', 'default_incomplete', 'error_if_incomplete'),
    trial_period_days: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
    cancel_at_period_end: fc.boolean(),
  }),
  fc.record({
    call: fc.constant('subscriptions.update'),
    subscription,
    default_payment_method: fc.option(card, { nil: undefined }),
    items: fc.option(fc.constant([{ price: 'price_000001', quantity: 2 }]), { nil: undefined }),
    proration_behavior: fc.constant('none'),
  }),
  fc.record({ call: fc.constant('subscriptions.cancel'), subscription }),
  fc.record({ call: fc.constant('subscriptions.update'), subscription, trial_end: fc.constant('now') }),
  fc.record({
    call: fc.constant('invoice_items.create'),
    customer,
    amount: fc.integer({ min: -300, max: 900 }),
    currency: fc.constant('usd'),
    invoice: fc.option(invoice, { nil: undefined }),
  }),
  fc.record({
    call: fc.constant('invoices.create'),
    customer,
    pending_invoice_items_behavior: fc.constantFrom('include', 'exclude'),
    auto_advance: fc.boolean(),
    default_payment_method: fc.option(card, { nil: undefined }),
  }),
  fc.record({ call: fc.constantFrom('invoices.finalize_invoice', 'invoices.void_invoice', 'invoices.mark_uncollectible'), invoice }),
  fc.record({
    call: fc.constant('invoices.pay'),
    invoice,
    payment_method: fc.option(card, { nil: undefined }),
    paid_out_of_band: fc.boolean(),
    off_session: fc.boolean(),
  }),
  fc
    .record({ call: fc.constantFrom('invoices.del', 'invoices.send_invoice', 'invoices.create_preview'), invoice })
    .map(({ call, invoice: id }) => (call === 'invoices.create_preview' ? { call, customer: 'cus_ada' } : { call, invoice: id })),
  fc.record({
    call: fc.constant('invoices.update'),
    invoice,
    auto_advance: fc.option(fc.boolean(), { nil: undefined }),
    default_payment_method: fc.option(card, { nil: undefined }),
    days_until_due: fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined }),
    collection_method: fc.option(fc.constantFrom('send_invoice', 'charge_automatically'), { nil: undefined }),
  }),
  fc.record({ call: fc.constant('invoice_items.update'), invoiceitem: numbered('ii', 5), amount: fc.integer({ min: -300, max: 900 }) }),
  fc.record({ call: fc.constant('invoice_items.del'), invoiceitem: numbered('ii', 5) }),
  fc.record({ call: fc.constant('customers.update'), customer, invoice_settings: fc.record({ default_payment_method: card }) }),
  fc.record({ call: fc.constant('customers.del'), customer: fc.constant('cus_bo') }),
  fc.record({ call: fc.constant('setup_intents.create'), customer, confirm: fc.boolean(), payment_method: card }),
  fc.record({
    call: fc.constant('subscriptions.create'),
    customer,
    items: fc.constant([{ price: 'price_000001' }]),
    collection_method: fc.constant('send_invoice'),
    days_until_due: fc.integer({ min: 0, max: 9 }),
  }),
  fc.record({ call: fc.constant('subscriptions.update'), subscription, cancel_at_period_end: fc.boolean() }),
  fc.record({ call: fc.constant('subscriptions.update'), subscription, trial_end: fc.constant(1_773_500_000) }),
  fc.record({ call: fc.constant('payment_intents.confirm'), intent: numbered('pi', 6), payment_method: card }),
  fc.record({ call: fc.constant('payment_intents.cancel'), intent: numbered('pi', 6) }),
  fc.record({ call: fc.constant('refunds.create'), payment_intent: numbered('pi', 6), amount: fc.integer({ min: 1, max: 400 }) }),
  fc.record({ call: fc.constant('advance'), hours: fc.integer({ min: 1, max: 200 }) }),
);

async function take({ call, ...args }: Step): Promise<void> {
  if (call === 'advance') return world.advance((args.hours ?? 0) * hourUs);
  await world.call(call, JSON.parse(JSON.stringify(args)));
}

interface Subscription {
  status: string;
  ended_at: number | null;
  trial_end: number | null;
  items: { data: { current_period_start: number; current_period_end: number }[] };
}

test('invoices and subscriptions make no money and lose none, whatever is asked and however time goes by', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 24 }), async (steps) => {
      await world.reset();
      for (const one of [...opening, ...steps]) await take(one);
      await checkMoney(world);
      await checkInvoices(world);
      await world.advance(30 * 24 * hourUs);
      await checkMoney(world);
      await checkInvoices(world);
      const now = Math.floor((await world.nowUs()) / 1_000_000);
      for (const { status, ended_at, trial_end, items } of await world.rows<Subscription>('subscriptions')) {
        assert.equal(ended_at !== null, status === 'canceled' || status === 'incomplete_expired');
        assert.notEqual(status, 'incomplete', 'after 23 hours nobody waits any more');
        assert.ok(status !== 'trialing' || (trial_end ?? 0) > now);
        const [{ current_period_start, current_period_end } = assert.fail()] = items.data;
        if (ended_at === null) assert.ok(current_period_start <= now && now < current_period_end, 'the period is that of now');
      }
    }),
    { numRuns: casesOf(20), includeErrorInReport: true },
  );
});
