// Payment intents: made, changed, confirmed, captured and canceled on request. What the bank says to one is in payments.ts.
import type { JsonValue } from 'drillyard/tool-sdk';
import { settleIntent } from '../billing/collection.js';
import { invoiceOfIntent } from '../billing/invoice-state.js';
import { takeMoney } from './charges.js';
import { requireCurrency } from './currencies.js';
import { declineCard, refuse } from './errors.js';
import { recordEvent } from './events.js';
import { type IntentMembers, newIntent, withMembers } from './intent-shape.js';
import { type Attempt, attemptPayment, finishAuthentication, keepIntent, releaseHold } from './payments.js';
import { expanded, type ListInput, listRows, type MetadataInput, mergeMetadata, nowSeconds, requireRow, type StripeList } from './store.js';
import type { Charge, Context, PaymentIntent } from './types.js';

const minimumAmount = 50;

interface Confirmation {
  readonly off_session?: boolean;
  readonly error_on_requires_action?: boolean;
  readonly return_url?: string;
  readonly use_stripe_sdk?: boolean;
  readonly expand?: readonly string[];
}
interface NewIntent extends IntentMembers, Confirmation {
  readonly amount: number;
  readonly currency: string;
  readonly confirm?: boolean;
  readonly confirmation_method?: string;
  readonly automatic_payment_methods?: { readonly enabled: boolean; readonly allow_redirects?: string };
}

export function createPaymentIntent(input: NewIntent, context: Context): JsonValue {
  const { confirm = false, expand, automatic_payment_methods: automatic, confirmation_method } = input;
  requireCurrency(context, input.currency);
  if (input.amount < minimumAmount)
    refuse(context, 'AMOUNT_TOO_SMALL', `Amount must be at least ${minimumAmount} ${input.currency}`, { param: 'amount' });
  const intent = newIntent(context, input, {
    automatic_payment_methods:
      automatic === undefined ? { allow_redirects: 'always', enabled: true } : { allow_redirects: 'always', ...automatic },
    ...(confirmation_method === undefined ? {} : { confirmation_method }),
  });
  return confirm ? confirmed(context, intent, input) : expanded(context, intent, expand);
}

export function retrievePaymentIntent(
  input: { readonly intent: string; readonly expand?: readonly string[] },
  context: Context,
): JsonValue {
  return expanded(context, requireRow(context, 'payment_intents', input.intent), input.expand);
}

export function listPaymentIntents(input: ListInput & { readonly customer?: string }, context: Context): StripeList {
  return listRows(context, 'payment_intents', input, ({ customer }) => input.customer === undefined || customer === input.customer);
}

/** Once money is held or taken, only what is no question of money can be changed. */
export function updatePaymentIntent(
  { intent: id, expand, ...input }: IntentMembers & { readonly intent: string; readonly expand?: readonly string[] },
  context: Context,
): JsonValue {
  requireCurrency(context, input.currency);
  const intent = requireRow(context, 'payment_intents', id);
  const money = ['amount', 'currency', 'customer', 'payment_method', 'capture_method', 'setup_future_usage'].find((name) => name in input);
  if (money !== undefined && !['requires_payment_method', 'requires_confirmation', 'requires_action'].includes(intent.status))
    unexpectedState(context, intent, `This PaymentIntent's ${money} could not be updated because it has a status of ${intent.status}.`);
  const invoiced = ['amount', 'currency', 'customer', 'capture_method'].find((name) => name in input);
  if (invoiced !== undefined && invoiceOfIntent(context, id) !== undefined)
    unexpectedState(context, intent, `The PaymentIntent's ${invoiced} cannot be changed because it was created by an invoice.`);
  const updated = withMembers(context, intent, input);
  context.state.put('payment_intents', id, updated);
  return expanded(context, updated, expand);
}

