// The account's rows as types: Stripe's own objects, with the members that the behavior reads. stripe.tool.yaml is what is enforced.
import type { Frozen } from 'drillyard/tool-sdk';

export interface Metadata {
  [name: string]: string;
}
export interface StripeObject {
  id: string;
  object: string;
  created: number;
}
export interface CustomerRow extends StripeObject {
  name: string | null;
  email: string | null;
  metadata: Metadata;
  balance?: number;
  currency?: string | null;
  delinquent: boolean;
  invoice_prefix?: string;
  next_invoice_sequence?: number;
  phone?: string | null;
  invoice_settings: { default_payment_method: string | null; custom_fields: null; footer: null; rendering_options: null };
}
/** What can be read of a customer that was deleted. */
export interface DeletedCustomer {
  id: string;
  object: 'customer';
  deleted: true;
}
export interface CardMembers {
  brand: string;
  last4: string;
  exp_month: number;
  exp_year: number;
  fingerprint: string;
}
export interface PaymentMethodRow extends StripeObject {
  customer: string | null;
  type: string;
  card: CardMembers;
  billing_details: { name: string | null; email: string | null; phone: string | null };
  metadata: Metadata;
}
export type IntentStatus =
  | 'requires_payment_method'
  | 'requires_confirmation'
  | 'requires_action'
  | 'requires_capture'
  | 'canceled'
  | 'succeeded';
export interface CardError {
  type: 'card_error';
  code: string;
  decline_code?: string;
  message: string;
  charge?: string;
  payment_method?: Frozen<PaymentMethodRow>;
}
export interface PaymentIntentRow extends StripeObject {
  amount: number;
  amount_capturable: number;
  amount_received: number;
  canceled_at: number | null;
  cancellation_reason: string | null;
  capture_method: string;
  client_secret?: string;
  currency: string;
  customer: string | null;
  description: string | null;
  last_payment_error: CardError | null;
  latest_charge: string | null;
  metadata: Metadata;
  next_action: unknown;
  payment_method: string | null;
  receipt_email: string | null;
  setup_future_usage: string | null;
  status: IntentStatus;
}
export type SetupStatus = 'requires_payment_method' | 'requires_confirmation' | 'requires_action' | 'canceled' | 'succeeded';
export interface SetupIntentRow extends StripeObject {
  cancellation_reason: string | null;
  client_secret: string;
  customer: string | null;
  description: string | null;
  last_setup_error: CardError | null;
  metadata: Metadata;
  next_action: unknown;
  payment_method: string | null;
  status: SetupStatus;
  usage: string;
}
export interface ChargeRow extends StripeObject {
  amount: number;
  amount_captured: number;
  amount_refunded: number;
  balance_transaction: string | null;
  captured: boolean;
  currency: string;
  customer: string | null;
  disputed: boolean;
  failure_code: string | null;
  failure_message: string | null;
  metadata: Metadata;
  paid: boolean;
  payment_intent: string | null;
  payment_method: string | null;
  refunded: boolean;
  status: 'succeeded' | 'pending' | 'failed';
}
export interface RefundRow extends StripeObject {
  amount: number;
  balance_transaction: string | null;
  charge: string;
  currency: string;
  failure_balance_transaction?: string;
  failure_reason?: string;
  metadata: Metadata;
  payment_intent: string | null;
  payment_method: string | null;
  reason: string | null;
  status: 'pending' | 'succeeded' | 'failed' | 'canceled';
}
export type MovementType = 'charge' | 'refund' | 'refund_failure' | 'adjustment' | 'payout' | 'payout_cancel';
export interface BalanceTransactionRow extends StripeObject {
  amount: number;
  available_on: number;
  currency: string;
  fee: number;
  net: number;
  reporting_category: string;
  source: string;
  status: 'pending' | 'available';
  type: MovementType;
}
/** What the account has in one currency; always the sum of its balance transactions. */
export interface BalanceRow {
  currency: string;
  available: number;
  pending: number;
}
export interface EventRow extends StripeObject {
  type: string;
  data: { object: unknown; previous_attributes?: unknown };
}
export type DisputeStatus = 'needs_response' | 'under_review' | 'won' | 'lost';
export interface DisputeRow extends StripeObject {
  amount: number;
  balance_transactions: readonly unknown[];
  charge: string;
  currency: string;
  evidence: { [name: string]: unknown };
  evidence_details: {
    due_by: number;
    enhanced_eligibility: unknown;
    has_evidence: boolean;
    past_due: boolean;
    submission_count: number;
    submission_method: string;
  };
  is_charge_refundable: boolean;
  metadata: Metadata;
  payment_intent: string | null;
  reason: string;
  status: DisputeStatus;
}
export interface PayoutRow extends StripeObject {
  amount: number;
  arrival_date: number;
  automatic: boolean;
  balance_transaction: string | null;
  currency: string;
  metadata: Metadata;
  status: 'pending' | 'paid' | 'canceled';
}
