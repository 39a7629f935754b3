// The balance and its ledger: nothing moves the one without a row in the other.
import { requireCurrency } from './bank.js';
import type { Balance, Context, LedgerEntry, Payout } from './model.js';
import { newestFirst, nextId, type Page, type PageInput, requireCharge, rowsWhere } from './rows.js';

export function getBalance(input: { readonly currency?: string }, context: Context): { items: readonly Balance[] } {
  if (input.currency === undefined) return { items: rowsWhere(context, 'balances', () => true) };
  requireCurrency(context, input.currency);
  return { items: [balanceOf(context, input.currency)] };
}

export function listLedger(input: PageInput & { readonly chargeId?: string }, context: Context): Page<LedgerEntry> {
  const { chargeId } = input;
  if (chargeId !== undefined) requireCharge(context, chargeId);
  const matches = (row: LedgerEntry): boolean => chargeId === undefined || row.chargeId === chargeId;
  return newestFirst(context, 'ledger', input, { matches, code: 'LEDGER_ROW_NOT_FOUND' });
}

export function createPayout({ amount, currency }: { readonly amount: number; readonly currency: string }, context: Context): Payout {
  requireCurrency(context, currency);
  const { available } = balanceOf(context, currency);
  if (amount > available) {
    return context.fail({
      code: 'INSUFFICIENT_BALANCE',
      message: `The available balance is ${available} ${currency}, not ${amount}.`,
      details: { available },
    });
  }
  const payout = { id: nextId(context, 'payouts'), amount, currency, createdAtUs: context.clock.nowUs() };
  context.state.put('payouts', payout.id, payout);
  move(context, { kind: 'payout', bucket: 'available', amount: -amount, currency, chargeId: null, sourceId: payout.id });
  context.events.emit('payout.created', { payoutId: payout.id, amount, currency });
  return payout;
}

export function balanceOf(context: Context, currency: string): Balance {
  return context.state.get('balances', currency) ?? { currency, pending: 0, available: 0 };
}

/** Moves one bucket by a signed amount and writes it down. The caller has made sure that the bucket does not go below zero. */
export function move(context: Context, movement: Omit<LedgerEntry, 'id' | 'balanceAfter' | 'createdAtUs'>): void {
  const { bucket, amount, currency } = movement;
  const balance = balanceOf(context, currency);
  const balanceAfter = balance[bucket] + amount;
  const id = nextId(context, 'ledger');
  context.state.put('balances', currency, { ...balance, [bucket]: balanceAfter });
  context.state.put('ledger', id, { ...movement, id, balanceAfter, createdAtUs: context.clock.nowUs() });
}