export function confirmPaymentIntent(
  {
    intent: id,
    ...input
  }: Confirmation & { readonly intent: string } & Pick<
      IntentMembers,
      'payment_method' | 'receipt_email' | 'setup_future_usage' | 'shipping'
    >,
  context: Context,
): JsonValue {
  const intent = requireRow(context, 'payment_intents', id);
  const { off_session, error_on_requires_action, return_url, use_stripe_sdk: _, expand, ...members } = input;
  if (!['requires_payment_method', 'requires_confirmation', 'requires_action'].includes(intent.status))
    unexpectedState(
      context,
      intent,
      intent.status === 'succeeded'
        ? 'You cannot confirm this PaymentIntent because it has already succeeded after being previously confirmed.'
        : `You cannot confirm this PaymentIntent because it has a status of ${intent.status}.`,
    );
  const confirmation = { off_session, error_on_requires_action, return_url, expand } as Confirmation;
  return confirmed(context, withMembers(context, intent, members), confirmation);
}

function confirmed(context: Context, intent: PaymentIntent, { expand, ...options }: Confirmation): JsonValue {
  if (intent.payment_method === null)
    unexpectedState(
      context,
      intent,
      "You cannot confirm this PaymentIntent because it's missing a payment method. " +
        'You can either update the PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a payment method.',
    );
  const attempt: Attempt = {
    offSession: options.off_session === true,
    refusesAction: options.error_on_requires_action === true,
    returnUrl: options.return_url ?? null,
  };
  const result = attemptPayment(context, intent, attempt);
  settleIntent(context, result);
  const { intent: after, error } = result;
  if (error !== undefined) declineCard(context, error, { payment_intent: after as unknown as JsonValue });
  return expanded(context, after, expand);
}

export function capturePaymentIntent(
  input: { readonly intent: string; readonly amount_to_capture?: number; readonly expand?: readonly string[] } & {
    readonly metadata?: MetadataInput;
  },
  context: Context,
): JsonValue {
  const intent = requireRow(context, 'payment_intents', input.intent);
  if (intent.status !== 'requires_capture')
    unexpectedState(
      context,
      intent,
      `This PaymentIntent could not be captured because it has a status of ${intent.status}. Only a PaymentIntent with one of the following statuses may be captured: requires_capture.`,
    );
  const amount = input.amount_to_capture ?? intent.amount_capturable;
  if (amount > intent.amount_capturable)
    refuse(context, 'AMOUNT_TOO_LARGE', 'The amount to capture is greater than the amount that can be captured.', {
      param: 'amount_to_capture',
    });
  const charge = takeMoney(context, requireRow(context, 'charges', intent.latest_charge ?? ''), amount);
  context.state.put('charges', charge.id, charge);
  recordEvent(context, 'charge.captured', charge);
  const metadata = mergeMetadata(context, intent.metadata, input.metadata);
  const captured = { ...intent, amount_capturable: 0, amount_received: amount, metadata, status: 'succeeded' } as const;
  keepIntent(context, captured, 'payment_intent.succeeded');
  return expanded(context, captured, input.expand);
}

export function cancelPaymentIntent(
  input: { readonly intent: string; readonly cancellation_reason?: string; readonly expand?: readonly string[] },
  context: Context,
): JsonValue {
  const intent = requireRow(context, 'payment_intents', input.intent);
  if (intent.status === 'succeeded' || intent.status === 'canceled')
    unexpectedState(context, intent, `You cannot cancel this PaymentIntent because it has a status of ${intent.status}.`);
  if (invoiceOfIntent(context, intent.id) !== undefined)
    unexpectedState(context, intent, 'You cannot cancel this PaymentIntent because it was created by an invoice: void the invoice.');
  if (intent.status === 'requires_capture') releaseHold(context, heldCharge(context, intent), 'charge.refunded');
  const canceled = {
    ...intent,
    amount_capturable: 0,
    canceled_at: nowSeconds(context),
    cancellation_reason: input.cancellation_reason ?? null,
    next_action: null,
    status: 'canceled',
  } as const;
  keepIntent(context, canceled, 'payment_intent.canceled');
  return expanded(context, canceled, input.expand);
}

/** Handles `authentication.due`. */
export function completeAuthentication(due: { readonly intent: string }, context: Context): void {
  const result = finishAuthentication(context, due.intent);
  if (result !== undefined) settleIntent(context, result);
}

function heldCharge(context: Context, { latest_charge }: PaymentIntent): Charge {
  return requireRow(context, 'charges', latest_charge ?? '');
}

function unexpectedState(context: Context, intent: PaymentIntent, message: string): never {
  return refuse(context, 'PAYMENT_INTENT_UNEXPECTED_STATE', message, { payment_intent: intent as unknown as JsonValue });
}
