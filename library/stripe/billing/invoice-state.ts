// How an invoice comes about and how far it is: draft, open, paid, uncollectible or void. Asking the card for its money is in collection.ts.

import { accountId, recordEvent } from '../account/events.js';
import { newIntent } from '../account/intent-shape.js';
import { keepIntent } from '../account/payments.js';
import { nextId, nowSeconds, requireRow, rowsWhere } from '../account/store.js';
import {
  type Context,
  type Customer,
  daySeconds,
  type Invoice,
  type InvoiceItem,
  type InvoicePayment,
  type Subscription,
  secondUs,
} from '../account/types.js';
import { moveBalance, setDelinquent } from './customer-balance.js';
import { addLine, type subscriptionLine, takeItems, totaled } from './invoice-lines.js';
import { blankInvoice } from './invoice-shape.js';
import type { Period } from './periods.js';
import { closeGap } from './subscription-status.js';

/** A draft that advances by itself waits so long, so that lines can still be added. */
export const draftSeconds = 3600;

export function keepInvoice(context: Context, invoice: Invoice, eventType: string, before?: Invoice): Invoice {
  context.state.put('invoices', invoice.id, invoice);
  recordEvent(context, eventType, invoice, before);
  return invoice;
}

export interface NewInvoice {
  readonly customer: Customer;
  readonly currency: string;
  readonly billing_reason: string;
  readonly collection_method: Invoice['collection_method'];
  readonly auto_advance: boolean;
  readonly days_until_due?: number | null;
  readonly period: Period;
  readonly subscription?: Subscription;
  readonly members?: Partial<Invoice>;
  /** What it bills, and the pending items that it takes. */
  readonly lines: readonly ReturnType<typeof subscriptionLine>[];
  readonly items: readonly InvoiceItem[];
}

export function newInvoice(context: Context, given: NewInvoice): Invoice {
  const { customer, currency, billing_reason, collection_method, auto_advance, days_until_due, period, subscription, members } = given;
  const created = nowSeconds(context);
  const { metadata = {} } = subscription ?? {};
  const draft: Invoice = {
    ...blankInvoice(nextId(context, 'invoices'), customer, created),
    ...{ auto_advance, billing_reason, collection_method, currency },
    due_date: days_until_due === undefined || days_until_due === null ? null : created + days_until_due * daySeconds,
    parent:
      subscription === undefined
        ? null
        : { quote_details: null, subscription_details: { metadata, subscription: subscription.id }, type: 'subscription_details' },
    ...{ period_end: period.end, period_start: period.start },
    ...members,
  };
  takeItems(context, draft.id, given.items);
  for (const line of [...given.lines].reverse()) addLine(context, draft.id, line);
  return keepInvoice(context, scheduled(context, totaled(context, draft)), 'invoice.created');
}

/** The draft with the time at which it will be finalized, if it advances by itself. */
export function scheduled(context: Context, draft: Invoice): Invoice {
  if (!draft.auto_advance) return { ...draft, automatically_finalizes_at: null };
  const finalizes_at = nowSeconds(context) + draftSeconds;
  context.events.scheduleAt('invoice.finalization_due', { invoice: draft.id, finalizes_at }, finalizes_at * secondUs);
  return { ...draft, automatically_finalizes_at: finalizes_at };
}

export function customerOf(context: Context, { customer }: Pick<Invoice, 'customer'>): Customer {
  return requireRow(context, 'customers', customer, 'customer');
}

/** Gives the invoice its number, takes the customer's balance into account, and asks for what is due by a payment intent. */
export function finalize(context: Context, draft: Invoice, advances = draft.auto_advance): Invoice {
  const now = nowSeconds(context);
  const customer = customerOf(context, draft);
  const sequence = customer.next_invoice_sequence ?? 1;
  context.state.put('customers', customer.id, { ...customer, next_invoice_sequence: sequence + 1 });
  const sum = totaled(context, draft);
  const ending_balance = sum.amount_due === 0 ? sum.starting_balance + sum.total : 0;
  moveBalance(context, customer.id, ending_balance - sum.starting_balance);
  const hosted_invoice_url = `https://invoice.stripe.com/i/${accountId}/test_${draft.id}`;
  const open: Invoice = {
    ...sum,
    auto_advance: advances,
    automatically_finalizes_at: null,
    effective_at: sum.effective_at ?? now,
    ending_balance,
    ...{ hosted_invoice_url, invoice_pdf: `${hosted_invoice_url}/pdf` },
    number: sum.number ?? `${prefixOf(customer)}-${String(sequence).padStart(4, '0')}`,
    status: 'open',
    status_transitions: { ...sum.status_transitions, finalized_at: now },
  };
  keepInvoice(context, open, 'invoice.finalized');
  if (open.amount_due === 0) return markPaid(context, open, 0);
  askFor(context, open);
  const { due_date } = open;
  if (due_date !== null && open.collection_method === 'send_invoice')
    context.events.scheduleAt('invoice.due', { invoice: open.id, due_date }, Math.max(due_date * secondUs, context.clock.nowUs()));
  return open;
}

