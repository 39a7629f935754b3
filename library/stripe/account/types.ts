// What the behavior is typed with: the rows of each namespace and the payloads of its events.
import type { Frozen, ToolContext } from 'drillyard/tool-sdk';
import type {
  BillingSettings,
  InvoiceItemRow,
  InvoiceLineRow,
  InvoicePaymentRow,
  InvoiceRow,
  PriceRow,
  ProductRow,
  SubscriptionRow,
} from '../billing/model.js';
import type {
  BalanceRow,
  BalanceTransactionRow,
  ChargeRow,
  CustomerRow,
  DeletedCustomer,
  DisputeRow,
  EventRow,
  PaymentIntentRow,
  PaymentMethodRow,
  PayoutRow,
  RefundRow,
  SetupIntentRow,
} from './model.js';

/** The namespaces of objects that have an id of Stripe's. */
export type Rows = {
  customers: CustomerRow;
  payment_methods: PaymentMethodRow;
  payment_intents: PaymentIntentRow;
  charges: ChargeRow;
  refunds: RefundRow;
  balance_transactions: BalanceTransactionRow;
  events: EventRow;
  disputes: DisputeRow;
  payouts: PayoutRow;
  setup_intents: SetupIntentRow;
  products: ProductRow;
  prices: PriceRow;
  invoice_items: InvoiceItemRow;
  invoices: InvoiceRow;
  invoice_lines: InvoiceLineRow;
  invoice_payments: InvoicePaymentRow;
  subscriptions: SubscriptionRow;
};
export type Namespace = keyof Rows;

export type StripeTypes = {
  state: Rows & { deleted_customers: DeletedCustomer; balances: BalanceRow; counters: { next: number }; settings: BillingSettings };
  events: {
    'event.created': Frozen<EventRow>;
    'funds.due': { balance_transaction: string };
    'authorization.due': { charge: string };
    'authentication.due': { intent: string };
    'refund.due': { refund: string };
    'dispute.due': { charge: string };
    'dispute.deadline': { dispute: string };
    'dispute.decided': { dispute: string };
    'payout.arrival': { payout: string };
    'payout.scheduled': { currency: string };
    'setup.due': { setup_intent: string };
    'subscription.trial_ending': { subscription: string; trial_end: number };
    'subscription.renewal_near': { subscription: string; period_end: number };
    'subscription.period_end': { subscription: string; period_end: number };
    'subscription.incomplete_due': { subscription: string };
    'invoice.finalization_due': { invoice: string; finalizes_at: number };
    'invoice.attempt_due': { invoice: string; attempt_at: number };
    'invoice.due': { invoice: string; due_date: number };
  };
};
export type Context = ToolContext<StripeTypes>;

export type Customer = Frozen<CustomerRow>;
export type PaymentMethod = Frozen<PaymentMethodRow>;
export type PaymentIntent = Frozen<PaymentIntentRow>;
export type Charge = Frozen<ChargeRow>;
export type Dispute = Frozen<DisputeRow>;
export type Payout = Frozen<PayoutRow>;
export type Refund = Frozen<RefundRow>;
export type SetupIntent = Frozen<SetupIntentRow>;
export type Product = Frozen<ProductRow>;
export type Price = Frozen<PriceRow>;
export type InvoiceItem = Frozen<InvoiceItemRow>;
export type InvoiceLine = Frozen<InvoiceLineRow>;
export type Invoice = Frozen<InvoiceRow>;
export type InvoicePayment = Frozen<InvoicePaymentRow>;
export type Subscription = Frozen<SubscriptionRow>;
export type SubscriptionItem = Frozen<SubscriptionRow['items']['data'][number]>;
export type BalanceTransaction = Frozen<BalanceTransactionRow>;

export const secondUs = 1_000_000;
export const dayUs = 86_400_000_000;
export const daySeconds = 86_400;
