// The account's money. Nothing changes a balance but a balance transaction: pending + available is the sum of the net of all of them, and
// pending is that of those whose status is pending.
import type { JsonValue } from 'drillyard/tool-sdk';
import { requireCurrency } from './currencies.js';
import { recordEvent } from './events.js';
import type { BalanceRow, MovementType } from './model.js';
import { expanded, type ListInput, listRows, nextId, nowSeconds, requireRow, rowsWhere, type StripeList } from './store.js';
import { type BalanceTransaction, type Context, daySeconds, secondUs } from './types.js';

const settlementSeconds = 2 * daySeconds;

export interface Movement {
  readonly type: MovementType;
  readonly amount: number;
  readonly fee?: number;
  readonly currency: string;
  readonly source: string;
  readonly description?: string | null;
  /** When the money becomes available; default: at once. */
  readonly available_on?: number;
}

const categories: { readonly [type in MovementType]: string } = {
  charge: 'charge',
  refund: 'refund',
  refund_failure: 'refund_failure',
  adjustment: 'dispute',
  payout: 'payout',
  payout_cancel: 'payout_reversal',
};

export function balanceOf(context: Context, currency: string): BalanceRow {
  return context.state.get('balances', currency) ?? { currency, available: 0, pending: 0 };
}

/** When the money of a payment of this moment becomes available. */
export function settlementTime(context: Context): number {
  return nowSeconds(context) + settlementSeconds;
}

export function move(context: Context, movement: Movement): BalanceTransaction {
  const { type, amount, fee = 0, currency, source, description = null } = movement;
  const created = nowSeconds(context);
  const available_on = Math.max(movement.available_on ?? created, created);
  const status = available_on > created ? 'pending' : 'available';
  const feeDetail = { amount: fee, application: null, currency, description: 'Stripe processing fees', type: 'stripe_fee' };
  const row = {
    id: nextId(context, 'balance_transactions'),
    object: 'balance_transaction',
    amount,
    available_on,
    balance_type: 'payments',
    created,
    currency,
    description,
    exchange_rate: null,
    fee,
    fee_details: fee === 0 ? [] : [feeDetail],
    net: amount - fee,
    reporting_category: categories[type],
    source,
    status,
    type,
  } as const;
  context.state.put('balance_transactions', row.id, row);
  const balance = balanceOf(context, currency);
  context.state.put('balances', currency, { ...balance, [status]: balance[status] + row.net });
  if (status === 'pending') context.events.scheduleAt('funds.due', { balance_transaction: row.id }, available_on * secondUs);
  return row;
}

/** Handles `funds.due`: what was pending becomes available. */
export function releaseFunds(due: { readonly balance_transaction: string }, context: Context): void {
  const row = context.state.get('balance_transactions', due.balance_transaction);
  if (row?.status !== 'pending') return;
  context.state.put('balance_transactions', row.id, { ...row, status: 'available' });
  const { available, pending, currency } = balanceOf(context, row.currency);
  context.state.put('balances', currency, { currency, available: available + row.net, pending: pending - row.net });
  recordEvent(context, 'balance.available', balanceObject(context));
}

export function retrieveBalance(_input: object, context: Context): JsonValue {
  return balanceObject(context);
}

function balanceObject(context: Context): { readonly [member: string]: JsonValue } {
  const rows = context.state.scan('balances').map(({ value }) => value);
  const part = (bucket: 'available' | 'pending') =>
    rows.map(({ currency, [bucket]: amount }) => ({ amount, currency, source_types: { card: amount } }));
  return {
    object: 'balance',
    available: part('available'),
    livemode: false,
    pending: part('pending'),
    refund_and_dispute_prefunding: { available: [], pending: [] },
  };
}

export function retrieveBalanceTransaction(
  input: { readonly id: string; readonly expand?: readonly string[] },
  context: Context,
): JsonValue {
  return expanded(context, requireRow(context, 'balance_transactions', input.id), input.expand);
}

export function listBalanceTransactions(
  input: ListInput & { readonly currency?: string; readonly type?: string; readonly source?: string },
  context: Context,
): StripeList {
  const { currency, type, source } = input;
  requireCurrency(context, currency);
  return listRows(
    context,
    'balance_transactions',
    input,
    (row) =>
      (currency === undefined || row.currency === currency) &&
      (type === undefined || row.type === type) &&
      (source === undefined || row.source === source),
  );
}

/** The balance transactions of one thing, oldest first. */
export function movementsOf(context: Context, source: string): BalanceTransaction[] {
  return rowsWhere(context, 'balance_transactions', (row) => row.source === source);
}
