// Refunds: never more than was captured. Some cards refuse the money later, which puts it back into the balance.
import type { JsonValue } from 'drillyard/tool-sdk';
import { balanceOf, move } from './balance.js';
import { cardOf } from './cards.js';
import { fingerprintOf } from './charges.js';
import { isLost } from './disputes.js';
import { refuse } from './errors.js';
import { recordEvent } from './events.js';
import {
  expanded,
  findRow,
  type ListInput,
  listRows,
  type MetadataInput,
  mergeMetadata,
  nextId,
  nowSeconds,
  requireRow,
  type StripeList,
} from './store.js';
import { type Charge, type Context, dayUs, type Refund } from './types.js';

interface NewRefund {
  readonly charge?: string;
  readonly payment_intent?: string;
  readonly amount?: number;
  readonly reason?: string;
  readonly metadata?: MetadataInput;
  readonly expand?: readonly string[];
}

export function createRefund(input: NewRefund, context: Context): JsonValue {
  const charge = chargeToRefund(context, input);
  const amount = refundableAmount(context, charge, input.amount);
  const id = nextId(context, 'refunds');
  const { currency, payment_intent, payment_method, customer } = charge;
  const movement = move(context, { type: 'refund', amount: -amount, currency, source: id, ...availability(context, charge, amount) });
  const behavior = cardOf(fingerprintOf(context, charge)).refund;
  const refund: Refund = {
    id,
    object: 'refund',
    amount,
    balance_transaction: movement.id,
    charge: charge.id,
    created: nowSeconds(context),
    currency,
    metadata: mergeMetadata(context, {}, input.metadata),
    payment_intent,
    payment_method,
    reason: input.reason ?? null,
    status: behavior === 'pends' ? 'pending' : 'succeeded',
    ...{ customer, customer_account: null, receipt_number: null, source_transfer_reversal: null, transfer_reversal: null },
    ...{
      destination_details: {
        card: { reference_status: 'pending', reference_type: 'acquirer_reference_number', type: 'refund' },
        type: 'card',
      },
    },
  };
  context.state.put('refunds', id, refund);
  const amount_refunded = charge.amount_refunded + amount;
  const refunded = { ...charge, amount_refunded, refunded: amount_refunded === charge.amount_captured };
  context.state.put('charges', charge.id, refunded);
  recordEvent(context, 'refund.created', refund);
  recordEvent(context, 'charge.refunded', refunded, { amount_refunded: charge.amount_refunded, refunded: charge.refunded });
  if (behavior !== undefined) context.events.scheduleAt('refund.due', { refund: id }, context.clock.nowUs() + dayUs);
  return expanded(context, refund, input.expand);
}

/** Handles `refund.due`: the bank of the card takes the money, or sends it back. */
export function settleRefund(due: { readonly refund: string }, context: Context): void {
  const refund = context.state.get('refunds', due.refund);
  const charge = findRow(context, 'charges', refund?.charge);
  if (refund === undefined || charge === undefined) return;
  if (refund.status === 'pending') {
    const settled = { ...refund, status: 'succeeded' } as const;
    context.state.put('refunds', refund.id, settled);
    recordEvent(context, 'refund.updated', settled, { status: refund.status });
    return;
  }
  if (refund.status !== 'succeeded' || cardOf(fingerprintOf(context, charge)).refund !== 'fails') return;
  const failed = takeBack(context, charge, { ...refund, failure_reason: 'expired_or_canceled_card', status: 'failed' });
  recordEvent(context, 'refund.failed', failed, { status: refund.status });
}

export function cancelRefund(input: { readonly refund: string; readonly expand?: readonly string[] }, context: Context): JsonValue {
  const refund = requireRow(context, 'refunds', input.refund);
  if (refund.status !== 'pending')
    refuse(context, 'INVALID_REQUEST', `You cannot cancel this refund because it has a status of ${refund.status}.`);
  const charge = requireRow(context, 'charges', refund.charge);
  const canceled = takeBack(context, charge, { ...refund, status: 'canceled' });
  recordEvent(context, 'refund.updated', canceled, { status: refund.status });
  return expanded(context, canceled, input.expand);
}

