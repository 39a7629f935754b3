// What a payment intent is made of, and how its members are given. What the bank says to one is in payments.ts.
import type { JsonValue } from 'drillyard/tool-sdk';
import { refuse } from './errors.js';
import { resolvePaymentMethod } from './payment-methods.js';
import { keepIntent } from './payments.js';
import { type MetadataInput, mergeMetadata, nextId, nowSeconds, requireRow } from './store.js';
import type { Context, PaymentIntent } from './types.js';

export interface IntentMembers {
  readonly amount?: number;
  readonly currency?: string;
  readonly customer?: string;
  readonly description?: string;
  readonly metadata?: MetadataInput;
  readonly payment_method?: string;
  readonly allowed_payment_method_types?: readonly string[];
  readonly receipt_email?: string;
  readonly setup_future_usage?: string;
  readonly shipping?: JsonValue;
  readonly statement_descriptor?: string;
  readonly statement_descriptor_suffix?: string;
  readonly transfer_group?: string;
  readonly capture_method?: string;
}
const blankIntent = {
  object: 'payment_intent',
  allowed_payment_method_types: null,
  amount_capturable: 0,
  amount_details: { tip: {} },
  amount_received: 0,
  application: null,
  application_fee_amount: null,
  automatic_payment_methods: null,
  canceled_at: null,
  cancellation_reason: null,
  capture_method: 'automatic_async',
  confirmation_method: 'automatic',
  customer: null,
  customer_account: null,
  description: null,
  excluded_payment_method_types: null,
  last_payment_error: null,
  latest_charge: null,
  livemode: false,
  managed_payments: null,
  metadata: {},
  next_action: null,
  on_behalf_of: null,
  payment_method: null,
  payment_method_configuration_details: null,
  payment_method_options: { card: { installments: null, mandate_options: null, network: null, request_three_d_secure: 'automatic' } },
  payment_method_types: ['card'],
  payment_record: null,
  processing: null,
  receipt_email: null,
  review: null,
  setup_future_usage: null,
  shipping: null,
  source: null,
  statement_descriptor: null,
  statement_descriptor_suffix: null,
  status: 'requires_payment_method',
  transfer_data: null,
  transfer_group: null,
} as const;

/** A new intent, saved. */
export function newIntent(
  context: Context,
  members: IntentMembers & { amount: number; currency: string },
  more: object = {},
): PaymentIntent {
  const id = nextId(context, 'payment_intents');
  const blank: PaymentIntent = { id, ...blankIntent, amount: 0, currency: '', created: nowSeconds(context), ...more };
  const intent = withMembers(context, { ...blank, ...{ client_secret: `${id}_secret_${id.slice(-6)}` } }, members);
  keepIntent(context, intent, 'payment_intent.created');
  return intent;
}
export function withMembers(context: Context, intent: PaymentIntent, given: IntentMembers): PaymentIntent {
  const { metadata, payment_method, customer } = given;
  const names = [
    'amount',
    'currency',
    'description',
    'allowed_payment_method_types',
    'receipt_email',
    'setup_future_usage',
    'shipping',
  ] as const;
  const more = ['statement_descriptor', 'statement_descriptor_suffix', 'transfer_group', 'capture_method'] as const;
  const members = [...names, ...more]
    .filter((name) => given[name] !== undefined)
    .map((name) => [name, given[name] === '' ? null : given[name]]);
  if (customer !== undefined && customer !== '') requireRow(context, 'customers', customer, 'customer');
  const changed: PaymentIntent = {
    ...intent,
    ...Object.fromEntries(members),
    ...(customer === undefined ? {} : { customer: customer === '' ? null : customer }),
    metadata: mergeMetadata(context, intent.metadata, metadata),
  };
  if (payment_method === undefined) return changed;
  if (payment_method === '') return { ...changed, payment_method: null, status: 'requires_payment_method' };
  const method = resolvePaymentMethod(context, payment_method, 'payment_method');
  if (method.customer !== null && method.customer !== changed.customer)
    refuse(
      context,
      'PAYMENT_METHOD_UNEXPECTED_STATE',
      `The PaymentMethod ${method.id} belongs to ${method.customer}. Give that customer with the PaymentIntent.`,
      { param: 'payment_method' },
    );
  return { ...changed, payment_method: method.id, status: 'requires_confirmation', next_action: null };
}
