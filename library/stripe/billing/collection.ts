// Asking the card for what an invoice is due: on request, an hour after a draft, and again and again on the days that the account has set.
import type { Frozen } from 'drillyard/tool-sdk';
import { refuse } from '../account/errors.js';
import { recordEvent } from '../account/events.js';
import type { CardError } from '../account/model.js';
import { resolvePaymentMethod } from '../account/payment-methods.js';
import { type AttemptResult, attemptPayment } from '../account/payments.js';
import { findRow, nowSeconds, requireRow } from '../account/store.js';
import { type Context, daySeconds, type Invoice, type PaymentMethod, secondUs } from '../account/types.js';
import { setDelinquent } from './customer-balance.js';
import { draftSeconds, finalize, invoiceOfIntent, keepInvoice, markPaid, paymentsOf } from './invoice-state.js';
import { giveUp, openGap, settingsOf, subscriptionOf } from './subscription-status.js';

export interface Collection {
  readonly method?: string | undefined;
  readonly offSession: boolean;
}
export interface Collected {
  readonly invoice: Invoice;
  readonly error?: Frozen<CardError>;
}

/** The card that an invoice is charged to: its own, its subscription's or its customer's. */
export function defaultMethodOf(
  context: Context,
  invoice: Pick<Invoice, 'customer' | 'default_payment_method' | 'parent'>,
): string | undefined {
  const own = invoice.default_payment_method ?? subscriptionOf(context, invoice)?.default_payment_method;
  return own ?? findRow(context, 'customers', invoice.customer)?.invoice_settings.default_payment_method ?? undefined;
}

/** A card that may be charged for a customer. */
export function methodFor(context: Context, customer: string, id: string, param: string): PaymentMethod {
  const method = resolvePaymentMethod(context, id, param);
  if (method.customer === customer) return method;
  return refuse(context, 'PAYMENT_METHOD_UNEXPECTED_STATE', `The PaymentMethod ${method.id} does not belong to the customer ${customer}.`, {
    param,
  });
}

export function refuseWithoutMethod(context: Context): never {
  return refuse(
    context,
    'RESOURCE_MISSING',
    'This customer has no attached payment source or default payment method. Please consider adding a default payment method.',
    { param: 'default_payment_method' },
  );
}

/** Asks the bank for what an open invoice is due. Without a card it has failed. */
export function collect(context: Context, invoice: Invoice, { method, offSession }: Collection): Collected {
  const chosen = method ?? defaultMethodOf(context, invoice);
  const payment = paymentsOf(context, invoice.id).find(({ status }) => status === 'open');
  const intent = requireRow(context, 'payment_intents', payment?.payment.payment_intent ?? '');
  const card = findRow(context, 'payment_methods', chosen);
  if (card === undefined) return { invoice: failed(context, invoice) };
  const asked = { ...intent, payment_method: card.id, status: 'requires_confirmation', next_action: null } as const;
  return settle(context, invoice, attemptPayment(context, asked, { offSession, refusesAction: false, returnUrl: null }));
}

/** What an attempt means for the invoice that its intent was made by; nothing where it was not made by one. */
export function settleIntent(context: Context, result: AttemptResult): void {
  const invoice = invoiceOfIntent(context, result.intent.id);
  if (invoice !== undefined && (invoice.status === 'open' || invoice.status === 'uncollectible')) settle(context, invoice, result);
}

function settle(context: Context, invoice: Invoice, { intent, error }: AttemptResult): Collected {
  if (intent.status === 'succeeded') return { invoice: markPaid(context, invoice, 0, intent.payment_method ?? undefined) };
  if (error !== undefined) {
    if (error.code === 'authentication_required') recordEvent(context, 'invoice.payment_action_required', invoice);
    return { invoice: failed(context, invoice), error };
  }
  const waiting = { ...invoice, attempted: true };
  return { invoice: keepInvoice(context, waiting, 'invoice.payment_action_required') };
}

/** Any attempt counts as the first; after it only those count that the account makes by itself. */
function failed(context: Context, invoice: Invoice): Invoice {
  const { retry_days } = settingsOf(context);
  const isAutomatic = invoice.next_payment_attempt !== null && invoice.next_payment_attempt <= nowSeconds(context);
  const counts = invoice.attempt_count === 0 || isAutomatic;
  const attempt_count = invoice.attempt_count + (counts ? 1 : 0);
  const days = counts && retries(context, invoice) ? retry_days[attempt_count - 1] : undefined;
  const next = days === undefined ? null : nowSeconds(context) + days * daySeconds;
  const next_payment_attempt = counts ? next : invoice.next_payment_attempt;
  const tried: Invoice = { ...invoice, attempt_count, attempted: true, next_payment_attempt };
  keepInvoice(context, tried, 'invoice.payment_failed');
  setDelinquent(context, invoice.customer, true);
  if (invoice.status !== 'open') return tried;
  if (counts && next !== null) planAttempt(context, tried, next);
  openGap(context, tried);
  if (counts && next === null && retries(context, invoice)) giveUp(context, tried);
  return context.state.get('invoices', tried.id) ?? tried;
}

/** The first invoice of a subscription is waited for and not retried. */
function retries(context: Context, invoice: Invoice): boolean {
  const waits = subscriptionOf(context, invoice)?.status === 'incomplete';
  return invoice.auto_advance && invoice.collection_method === 'charge_automatically' && !waits;
}

function planAttempt(context: Context, { id }: Invoice, attempt_at: number): void {
  context.events.scheduleAt('invoice.attempt_due', { invoice: id, attempt_at }, attempt_at * secondUs);
}

/** An open invoice that advances by itself is charged an hour later. */
export function planCollection(context: Context, invoice: Invoice): Invoice {
  if (invoice.status !== 'open' || !invoice.auto_advance || invoice.collection_method !== 'charge_automatically') return invoice;
  const next_payment_attempt = nowSeconds(context) + draftSeconds;
  const planned = { ...invoice, next_payment_attempt };
  context.state.put('invoices', planned.id, planned);
  planAttempt(context, planned, next_payment_attempt);
  return planned;
}

/** Handles `invoice.attempt_due`, unless the attempt is not wanted any more. */
export function attemptDue(due: { readonly invoice: string; readonly attempt_at: number }, context: Context): void {
  const invoice = context.state.get('invoices', due.invoice);
  if (invoice?.status !== 'open' || !invoice.auto_advance || invoice.next_payment_attempt !== due.attempt_at) return;
  collect(context, invoice, { offSession: true });
}

/** Handles `invoice.finalization_due`: the draft is finalized, and charged or sent. */
export function finalizationDue(due: { readonly invoice: string; readonly finalizes_at: number }, context: Context): void {
  const draft = context.state.get('invoices', due.invoice);
  if (draft?.status !== 'draft' || draft.automatically_finalizes_at !== due.finalizes_at) return;
  if (findRow(context, 'customers', draft.customer) === undefined) return;
  const invoice = finalize(context, draft);
  if (invoice.collection_method === 'send_invoice') recordEvent(context, 'invoice.sent', invoice);
  else if (invoice.status === 'open') collect(context, invoice, { offSession: true });
}

/** Handles `invoice.due`: an invoice that was sent is not paid. */
export function invoiceDue(due: { readonly invoice: string; readonly due_date: number }, context: Context): void {
  const invoice = context.state.get('invoices', due.invoice);
  if (invoice?.status !== 'open' || invoice.due_date !== due.due_date) return;
  recordEvent(context, 'invoice.overdue', invoice);
  openGap(context, invoice);
}