/** A refund that did not reach its card: the money is the account's again, and the charge can be refunded again. */
function takeBack(context: Context, charge: Charge, refund: Refund): Refund {
  const { amount, currency, id } = refund;
  const taken = findRow(context, 'balance_transactions', refund.balance_transaction);
  const available_on = taken?.status === 'pending' ? { available_on: taken.available_on } : {};
  const movement = move(context, { type: 'refund_failure', amount, currency, source: id, ...available_on });
  const row = { ...refund, failure_balance_transaction: movement.id };
  context.state.put('refunds', id, row);
  context.state.put('charges', charge.id, { ...charge, amount_refunded: charge.amount_refunded - amount, refunded: false });
  return row;
}

export function updateRefund(
  input: { readonly refund: string; readonly metadata?: MetadataInput; readonly expand?: readonly string[] },
  context: Context,
): JsonValue {
  const refund = requireRow(context, 'refunds', input.refund);
  const updated = { ...refund, metadata: mergeMetadata(context, refund.metadata, input.metadata) };
  context.state.put('refunds', refund.id, updated);
  recordEvent(context, 'refund.updated', updated, { metadata: refund.metadata });
  return expanded(context, updated, input.expand);
}

export function retrieveRefund(input: { readonly refund: string; readonly expand?: readonly string[] }, context: Context): JsonValue {
  return expanded(context, requireRow(context, 'refunds', input.refund), input.expand);
}

export function listRefunds(
  input: ListInput & { readonly charge?: string; readonly payment_intent?: string },
  context: Context,
): StripeList {
  const { charge, payment_intent } = input;
  return listRows(
    context,
    'refunds',
    input,
    (refund) =>
      (charge === undefined || refund.charge === charge) && (payment_intent === undefined || refund.payment_intent === payment_intent),
  );
}

function chargeToRefund(context: Context, input: NewRefund): Charge {
  if (input.charge !== undefined) return requireRow(context, 'charges', input.charge, 'charge');
  if (input.payment_intent === undefined)
    return refuse(context, 'INVALID_REQUEST', 'One of the following params should be provided for this request: payment_intent or charge.');
  const { id, latest_charge } = requireRow(context, 'payment_intents', input.payment_intent, 'payment_intent');
  const charge = findRow(context, 'charges', latest_charge);
  if (charge?.status !== 'succeeded')
    return refuse(context, 'INVALID_REQUEST', `This PaymentIntent (${id}) does not have a successful charge to refund.`);
  return charge;
}

function refundableAmount(context: Context, charge: Charge, wished: number | undefined): number {
  if (!charge.captured) return refuse(context, 'INVALID_REQUEST', `Charge ${charge.id} was not captured, so there is nothing to refund.`);
  if (isLost(context, charge))
    return refuse(context, 'CHARGE_DISPUTED', `Charge ${charge.id} has been charged back; cannot issue a refund.`, { charge: charge.id });
  const left = charge.amount_captured - charge.amount_refunded;
  if (left === 0)
    return refuse(context, 'CHARGE_ALREADY_REFUNDED', `Charge ${charge.id} has already been refunded.`, { charge: charge.id });
  const amount = wished ?? left;
  if (amount > left)
    return refuse(context, 'INVALID_REQUEST', `Refund amount (${amount}) is greater than unrefunded amount on charge (${left}).`, {
      param: 'amount',
    });
  return amount;
}

/** What has not settled is taken from the pending balance, and what has from the available one, which must suffice. */
function availability(context: Context, charge: Charge, amount: number): { available_on?: number } {
  const payment = findRow(context, 'balance_transactions', charge.balance_transaction);
  if (payment?.status === 'pending') return { available_on: payment.available_on };
  if (amount > balanceOf(context, charge.currency).available)
    refuse(context, 'BALANCE_INSUFFICIENT', 'You have insufficient funds in your Stripe account for this refund.', { param: 'amount' });
  return {};
}
