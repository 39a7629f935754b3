// Cards that customers pay with. Each is one of Stripe's test cards, and behaves as it does there.
import type { JsonValue } from 'drillyard/tool-sdk';
import { cardOf, testCardNamed, testCards } from './cards.js';
import { declineCard, refuse } from './errors.js';
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
import type { Context, PaymentMethod } from './types.js';

interface BillingDetailsInput {
  readonly name?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly address?: JsonValue;
}
interface NewPaymentMethod {
  readonly type: 'card';
  readonly card: {
    readonly number?: string;
    readonly token?: string;
    readonly exp_month?: number;
    readonly exp_year?: number;
    readonly cvc?: string;
  };
  readonly billing_details?: BillingDetailsInput;
  readonly metadata?: MetadataInput;
  readonly expand?: readonly string[];
}

export function createPaymentMethod(input: NewPaymentMethod, context: Context): JsonValue {
  const { number, token, exp_month, exp_year } = input.card;
  const name = testCardNamed(token ?? number ?? '');
  if (name === undefined)
    return token === undefined
      ? refuse(context, 'CARD_NUMBER_INVALID', 'Your card number is incorrect. This account takes test cards only.', {
          type: 'card_error',
          code: 'incorrect_number',
          param: 'card[number]',
        })
      : refuse(context, 'RESOURCE_MISSING', `No such token: '${token}'`, { param: 'card[token]' });
  const { billing_details, metadata } = input;
  return expanded(context, saveCard(context, name, { exp_month, exp_year, billing_details, metadata }), input.expand);
}

interface CardInput {
  readonly exp_month?: number | undefined;
  readonly exp_year?: number | undefined;
  readonly billing_details?: BillingDetailsInput | undefined;
  readonly metadata?: MetadataInput | undefined;
}

/** A new payment method of a test card. */
function saveCard(
  context: Context,
  name: string,
  { exp_month = 12, exp_year = 2034, billing_details = {}, metadata }: CardInput,
): PaymentMethod {
  const { brand, last4, funding = 'credit', country = 'US' } = cardOf(name);
  const method = {
    id: nextId(context, 'payment_methods'),
    object: 'payment_method',
    allow_redisplay: 'unspecified',
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null, ...billing_details },
    card: {
      brand,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
      country,
      display_brand: brand,
      exp_month,
      exp_year,
      fingerprint: name,
      funding,
      generated_from: null,
      last4,
      networks: { available: [brand], preferred: null },
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created: nowSeconds(context),
    customer: null,
    customer_account: null,
    livemode: false,
    metadata: mergeMetadata(context, {}, metadata),
    type: 'card',
  };
  context.state.put('payment_methods', method.id, method);
  return method;
}

/** The payment method of an id, or a new one for `pm_card_visa` and its like, as Stripe makes one in test mode. */
export function resolvePaymentMethod(context: Context, id: string, param?: string): PaymentMethod {
  const known = findRow(context, 'payment_methods', id);
  if (known !== undefined) return known;
  const name = id.startsWith('pm_card_') ? testCardNamed(id) : undefined;
  return name !== undefined && testCards[name] !== undefined
    ? saveCard(context, name, {})
    : requireRow(context, 'payment_methods', id, param);
}

export function retrievePaymentMethod(
  input: { readonly payment_method: string; readonly expand?: readonly string[] },
  context: Context,
): JsonValue {
  return expanded(context, requireRow(context, 'payment_methods', input.payment_method), input.expand);
}

interface PaymentMethodUpdate {
  readonly payment_method: string;
  readonly billing_details?: BillingDetailsInput;
  readonly card?: { readonly exp_month?: number; readonly exp_year?: number };
  readonly metadata?: MetadataInput;
  readonly expand?: readonly string[];
}

export function updatePaymentMethod(input: PaymentMethodUpdate, context: Context): JsonValue {
  const before = requireRow(context, 'payment_methods', input.payment_method);
  const method = {
    ...before,
    billing_details: { ...before.billing_details, ...input.billing_details },
    card: { ...before.card, ...input.card },
    metadata: mergeMetadata(context, before.metadata, input.metadata),
  };
  context.state.put('payment_methods', method.id, method);
  recordEvent(context, 'payment_method.updated', method, before);
  return expanded(context, method, input.expand);
}

/** Attaching asks the bank whether the card is good, so most cards that decline cannot be attached. */
export function attachPaymentMethod(
  input: { readonly payment_method: string; readonly customer: string; readonly expand?: readonly string[] },
  context: Context,
): JsonValue {
  const customer = requireRow(context, 'customers', input.customer, 'customer');
  const method = resolvePaymentMethod(context, input.payment_method);
  if (method.customer !== null && method.customer !== customer.id)
    refuse(context, 'PAYMENT_METHOD_UNEXPECTED_STATE', 'The payment method you provided has already been attached to a customer.');
  const { decline, attaches } = cardOf(method.card.fingerprint);
  if (decline !== undefined && attaches === undefined) declineCard(context, { type: 'card_error', ...decline });
  return expanded(context, attachTo(context, method, customer.id), input.expand);
}

export function attachTo(context: Context, method: PaymentMethod, customer: string): PaymentMethod {
  if (method.customer === customer) return method;
  const attached = { ...method, customer };
  context.state.put('payment_methods', method.id, attached);
  recordEvent(context, 'payment_method.attached', attached);
  return attached;
}

export function detachPaymentMethod(
  input: { readonly payment_method: string; readonly expand?: readonly string[] },
  context: Context,
): JsonValue {
  const method = requireRow(context, 'payment_methods', input.payment_method);
  if (method.customer === null)
    return refuse(
      context,
      'PAYMENT_METHOD_UNEXPECTED_STATE',
      'The payment method you provided is not attached to a customer so detachment is impossible.',
    );
  const detached = { ...method, customer: null };
  context.state.put('payment_methods', method.id, detached);
  const owner = context.state.get('customers', method.customer);
  if (owner?.invoice_settings.default_payment_method === method.id)
    context.state.put('customers', owner.id, { ...owner, invoice_settings: { ...owner.invoice_settings, default_payment_method: null } });
  recordEvent(context, 'payment_method.detached', detached, { customer: method.customer });
  return expanded(context, detached, input.expand);
}

export function listPaymentMethods(
  input: ListInput & { readonly customer?: string; readonly type?: string },
  context: Context,
): StripeList {
  const { customer, type } = input;
  if (customer !== undefined) requireRow(context, 'customers', customer, 'customer');
  return listRows(
    context,
    'payment_methods',
    input,
    (method) =>
      method.customer !== null && (customer === undefined || method.customer === customer) && (type === undefined || method.type === type),
  );
}
