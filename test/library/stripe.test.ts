// The laws of the Stripe account's money, under whatever is asked of it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc, { casesOf } from '../fast-check.js';
import { PackageWorld } from './package-world.js';
import { checkMoney, type Intent, type Moved } from './stripe-laws.js';

type Step = { call: string; hours?: number; [argument: string]: unknown };

let world: PackageWorld;
before(async () => {
  world = await PackageWorld.open('stripe');
});
after(() => world.close());

const hourUs = 3_600_000_000;
const numbered = (prefix: string, max: number) => fc.integer({ min: 1, max }).map((number) => `${prefix}_00000${number}`);
const part = fc.option(fc.integer({ min: 1, max: 2500 }), { nil: undefined });
const cards = [
  'visa',
  'bypassPending',
  'chargeDeclined',
  'refundFail',
  'pendingRefund',
  'createDispute',
  'createDisputeProductNotReceived',
  'threeDSecure2Required',
].map((name) => `pm_card_${name}`);
const currency = 'usd';
const pay = { call: 'payment_intents.create', currency, confirm: true };
const opening: Step[] = [
  { ...pay, amount: 5000, payment_method: 'pm_card_bypassPending' },
  { ...pay, amount: 4000, payment_method: 'pm_card_visa', capture_method: 'manual' },
  { ...pay, amount: 3000, payment_method: 'pm_card_createDispute' },
];
const intent = numbered('pi', 5);
const step = fc.oneof(
  fc.record({
    call: fc.constant(pay.call),
    amount: fc.integer({ min: 50, max: 5000 }),
    currency: fc.constant(currency),
    confirm: fc.boolean(),
    payment_method: fc.constantFrom(...cards),
    capture_method: fc.constantFrom('manual', 'automatic'),
  }),
  fc.record({ call: fc.constant('payment_intents.confirm'), intent, payment_method: fc.constantFrom(...cards) }),
  fc.record({ call: fc.constant('payment_intents.capture'), intent, amount_to_capture: part }),
  fc.record({ call: fc.constant('payment_intents.cancel'), intent }),
  fc.record({ call: fc.constant('refunds.create'), payment_intent: intent, amount: part }),
  fc.record({ call: fc.constant('refunds.cancel'), refund: numbered('re', 4) }),
  fc.record({ call: fc.constant('payouts.create'), amount: fc.integer({ min: 1, max: 4000 }), currency: fc.constant(currency) }),
  fc.record({ call: fc.constant('payouts.cancel'), payout: numbered('po', 3) }),
  fc.record({
    call: fc.constant('disputes.update'),
    dispute: numbered('du', 3),
    evidence: fc.constantFrom({ uncategorized_text: 'winning_evidence' }, { uncategorized_text: 'no' }),
  }),
  fc.record({ call: fc.constant('disputes.close'), dispute: numbered('du', 3) }),
  fc.record({ call: fc.constant('advance'), hours: fc.integer({ min: 1, max: 60 }) }),
);

async function take({ call, ...args }: Step): Promise<void> {
  if (call === 'advance') return world.advance((args.hours ?? 0) * hourUs);
  await world.call(call, JSON.parse(JSON.stringify(args)));
}

test('money is neither made nor lost, whatever is paid, declined, refunded, disputed and paid out', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 25 }), async (steps) => {
      await world.reset();
      for (const one of [...opening, ...steps]) await take(one);
      await checkMoney(world);
      await world.advance(20 * 24 * hourUs);
      await checkMoney(world);
      const [balance] = await world.rows<{ pending: number }>('balances');
      assert.equal(balance?.pending, 0, 'after twenty days everything has settled');
      const open = (await world.rows<Moved>('disputes')).filter(({ status }) => status !== 'won' && status !== 'lost');
      assert.deepEqual(open, [], 'and every dispute is decided');
      const held = (await world.rows<Intent>('payment_intents')).filter(({ amount_capturable }) => amount_capturable > 0);
      assert.deepEqual(held, [], 'and nothing is held');
    }),
    { numRuns: casesOf(20), includeErrorInReport: true },
  );
});
