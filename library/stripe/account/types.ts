// What the behavior is typed with: the rows of each namespace and the payloads of its events.
import type { Frozen, ToolContext } from 'drillyard/tool-sdk';
import type {
  BalanceRow,
  BalanceTransactionRow,
  ChargeRow,
  CustomerRow,
  DisputeRow,
  EventRow,
  PaymentIntentRow,
  PaymentMethodRow,
  PayoutRow,
  RefundRow,
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
};
export type Namespace = keyof Rows;

export type StripeTypes = {
  state: Rows & { balances: BalanceRow; counters: { next: number } };
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
export type BalanceTransaction = Frozen<BalanceTransactionRow>;

export const secondUs = 1_000_000;
export const dayUs = 86_400_000_000;
export const daySeconds = 86_400;
