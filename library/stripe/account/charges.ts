// Charges: what the bank said to an attempt to take money, and the money that was taken.
import type { Frozen, JsonValue } from 'drillyard/tool-sdk';
import { move, settlementTime } from './balance.js';
import { cardOf, type Decline } from './cards.js';
import { recordEvent } from './events.js';
import type { CardError, Metadata } from './model.js';
import { expanded, findRow, type ListInput, listRows, nextId, nowSeconds, requireRow, type StripeList } from './store.js';
import { type Charge, type Context, dayUs, type PaymentMethod } from './types.js';

const holdUs = 7 * dayUs;
const feeRate = 29;
const feeFixed = 30;

export interface NewCharge {
  readonly amount: number;
  readonly currency: string;
  readonly customer: string | null;
  readonly method: PaymentMethod;
  readonly payment_intent: string;
  readonly description: string | null;
  readonly metadata: Frozen<Metadata>;
  readonly receipt_email: string | null;
  readonly capture: boolean;
  /** The customer has just authenticated. */
  readonly authenticated?: boolean;
  /** Said instead of what the card would say. */
  readonly decline?: Decline | undefined;
}

/** Asks the bank. The charge is kept whatever it says; the error is what it said instead of yes. */
export function chargeCard(context: Context, input: NewCharge): { charge: Charge; error?: CardError } {
  const { method, capture } = input;
  const card = cardOf(method.card.fingerprint);
  const decline = input.decline ?? card.decline;
  const charge = chargeOf(context, input, decline);
  if (decline !== undefined) {
    context.state.put('charges', charge.id, charge);
    recordEvent(context, 'charge.failed', charge);
    return { charge, error: { type: 'card_error', ...decline, charge: charge.id, payment_method: method } };
  }
  const kept = capture ? takeMoney(context, charge, charge.amount) : charge;
  context.state.put('charges', kept.id, kept);
  recordEvent(context, 'charge.succeeded', kept);
  if (!capture) context.events.scheduleAt('authorization.due', { charge: charge.id }, context.clock.nowUs() + holdUs);
  if (card.dispute !== undefined) context.events.scheduleAt('dispute.due', { charge: charge.id }, context.clock.nowUs() + 60_000_000);
  return { charge: kept };
}

/** The charge with its money taken; the caller saves it. */
export function takeMoney(context: Context, charge: Charge, amount: number): Charge {
  const { id, currency } = charge;
  const { available } = cardOf(fingerprintOf(context, charge));
  const movement = move(context, {
    type: 'charge',
    amount,
    fee: Math.min(amount, Math.round((amount * feeRate) / 1000) + feeFixed),
    currency,
    source: id,
    ...(available === undefined ? { available_on: settlementTime(context) } : {}),
  });
  return { ...charge, amount_captured: amount, balance_transaction: movement.id, captured: true };
}

export function fingerprintOf(context: Context, { payment_method }: Charge): string {
  return findRow(context, 'payment_methods', payment_method)?.card.fingerprint ?? '';
}

export function retrieveCharge(input: { readonly charge: string; readonly expand?: readonly string[] }, context: Context): JsonValue {
  return expanded(context, requireRow(context, 'charges', input.charge), input.expand);
}

export function listCharges(
  input: ListInput & { readonly customer?: string; readonly payment_intent?: string },
  context: Context,
): StripeList {
  const { customer, payment_intent } = input;
  return listRows(
    context,
    'charges',
    input,
    (charge) =>
      (customer === undefined || charge.customer === customer) &&
      (payment_intent === undefined || charge.payment_intent === payment_intent),
  );
}

function chargeOf(context: Context, input: NewCharge, decline: Decline | undefined): Charge {
  const { amount, currency, customer, method, payment_intent, description, metadata, receipt_email, authenticated = false } = input;
  const id = nextId(context, 'charges');
  const { brand, exp_month, exp_year, fingerprint, last4 } = method.card;
  const paid = decline === undefined;
  const three_d_secure = authenticated
    ? {
        authentication_flow: 'challenge',
        electronic_commerce_indicator: '05',
        exemption_indicator: null,
        result: 'authenticated',
        result_reason: null,
        transaction_id: null,
        version: '2.2.0',
      }
    : null;
  const charge = {
    id,
    object: 'charge',
    amount,
    amount_captured: 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: method.billing_details,
    calculated_statement_descriptor: 'DRILLYARD',
    captured: false,
    created: nowSeconds(context),
    currency,
    customer,
    description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: decline?.code ?? null,
    failure_message: decline?.message ?? null,
    fraud_details: {},
    livemode: false,
    metadata,
    on_behalf_of: null,
    outcome: outcomeOf(decline),
    paid,
    payment_intent,
    payment_method: method.id,
    payment_method_details: {
      card: {
        amount_authorized: paid ? amount : null,
        authorization_code: null,
        brand,
        checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
        country: 'US',
        electronic_commerce_indicator: null,
        exp_month,
        exp_year,
        fingerprint,
        funding: 'credit',
        installments: null,
        last4,
        mandate: null,
        network: brand,
        network_transaction_id: null,
        regulated_status: 'unregulated',
        three_d_secure,
        transaction_link_id: null,
        wallet: null,
      },
      type: 'card',
    },
    receipt_email,
    receipt_number: null,
    receipt_url: paid ? `https://pay.stripe.com/receipts/${id}` : null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: paid ? 'succeeded' : 'failed',
    transfer_data: null,
    transfer_group: null,
  } as const;
  return charge;
}

function outcomeOf(decline: Decline | undefined) {
  const accepted = { advice_code: null, network_advice_code: null, network_decline_code: null, risk_level: 'normal', risk_score: 20 };
  if (decline === undefined)
    return { ...accepted, network_status: 'approved_by_network', reason: null, seller_message: 'Payment complete.', type: 'authorized' };
  return {
    ...accepted,
    network_status: 'declined_by_network',
    reason: decline.decline_code ?? decline.code,
    seller_message: 'The bank did not return any further details with this decline.',
    type: 'issuer_declined',
  };
}