function prefixOf({ id, invoice_prefix }: Customer): string {
  return invoice_prefix ?? id.replace(/[^0-9A-Za-z]/g, '').toUpperCase();
}

function askFor(context: Context, invoice: Invoice): void {
  const { amount_due, billing_reason, currency, customer, number } = invoice;
  const description = { subscription_create: 'Subscription creation', subscription_cycle: 'Subscription update' }[billing_reason];
  const saves = invoice.parent === null ? {} : { setup_future_usage: 'off_session' };
  const intent = newIntent(context, {
    amount: amount_due,
    currency,
    customer,
    description: description ?? `Payment for Invoice ${number}`,
    ...saves,
  });
  const payment: InvoicePayment = {
    id: nextId(context, 'invoice_payments'),
    object: 'invoice_payment',
    amount_paid: null,
    amount_requested: amount_due,
    created: nowSeconds(context),
    currency,
    invoice: invoice.id,
    is_default: true,
    ...{ livemode: false },
    payment: { payment_intent: intent.id, type: 'payment_intent' },
    status: 'open',
    status_transitions: { canceled_at: null, paid_at: null },
  };
  context.state.put('invoice_payments', payment.id, payment);
}

export function paymentsOf(context: Context, invoice: string): InvoicePayment[] {
  return rowsWhere(context, 'invoice_payments', (payment) => payment.invoice === invoice);
}

export function invoiceOfIntent(context: Context, intent: string): Invoice | undefined {
  const [payment] = rowsWhere(context, 'invoice_payments', (one) => one.payment.payment_intent === intent);
  return payment === undefined ? undefined : context.state.get('invoices', payment.invoice);
}

/** All that is due is there: by the invoice's payment intent, or so much of it in another way. */
export function markPaid(context: Context, invoice: Invoice, outside: number, method?: string): Invoice {
  const now = nowSeconds(context);
  if (outside > 0) dropPayments(context, invoice);
  for (const payment of paymentsOf(context, invoice.id).filter(({ status }) => status === 'open')) {
    const paid = { ...payment, amount_paid: payment.amount_requested, status: 'paid' } as const;
    const row = { ...paid, status_transitions: { ...payment.status_transitions, paid_at: now } };
    context.state.put('invoice_payments', payment.id, row);
    recordEvent(context, 'invoice_payment.paid', row);
  }
  const paid: Invoice = {
    ...invoice,
    amount_paid: invoice.amount_due,
    amount_paid_off_stripe: outside,
    amount_remaining: 0,
    attempted: true,
    auto_advance: false,
    next_payment_attempt: null,
    status: 'paid',
    status_transitions: { ...invoice.status_transitions, paid_at: now },
  };
  keepInvoice(context, paid, 'invoice.paid');
  recordEvent(context, 'invoice.payment_succeeded', paid);
  setDelinquent(context, invoice.customer, false);
  closeGap(context, paid, method);
  return paid;
}

/** Its payment intent is canceled, and a card that was asked for it is not charged any more. */
function dropPayments(context: Context, invoice: Invoice): void {
  const now = nowSeconds(context);
  for (const payment of paymentsOf(context, invoice.id).filter(({ status }) => status === 'open')) {
    const status_transitions = { ...payment.status_transitions, canceled_at: now };
    context.state.put('invoice_payments', payment.id, { ...payment, status: 'canceled', status_transitions });
    const intent = requireRow(context, 'payment_intents', payment.payment.payment_intent);
    const canceled = { ...intent, canceled_at: now, cancellation_reason: 'void_invoice', next_action: null, status: 'canceled' } as const;
    keepIntent(context, canceled, 'payment_intent.canceled');
  }
}

/** What the invoice took from its customer's balance goes back. */
export function voidInvoice(context: Context, invoice: Invoice): Invoice {
  dropPayments(context, invoice);
  moveBalance(context, invoice.customer, invoice.starting_balance - (invoice.ending_balance ?? invoice.starting_balance));
  const voided: Invoice = {
    ...invoice,
    ...{ auto_advance: false, next_payment_attempt: null, status: 'void' },
    status_transitions: { ...invoice.status_transitions, voided_at: nowSeconds(context) },
  };
  keepInvoice(context, voided, 'invoice.voided');
  closeGap(context, voided);
  return voided;
}

export function giveInvoiceUp(context: Context, invoice: Invoice): Invoice {
  const lost: Invoice = {
    ...invoice,
    ...{ auto_advance: false, next_payment_attempt: null, status: 'uncollectible' },
    status_transitions: { ...invoice.status_transitions, marked_uncollectible_at: nowSeconds(context) },
  };
  keepInvoice(context, lost, 'invoice.marked_uncollectible');
  closeGap(context, lost);
  return lost;
}
