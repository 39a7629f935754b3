// The provider's rows, events and calls as types. payments.tool.yaml is what is enforced; this is the same for the eye and the compiler.
import type { Frozen, ToolContext } from 'drillyard/tool-sdk';

export type ChargeStatus = 'authorized' | 'captured' | 'failed' | 'voided' | 'expired';
export type FailureCode = 'card_declined' | 'insufficient_funds' | 'expired_card';
export type RefundReason = 'requested_by_customer' | 'duplicate' | 'fraudulent';
export type Bucket = 'pending' | 'available';

export interface CustomerRow {
  id: string;
  name: string;
  email: string;
  metadata: { [name: string]: string };
  createdAtUs: number;
}
/** amount = amountCaptured + amountCapturable + what was released. */
export interface ChargeRow {
  id: string;
  customerId: string;
  amount: number;
  currency: string;
  description: string | null;
  metadata: { [name: string]: string };
  card: { brand: 'visa' | 'mastercard' | 'amex'; last4: string };
  status: ChargeStatus;
  failure: { code: FailureCode; message: string } | null;
  amountCaptured: number;
  amountCapturable: number;
  amountRefunded: number;
  amountSettled: number;
  expiresAtUs: number | null;
  createdAtUs: number;
}
export interface CaptureRow {
  id: string;
  chargeId: string;
  amount: number;
  amountRefundedPending: number;
  currency: string;
  status: 'pending' | 'settled';
  settlesAtUs: number;
  createdAtUs: number;
}
export interface RefundRow {
  id: string;
  chargeId: string;
  amount: number;
  currency: string;
  reason: RefundReason;
  metadata: { [name: string]: string };
  amountFromPending: number;
  amountFromAvailable: number;
  createdAtUs: number;
}
export interface PayoutRow {
  id: string;
  amount: number;
  currency: string;
  createdAtUs: number;
}
export interface BalanceRow {
  currency: string;
  pending: number;
  available: number;
}
export interface LedgerRow {
  id: string;
  kind: 'capture' | 'refund' | 'settlement' | 'payout';
  bucket: Bucket;
  amount: number;
  balanceAfter: number;
  currency: string;
  chargeId: string | null;
  sourceId: string;
  createdAtUs: number;
}

interface ChargeOutcome {
  chargeId: string;
  customerId: string;
  amount: number;
  currency: string;
}
interface CaptureEvent {
  chargeId: string;
  captureId: string;
  amount: number;
  currency: string;
}
interface Release {
  chargeId: string;
  amountReleased: number;
}
export interface PaymentTypes {
  state: {
    customers: CustomerRow;
    charges: ChargeRow;
    captures: CaptureRow;
    refunds: RefundRow;
    payouts: PayoutRow;
    balances: BalanceRow;
    ledger: LedgerRow;
    counters: { next: number };
  };
  events: {
    'customer.created': { customerId: string };
    'charge.succeeded': ChargeOutcome & { captured: boolean };
    'charge.failed': ChargeOutcome & { failureCode: FailureCode };
    'charge.captured': CaptureEvent;
    'charge.voided': Release;
    'charge.expired': Release;
    'refund.created': { refundId: string; chargeId: string; amount: number; currency: string; reason: RefundReason };
    'settlement.due': { captureId: string };
    'settlement.completed': CaptureEvent;
    'authorization.expiry-due': { chargeId: string };
    'payout.created': { payoutId: string; amount: number; currency: string };
  };
}
export type Context = ToolContext<PaymentTypes>;

export type Customer = Frozen<CustomerRow>;
export type Charge = Frozen<ChargeRow>;
export type Capture = Frozen<CaptureRow>;
export type Refund = Frozen<RefundRow>;
export type Payout = Frozen<PayoutRow>;
export type Balance = Frozen<BalanceRow>;
export type LedgerEntry = Frozen<LedgerRow>;

export const dayUs = 86_400_000_000;
