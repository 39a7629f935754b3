// The rows of billing as types: Stripe's own objects, with the members that the behavior reads. stripe.tool.yaml is what is enforced.
import type { Metadata, StripeObject } from '../account/model.js';
import type { BillingInterval, Period } from './periods.js';

/** A list inside of an object. */
export interface InnerList<Item> {
  object: 'list';
  data: readonly Item[];
  has_more: boolean;
  total_count?: number;
  url: string;
}
export interface ProductRow extends StripeObject {
  active: boolean;
  default_price: string | null;
  description: string | null;
  metadata: Metadata;
  name: string;
  shippable: boolean | null;
  unit_label: string | null;
  updated: number;
  url: string | null;
}
export interface PriceRow extends StripeObject {
  active: boolean;
  currency: string;
  lookup_key: string | null;
  metadata: Metadata;
  nickname: string | null;
  product: string;
  recurring: (BillingInterval & { meter: null; trial_period_days: null; usage_type: string }) | null;
  type: 'one_time' | 'recurring';
  unit_amount: number;
}
/** How a line or an item comes to its amount. */
export interface Pricing {
  price_details?: { price: string; product: string };
  type: 'price_details';
  unit_amount_decimal: string;
}
/** A thing to be billed: pending until an invoice takes it. It has no member `created`; `date` is when it was made. */
export interface InvoiceItemRow {
  id: string;
  object: string;
  date: number;
  amount: number;
  currency: string;
  customer: string;
  description: string | null;
  discountable: boolean;
  invoice: string | null;
  metadata: Metadata;
  parent: { subscription_details: { subscription: string }; type: 'subscription_details' } | null;
  period: Period;
  pricing: Pricing;
  quantity: number;
}
export interface LineParent {
  invoice_item_details: { invoice_item: string; proration: boolean; proration_details: null; subscription: string | null } | null;
  subscription_item_details: {
    invoice_item: null;
    proration: boolean;
    proration_details: null;
    subscription: string;
    subscription_item: string;
  } | null;
  type: 'invoice_item_details' | 'subscription_item_details';
}
export interface InvoiceLineRow {
  id: string;
  object: string;
  amount: number;
  currency: string;
  description: string | null;
  invoice: string | null;
  metadata: Metadata;
  parent: LineParent;
  period: Period;
  pricing: Pricing;
  quantity: number;
  subscription: string | null;
}
export type InvoiceStatus = 'draft' | 'open' | 'paid' | 'uncollectible' | 'void';
export interface InvoiceRow extends StripeObject {
  amount_due: number;
  amount_paid: number;
  amount_paid_off_stripe: number;
  amount_remaining: number;
  attempt_count: number;
  attempted: boolean;
  auto_advance: boolean;
  automatically_finalizes_at: number | null;
  billing_reason: string;
  collection_method: 'charge_automatically' | 'send_invoice';
  currency: string;
  customer: string;
  default_payment_method: string | null;
  description: string | null;
  due_date: number | null;
  effective_at: number | null;
  ending_balance: number | null;
  footer: string | null;
  lines: InnerList<InvoiceLineRow>;
  metadata: Metadata;
  next_payment_attempt: number | null;
  number: string | null;
  parent: { quote_details: null; subscription_details: { metadata: Metadata; subscription: string }; type: 'subscription_details' } | null;
  period_end: number;
  period_start: number;
  starting_balance: number;
  status: InvoiceStatus;
  status_transitions: {
    finalized_at: number | null;
    marked_uncollectible_at: number | null;
    paid_at: number | null;
    voided_at: number | null;
  };
  subtotal: number;
  total: number;
}
export interface InvoicePaymentRow extends StripeObject {
  amount_paid: number | null;
  amount_requested: number;
  currency: string;
  invoice: string;
  is_default: boolean;
  payment: { payment_intent: string; type: 'payment_intent' };
  status: 'open' | 'paid' | 'canceled';
  status_transitions: { canceled_at: number | null; paid_at: number | null };
}
export type SubscriptionStatus = 'incomplete' | 'incomplete_expired' | 'trialing' | 'active' | 'past_due' | 'unpaid' | 'canceled';
export interface SubscriptionItemRow extends StripeObject {
  current_period_end: number;
  current_period_start: number;
  metadata: Metadata;
  price: PriceRow;
  quantity: number;
  subscription: string;
}
export interface CancellationDetails {
  comment: string | null;
  feedback: string | null;
  feedback_option: null;
  reason: string | null;
}
export interface SubscriptionRow extends StripeObject {
  billing_cycle_anchor: number;
  cancel_at: number | null;
  cancel_at_period_end: boolean;
  canceled_at: number | null;
  cancellation_details: CancellationDetails;
  collection_method: 'charge_automatically' | 'send_invoice';
  currency: string;
  customer: string;
  days_until_due: number | null;
  default_payment_method: string | null;
  description: string | null;
  ended_at: number | null;
  items: InnerList<SubscriptionItemRow>;
  latest_invoice: string | null;
  metadata: Metadata;
  payment_settings: {
    payment_method_options: null;
    payment_method_types: readonly string[] | null;
    save_default_payment_method: string | null;
  };
  start_date: number;
  status: SubscriptionStatus;
  trial_end: number | null;
  trial_settings: { end_behavior: { billing_cycle_anchor: null; missing_payment_method: string } };
  trial_start: number | null;
}
/** What the account does about renewals that are not paid. */
export interface BillingSettings {
  /** Days between one attempt and the next. */
  retry_days: readonly number[];
  /** What becomes of the subscription after the last one. */
  after_retries: 'cancel' | 'unpaid' | 'past_due';
}
