// The provider's money laws, under whatever is asked of it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc, { casesOf } from '../fast-check.js';
import { PackageWorld } from './package-world.js';

interface Charge {
  id: string;
  amount: number;
  status: string;
  amountCaptured: number;
  amountCapturable: number;
  amountRefunded: number;
  amountSettled: number;
}
interface Capture {
  chargeId: string;
  amount: number;
  amountRefundedPending: number;
  status: string;
}
interface LedgerRow {
  bucket: 'pending' | 'available';
  amount: number;
  balanceAfter: number;
}

type Step = { call: string; hours?: number; [argument: string]: unknown };

let world: PackageWorld;
before(async () => {
  world = await PackageWorld.open('payments');
});
after(() => world.close());

const hourUs = 3_600_000_000;
const part = fc.option(fc.integer({ min: 1, max: 2500 }), { nil: undefined });
const chargeId = fc.integer({ min: 1, max: 3 }).map((number) => `ch_00000${number}`);
/** Something to begin with: one charge taken, two held. */
const opening: Step[] = [true, false, false].map((capture) => ({
  call: 'charge.create',
  customerId: 'cus_ada',
  amount: 5000,
  currency: 'eur',
  token: 'tok_visa',
  capture,
}));
const step = fc.oneof(
  fc.record({
    call: fc.constant('charge.create'),
    customerId: fc.constant('cus_ada'),
    amount: fc.integer({ min: 50, max: 5000 }),
    currency: fc.constant('eur'),
    token: fc.constantFrom('tok_visa', 'tok_visa', 'tok_declined'),
    capture: fc.boolean(),
  }),
  fc.record({ call: fc.constant('charge.capture'), chargeId, amount: part }),
  fc.record({ call: fc.constant('charge.void'), chargeId }),
  fc.record({ call: fc.constant('refund.create'), chargeId, amount: part, reason: fc.constant('duplicate') }),
  fc.record({ call: fc.constant('payout.create'), amount: fc.integer({ min: 1, max: 4000 }), currency: fc.constant('eur') }),
  fc.record({ call: fc.constant('advance'), hours: fc.integer({ min: 1, max: 60 }) }),
);

async function take({ call, ...args }: Step): Promise<void> {
  if (call === 'advance') return world.advance((args.hours ?? 0) * hourUs);
  await world.call(call, JSON.parse(JSON.stringify(args)));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Every law that holds between two calls. */
async function checkLaws(): Promise<void> {
  const [charges, captures, ledger] = [
    await world.rows<Charge>('charges'),
    await world.rows<Capture>('captures'),
    await world.rows<LedgerRow>('ledger'),
  ];
  const refunds = await world.rows<{ chargeId: string; amount: number }>('refunds');
  const [balance] = await world.rows<{ pending: number; available: number }>('balances');
  for (const bucket of ['pending', 'available'] as const) {
    const rows = ledger.filter((row) => row.bucket === bucket);
    assert.equal(balance?.[bucket] ?? 0, sum(rows.map(({ amount }) => amount)), `${bucket} is the sum of its ledger`);
    for (const [index, row] of rows.entries()) assert.equal(row.balanceAfter, sum(rows.slice(0, index + 1).map(({ amount }) => amount)));
  }
  const pending = captures.filter(({ status }) => status === 'pending');
  assert.equal(balance?.pending ?? 0, sum(pending.map((capture) => capture.amount - capture.amountRefundedPending)));
  for (const charge of charges) {
    const own = captures.filter((capture) => capture.chargeId === charge.id);
    const settled = own.filter(({ status }) => status === 'settled');
    assert.equal(charge.amountCaptured, sum(own.map(({ amount }) => amount)));
    assert.equal(charge.amountRefunded, sum(refunds.filter((refund) => refund.chargeId === charge.id).map(({ amount }) => amount)));
    assert.equal(charge.amountSettled, sum(settled.map((capture) => capture.amount - capture.amountRefundedPending)));
    assert.ok(charge.amountRefunded <= charge.amountCaptured);
    assert.ok(charge.amountCaptured + charge.amountCapturable <= charge.amount);
    assert.equal(charge.status === 'authorized', charge.amountCapturable > 0);
    assert.equal(charge.status === 'captured', charge.amountCapturable === 0 && charge.amountCaptured > 0);
  }
}

test('money is neither made nor lost, and a refund is never more than was captured', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 30 }), async (steps) => {
      await world.reset();
      for (const one of [...opening, ...steps]) await take(one);
      await checkLaws();
      await world.advance(8 * 24 * hourUs);
      await checkLaws();
      assert.deepEqual(
        (await world.rows<Capture>('captures')).filter(({ status }) => status === 'pending'),
        [],
        'after eight days everything has settled',
      );
      assert.deepEqual(
        (await world.rows<Charge>('charges')).filter(({ amountCapturable }) => amountCapturable > 0),
        [],
        'and nothing is held',
      );
    }),
    { numRuns: casesOf(30), includeErrorInReport: true },
  );
});
