// Payouts: available money to the account's bank, on request or every day.
import type { JsonValue } from 'drillyard/tool-sdk';
import { balanceOf, move } from './balance.js';
import { requireCurrency } from './currencies.js';
import { refuse } from './errors.js';
import { recordEvent } from './events.js';
import {
  expanded,
  type ListInput,
  listRows,
  type MetadataInput,
  mergeMetadata,
  nextId,
  nowSeconds,
  requireRow,
  type StripeList,
} from './store.js';
import { type Context, daySeconds, dayUs, type Payout, secondUs } from './types.js';

const transferSeconds = 2 * daySeconds;

interface NewPayout {
  readonly amount: number;
  readonly currency: string;
  readonly description?: string;
  readonly statement_descriptor?: string;
  readonly metadata?: MetadataInput;
  readonly expand?: readonly string[];
}

export function createPayout(input: NewPayout, context: Context): JsonValue {
  requireCurrency(context, input.currency);
  if (input.amount > balanceOf(context, input.currency).available)
    refuse(context, 'BALANCE_INSUFFICIENT', 'You have insufficient funds in your Stripe account for this transfer.', { param: 'amount' });
  return expanded(context, sendPayout(context, input, false), input.expand);
}

function sendPayout(context: Context, input: NewPayout, automatic: boolean): Payout {
  const { amount, currency, description = null, statement_descriptor = null } = input;
  const id = nextId(context, 'payouts');
  const created = nowSeconds(context);
  const movement = move(context, { type: 'payout', amount: -amount, currency, source: id, description: 'STRIPE PAYOUT' });
  const payout: Payout = {
    id,
    object: 'payout',
    amount,
    arrival_date: created + transferSeconds,
    automatic,
    balance_transaction: movement.id,
    created,
    currency,
    metadata: mergeMetadata(context, {}, input.metadata),
    status: 'pending',
    ...{ application_fee: null, application_fee_amount: null, description, destination: 'ba_000001', failure_balance_transaction: null },
    ...{ failure_code: null, failure_message: null, livemode: false, method: 'standard', original_payout: null, payout_method: null },
    ...{ reconciliation_status: automatic ? 'completed' : 'not_applicable', reversed_by: null, source_type: 'card', statement_descriptor },
    ...{ trace_id: null, type: 'bank_account' },
  };
  context.state.put('payouts', id, payout);
  recordEvent(context, 'payout.created', payout);
  context.events.scheduleAt('payout.arrival', { payout: id }, payout.arrival_date * secondUs);
  return payout;
}

/** Handles `payout.arrival`. A canceled payout does not arrive. */
export function landPayout(due: { readonly payout: string }, context: Context): void {
  const payout = context.state.get('payouts', due.payout);
  if (payout?.status !== 'pending') return;
  const paid = { ...payout, status: 'paid' } as const;
  context.state.put('payouts', payout.id, paid);
  recordEvent(context, 'payout.paid', paid);
}

/** Handles `payout.scheduled`: pays out what is available, and again a day later. A world begins it with an initial event. */
export function payOutDaily(due: { readonly currency: string }, context: Context): void {
  const { currency } = due;
  const { available } = balanceOf(context, currency);
  if (available > 0) sendPayout(context, { amount: available, currency }, true);
  context.events.scheduleAt('payout.scheduled', { currency }, context.clock.nowUs() + dayUs);
}

export function cancelPayout(input: { readonly payout: string; readonly expand?: readonly string[] }, context: Context): JsonValue {
  const payout = requireRow(context, 'payouts', input.payout);
  if (payout.status !== 'pending' || payout.automatic)
    refuse(context, 'INVALID_REQUEST', `Payout ${payout.id} cannot be canceled: it is ${payout.automatic ? 'automatic' : payout.status}.`);
  const { id, amount, currency } = payout;
  const movement = move(context, { type: 'payout_cancel', amount, currency, source: id, description: 'STRIPE PAYOUT CANCEL' });
  const canceled = { ...payout, failure_balance_transaction: movement.id, status: 'canceled' } as const;
  context.state.put('payouts', id, canceled);
  recordEvent(context, 'payout.canceled', canceled);
  return expanded(context, canceled, input.expand);
}

export function retrievePayout(input: { readonly payout: string; readonly expand?: readonly string[] }, context: Context): JsonValue {
  return expanded(context, requireRow(context, 'payouts', input.payout), input.expand);
}

export function listPayouts(input: ListInput & { readonly status?: string }, context: Context): StripeList {
  return listRows(context, 'payouts', input, ({ status }) => input.status === undefined || status === input.status);
}
