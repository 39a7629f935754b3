// What a customer owes, or is owed, beside invoices: what is too little to be charged is carried to the next invoice, and so is a credit.
// In all, a customer's balance is the sum of (total - amount_due) of the invoices that were finalized and not voided.
import { refuse } from '../account/errors.js';
import { recordEvent } from '../account/events.js';
import type { Context, Customer } from '../account/types.js';

/** Below this no card is charged. */
export const minimumCharge = 50;

/** What is to be paid of a total, by a customer who owes so much already; a credit is below 0. */
export function amountDue(total: number, startingBalance: number): number {
  const owed = total + startingBalance;
  return owed < minimumCharge ? 0 : owed;
}

export function moveBalance(context: Context, customerId: string, change: number): void {
  const customer = context.state.get('customers', customerId);
  if (customer === undefined || change === 0) return;
  const moved = { ...customer, balance: (customer.balance ?? 0) + change };
  context.state.put('customers', customerId, moved);
  recordEvent(context, 'customer.updated', moved, customer);
}

/** A customer is billed in one currency: the first that something of it was billed in. */
export function claimCurrency(context: Context, customer: Customer, currency: string): void {
  const own = customer.currency ?? null;
  if (own === currency) return;
  if (own !== null)
    refuse(
      context,
      'INVALID_REQUEST',
      `You cannot combine currencies on a single customer. This customer is billed in ${own}, and ${currency} was given.`,
      { param: 'currency' },
    );
  context.state.put('customers', customer.id, { ...customer, currency });
}

export function setDelinquent(context: Context, customerId: string, delinquent: boolean): void {
  const customer = context.state.get('customers', customerId);
  if (customer === undefined || customer.delinquent === delinquent) return;
  const changed = { ...customer, delinquent };
  context.state.put('customers', customerId, changed);
  recordEvent(context, 'customer.updated', changed, customer);
}
