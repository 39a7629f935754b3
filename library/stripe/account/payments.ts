// What becomes of a payment intent that is confirmed: paid, held, declined, or waiting for its customer to authenticate.
import type { Frozen, JsonValue } from 'drillyard/tool-sdk';
import { cardOf, type Decline } from './cards.js';
import { chargeCard } from './charges.js';
import { recordEvent } from './events.js';
import type { CardError } from './model.js';
import { attachTo } from './payment-methods.js';
import { findRow, nowSeconds, requireRow } from './store.js';
import type { Charge, Context, PaymentIntent } from './types.js';

/** How long a customer takes to authenticate a payment. */
export const challengeUs = 120_000_000;

export interface Attempt {
  /** The customer is not there, so it cannot authenticate. */
  readonly offSession: boolean;
  readonly refusesAction: boolean;
  readonly returnUrl: string | null;
}
export interface AttemptResult {
  readonly intent: PaymentIntent;
  readonly error?: Frozen<CardError>;
}

const authenticationRequired: Decline = {
  code: 'authentication_required',
  decline_code: 'authentication_required',
  message: 'Your card was declined. This transaction requires authentication.',
};

export function keepIntent(context: Context, intent: PaymentIntent, eventType: string): PaymentIntent {
  context.state.put('payment_intents', intent.id, intent);
  recordEvent(context, eventType, intent);
  return intent;
}

export function attemptPayment(context: Context, intent: PaymentIntent, attempt: Attempt): AttemptResult {
  const method = requireRow(context, 'payment_methods', intent.payment_method ?? '', 'payment_method');
  if (cardOf(method.card.fingerprint).authentication === undefined) return pay(context, intent, {});
  if (attempt.offSession || attempt.refusesAction) return pay(context, intent, { decline: authenticationRequired });
  const next_action = nextActionFor(intent.id, attempt.returnUrl);
  context.events.scheduleAt('authentication.due', { intent: intent.id }, context.clock.nowUs() + challengeUs);
  return { intent: keepIntent(context, { ...intent, next_action, status: 'requires_action' }, 'payment_intent.requires_action') };
}

/** What a customer has to do, for an intent of either kind. */
export function nextActionFor(id: string, returnUrl: string | null): JsonValue {
  const url = `https://hooks.stripe.com/3d_secure_2/${id}`;
  return returnUrl === null
    ? { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect', stripe_js: url } }
    : { type: 'redirect_to_url', redirect_to_url: { return_url: returnUrl, url } };
}

/** The customer has authenticated; undefined where the intent no longer waits for it. */
export function finishAuthentication(context: Context, id: string): AttemptResult | undefined {
  const intent = context.state.get('payment_intents', id);
  return intent?.status === 'requires_action' ? pay(context, { ...intent, next_action: null }, { authenticated: true }) : undefined;
}

function pay(context: Context, intent: PaymentIntent, how: { decline?: Decline; authenticated?: true }): AttemptResult {
  const { amount, currency, customer, description, metadata, receipt_email, capture_method } = intent;
  const method = requireRow(context, 'payment_methods', intent.payment_method ?? '', 'payment_method');
  const capture = capture_method !== 'manual';
  const { charge, error } = chargeCard(context, {
    ...{ amount, currency, customer, description, metadata, receipt_email, capture, method },
    payment_intent: intent.id,
    ...how,
  });
  if (error !== undefined) {
    const failed = {
      ...intent,
      last_payment_error: error,
      latest_charge: charge.id,
      payment_method: null,
      status: 'requires_payment_method',
    } as const;
    return { intent: keepIntent(context, failed, 'payment_intent.payment_failed'), error };
  }
  const paid = { ...intent, last_payment_error: null, latest_charge: charge.id, next_action: null };
  if (intent.setup_future_usage !== null && customer !== null) attachTo(context, method, customer);
  return {
    intent: capture
      ? keepIntent(context, { ...paid, amount_received: amount, status: 'succeeded' }, 'payment_intent.succeeded')
      : keepIntent(context, { ...paid, amount_capturable: amount, status: 'requires_capture' }, 'payment_intent.amount_capturable_updated'),
  };
}

/** Lets go of what a charge holds. Nothing was taken, so no balance moves. */
export function releaseHold(context: Context, charge: Charge, eventType: 'charge.refunded' | 'charge.expired'): void {
  const released = { ...charge, amount_refunded: charge.amount, refunded: true };
  context.state.put('charges', charge.id, released);
  recordEvent(context, eventType, released);
}

/** Handles `authorization.due`: after seven days the bank lets go of what was not captured. */
export function expireAuthorization(due: { readonly charge: string }, context: Context): void {
  const charge = context.state.get('charges', due.charge);
  const intent = findRow(context, 'payment_intents', charge?.payment_intent);
  if (charge === undefined || charge.captured || intent?.status !== 'requires_capture') return;
  releaseHold(context, charge, 'charge.expired');
  const ended = { amount_capturable: 0, canceled_at: nowSeconds(context), cancellation_reason: 'automatic', status: 'canceled' } as const;
  keepIntent(context, { ...intent, ...ended }, 'payment_intent.canceled');
}
