// What holds between any two calls to the Stripe account.
import assert from 'node:assert/strict';
import type { PackageWorld } from './package-world.js';

interface Transaction {
  id: string;
  amount: number;
  fee: number;
  net: number;
  currency: string;
  source: string;
  status: 'pending' | 'available';
}
interface Charge {
  id: string;
  payment_intent: string | null;
  amount: number;
  amount_captured: number;
  amount_refunded: number;
  captured: boolean;
  status: string;
}
export interface Moved {
  id: string;
  amount: number;
  status: string;
  charge: string;
}
export interface Intent {
  id: string;
  amount: number;
  amount_capturable: number;
  amount_received: number;
  status: string;
  latest_charge: string | null;
  last_payment_error: object | null;
}
interface Invoice {
  id: string;
  amount_due: number;
  amount_paid: number;
  amount_paid_off_stripe: number;
  amount_remaining: number;
  customer: string;
  status: string;
  total: number;
}
interface InvoicePayment {
  id: string;
  amount_requested: number;
  invoice: string;
  payment: { payment_intent: string };
  status: string;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** The laws of payments: every balance is the sum of its transactions, and every movement of money has one. */
export async function checkMoney(world: PackageWorld): Promise<void> {
  const transactions = await world.rows<Transaction>('balance_transactions');
  const [balance] = await world.rows<{ pending: number; available: number }>('balances');
  for (const status of ['pending', 'available'] as const) {
    const own = transactions.filter((row) => row.status === status);
    assert.equal(balance?.[status] ?? 0, sum(own.map(({ net }) => net)), `${status} is the sum of its balance transactions`);
  }
  for (const { amount, fee, net } of transactions) assert.equal(net, amount - fee);
  const moved = (source: string) => sum(transactions.filter((row) => row.source === source).map(({ amount }) => amount));
  const [charges, refunds] = [await world.rows<Charge>('charges'), await world.rows<Moved>('refunds')];
  for (const charge of charges) {
    assert.equal(moved(charge.id), charge.amount_captured);
    const returned = refunds.filter((refund) => refund.charge === charge.id && ['pending', 'succeeded'].includes(refund.status));
    if (charge.captured) assert.equal(charge.amount_refunded, sum(returned.map(({ amount }) => amount)));
    assert.ok(charge.amount_refunded <= (charge.captured ? charge.amount_captured : charge.amount));
    assert.ok(charge.amount_captured <= charge.amount && (charge.status === 'succeeded' || !charge.captured));
  }
  for (const { id, amount, status } of refunds) assert.equal(moved(id), ['failed', 'canceled'].includes(status) ? 0 : -amount);
  for (const { id, amount, status } of await world.rows<Moved>('disputes')) assert.equal(moved(id), status === 'won' ? 0 : -amount);
  for (const { id, amount, status } of await world.rows<Moved>('payouts')) assert.equal(moved(id), status === 'canceled' ? 0 : -amount);
  for (const row of await world.rows<Intent>('payment_intents')) {
    const charge = charges.find(({ id }) => id === row.latest_charge);
    assert.equal(row.amount_received, charge?.amount_captured ?? 0, row.id);
    assert.equal(row.status === 'requires_capture', row.amount_capturable > 0);
    if (row.last_payment_error !== null && row.status === 'requires_payment_method') assert.equal(charge?.status, 'failed');
  }
}

/** The laws of invoices: lines make the total, and what was paid came in by the invoice's intent, or outside of Stripe. */
export async function checkInvoices(world: PackageWorld): Promise<void> {
  const invoices = await world.rows<Invoice>('invoices');
  const lines = await world.rows<{ invoice: string; amount: number }>('invoice_lines');
  const payments = await world.rows<InvoicePayment>('invoice_payments');
  const intents = new Map((await world.rows<Intent>('payment_intents')).map((intent) => [intent.id, intent]));
  for (const { id, payment, amount_requested, status } of payments) {
    const intent = intents.get(payment.payment_intent) ?? assert.fail();
    assert.equal(intent.amount, amount_requested);
    assert.deepEqual([status === 'paid', status === 'canceled'], [intent.status === 'succeeded', intent.status === 'canceled'], id);
  }
  for (const { id, amount_due, amount_paid, amount_paid_off_stripe, amount_remaining, status, total } of invoices) {
    const amountsOf = (own: string) => lines.filter(({ invoice }) => invoice === own).map(({ amount }) => amount);
    assert.equal(total, sum(amountsOf(id)), `${id} is the sum of its lines`);
    assert.equal(amount_paid + amount_remaining, amount_due, id);
    const own = payments.filter(({ invoice }) => invoice === id);
    const received = sum(own.map(({ payment }) => intents.get(payment.payment_intent)?.amount_received ?? 0));
    assert.equal(amount_paid, received + amount_paid_off_stripe, `${id}: what was paid came in`);
    if (status === 'paid') assert.equal(amount_remaining, 0);
    else assert.equal(amount_paid, 0, `${id} is ${status}`);
    assert.ok(amount_due === 0 || amount_due >= 50);
  }
  for (const { id, balance } of await world.rows<{ id: string; balance: number }>('customers')) {
    const final = invoices.filter(({ customer, status }) => customer === id && ['open', 'paid', 'uncollectible'].includes(status));
    assert.equal(balance, sum(final.map(({ total, amount_due }) => total - amount_due)), `${id} owes what its invoices left`);
  }
}
