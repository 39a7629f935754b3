// Invoices on request: made, changed, finalized, paid, sent, given up and voided.
import type { JsonValue } from 'drillyard/tool-sdk';
import { requireCurrency } from '../account/currencies.js';
import { declineCard, refuse } from '../account/errors.js';
import { recordEvent } from '../account/events.js';
import {
  expanded,
  findRow,
  type ListInput,
  listRows,
  type MetadataInput,
  mergeMetadata,
  nowSeconds,
  requireRow,
  type StripeList,
} from '../account/store.js';
import { type Context, daySeconds, type Invoice } from '../account/types.js';
import { collect, defaultMethodOf, methodFor, planCollection, refuseWithoutMethod } from './collection.js';
import { claimCurrency } from './customer-balance.js';
import { releaseItems } from './invoice-items.js';
import { pendingItems } from './invoice-lines.js';
import {
  customerOf,
  finalize,
  giveInvoiceUp,
  keepInvoice,
  markPaid,
  newInvoice,
  paymentsOf,
  scheduled,
  voidInvoice,
} from './invoice-state.js';

interface InvoiceMembers {
  readonly auto_advance?: boolean;
  readonly collection_method?: Invoice['collection_method'];
  readonly days_until_due?: number;
  readonly default_payment_method?: string;
  readonly description?: string;
  readonly due_date?: number;
  readonly footer?: string;
  readonly metadata?: MetadataInput;
  readonly number?: string;
}
interface Named {
  readonly invoice: string;
  readonly expand?: readonly string[];
}
interface NewInvoiceInput extends InvoiceMembers {
  readonly customer: string;
  readonly currency?: string;
  readonly pending_invoice_items_behavior?: string;
  readonly expand?: readonly string[];
}

export function createInvoice(input: NewInvoiceInput, context: Context): JsonValue {
  requireCurrency(context, input.currency);
  const customer = requireRow(context, 'customers', input.customer, 'customer');
  const { auto_advance = false, collection_method = 'charge_automatically' } = input;
  const currency = input.currency ?? customer.currency ?? 'usd';
  claimCurrency(context, customer, currency);
  const takes = input.pending_invoice_items_behavior === 'include';
  const now = nowSeconds(context);
  const invoice = newInvoice(context, {
    ...{ customer, currency, collection_method, auto_advance, billing_reason: 'manual', period: { end: now, start: now } },
    members: membersOf(context, { customer: customer.id, collection_method, created: now, metadata: {} }, input),
    lines: [],
    items: takes ? pendingItems(context, { customer: customer.id, currency }, null) : [],
  });
  return expanded(context, invoice, input.expand);
}

/** The members that are given, checked against each other. An empty text takes one away. */
function membersOf(
  context: Context,
  of: Pick<Invoice, 'customer' | 'collection_method' | 'created' | 'metadata'> & { readonly due_date?: number | null },
  given: InvoiceMembers,
): Partial<Invoice> {
  const { days_until_due, default_payment_method, due_date, metadata, auto_advance: _, collection_method, ...more } = given;
  const method = collection_method ?? of.collection_method;
  const due = due_date ?? (days_until_due === undefined ? of.due_date : of.created + days_until_due * daySeconds) ?? null;
  if (method === 'send_invoice' && due === null)
    refuse(context, 'INVALID_REQUEST', 'If sending an invoice to a customer, you must specify either `days_until_due` or `due_date`.', {
      param: 'due_date',
    });
  if (method === 'charge_automatically' && (due_date !== undefined || days_until_due !== undefined))
    refuse(context, 'INVALID_REQUEST', 'You can only specify `due_date` or `days_until_due` if `collection_method` is `send_invoice`.', {
      param: due_date === undefined ? 'days_until_due' : 'due_date',
    });
  const texts = (['description', 'footer', 'number'] as const).flatMap((name) =>
    more[name] === undefined ? [] : [[name, more[name] === '' ? null : more[name]]],
  );
  return {
    ...Object.fromEntries(texts),
    ...(default_payment_method === undefined
      ? {}
      : {
          default_payment_method:
            default_payment_method === '' ? null : methodFor(context, of.customer, default_payment_method, 'default_payment_method').id,
        }),
    collection_method: method,
    due_date: method === 'send_invoice' ? due : null,
    metadata: mergeMetadata(context, of.metadata, metadata),
  };
}

export function retrieveInvoice(input: Named, context: Context): JsonValue {
  return expanded(context, requireRow(context, 'invoices', input.invoice), input.expand);
}

/** Of a finalized invoice only what is no question of what it says. */
export function updateInvoice({ invoice: id, expand, ...given }: InvoiceMembers & Named, context: Context): JsonValue {
  const before = requireRow(context, 'invoices', id);
  const final = ['collection_method', 'days_until_due', 'description', 'due_date', 'footer', 'number'].find((name) => name in given);
  if (before.status !== 'draft' && final !== undefined)
    refuse(context, 'INVOICE_NOT_EDITABLE', `Finalized invoices can't be updated in this way: ${final}.`, { param: final });
  const { auto_advance = before.auto_advance } = given;
  const changed: Invoice = { ...before, ...membersOf(context, before, given), auto_advance };
  const restarts = auto_advance && !before.auto_advance;
  const kept = before.status === 'draft' && auto_advance !== before.auto_advance ? scheduled(context, changed) : changed;
  const stopped = auto_advance ? kept : { ...kept, next_payment_attempt: null };
  keepInvoice(context, stopped, 'invoice.updated', before);
  return expanded(context, restarts && before.status === 'open' ? planCollection(context, stopped) : stopped, expand);
}

export function deleteInvoice(input: { readonly invoice: string }, context: Context): JsonValue {
  const invoice = requireRow(context, 'invoices', input.invoice);
  if (invoice.status !== 'draft' || invoice.parent !== null)
    refuse(context, 'INVALID_REQUEST', 'You can only delete draft invoices that are not of a subscription. Void this one instead.');
  releaseItems(context, invoice.id);
  context.state.delete('invoices', invoice.id);
  recordEvent(context, 'invoice.deleted', invoice);
  return { id: invoice.id, object: 'invoice', deleted: true };
}

interface InvoiceFilter extends ListInput {
  readonly collection_method?: string;
  readonly customer?: string;
  readonly status?: string;
  readonly subscription?: string;
}
export function listInvoices(input: InvoiceFilter, context: Context): StripeList {
  const { collection_method, customer, status, subscription } = input;
  return listRows(
    context,
    'invoices',
    input,
    (invoice) =>
      (collection_method === undefined || invoice.collection_method === collection_method) &&
      (customer === undefined || invoice.customer === customer) &&
      (status === undefined || invoice.status === status) &&
      (subscription === undefined || invoice.parent?.subscription_details.subscription === subscription),
  );
}

export function finalizeOnRequest(input: Named & { readonly auto_advance?: boolean }, context: Context): JsonValue {
  const draft = requireRow(context, 'invoices', input.invoice);
  if (draft.status !== 'draft')
    refuse(
      context,
      'INVALID_REQUEST',
      `This invoice is already finalized, you can't re-finalize a non-draft invoice: it is ${draft.status}.`,
    );
  const invoice = finalize(context, draft, input.auto_advance);
  return expanded(context, planCollection(context, invoice), input.expand);
}

interface Payment extends Named {
  readonly off_session?: boolean;
  readonly paid_out_of_band?: boolean;
  readonly payment_method?: string;
}

export function payInvoice(input: Payment, context: Context): JsonValue {
  const { off_session = true, paid_out_of_band = false, payment_method, expand } = input;
  const before = requireRow(context, 'invoices', input.invoice);
  if (before.status === 'paid' || before.status === 'void')
    refuse(context, 'INVALID_REQUEST', before.status === 'paid' ? 'Invoice is already paid' : 'This invoice is void and cannot be paid.');
  const invoice = before.status === 'draft' ? finalize(context, before) : before;
  if (invoice.status === 'paid') return expanded(context, invoice, expand);
  if (paid_out_of_band) return expanded(context, markPaid(context, invoice, invoice.amount_due), expand);
  const method = payment_method === undefined ? undefined : methodFor(context, invoice.customer, payment_method, 'payment_method').id;
  if (method === undefined && defaultMethodOf(context, invoice) === undefined) refuseWithoutMethod(context);
  const { invoice: after, error } = collect(context, invoice, { method, offSession: off_session });
  const payment = paymentsOf(context, after.id).find(({ is_default }) => is_default)?.payment.payment_intent;
  const intent = findRow(context, 'payment_intents', payment) as unknown as JsonValue;
  if (error !== undefined) declineCard(context, error, { payment_intent: intent });
  if (after.status !== 'paid')
    context.fail({
      code: 'INVOICE_PAYMENT_INTENT_REQUIRES_ACTION',
      message: 'This payment requires additional user action before it can be completed successfully.',
      details: { payment_intent: intent },
      keep: true,
    });
  return expanded(context, after, expand);
}

export function sendInvoiceOnRequest(input: Named, context: Context): JsonValue {
  const before = requireRow(context, 'invoices', input.invoice);
  if (before.collection_method !== 'send_invoice' || before.status === 'void')
    refuse(
      context,
      'INVALID_REQUEST',
      'You can only manually send an invoice if its `collection_method` is `send_invoice` and it is not void.',
    );
  const invoice = before.status === 'draft' ? finalize(context, before) : before;
  recordEvent(context, 'invoice.sent', invoice);
  return expanded(context, invoice, input.expand);
}

export function voidOnRequest(input: Named, context: Context): JsonValue {
  const invoice = requireRow(context, 'invoices', input.invoice);
  if (invoice.status !== 'open' && invoice.status !== 'uncollectible')
    refuse(context, 'INVALID_REQUEST', `You can only void finalized invoices that are not paid: this one is ${invoice.status}.`);
  return expanded(context, voidInvoice(context, invoice), input.expand);
}

export function giveUpOnRequest(input: Named, context: Context): JsonValue {
  const invoice = requireRow(context, 'invoices', input.invoice);
  if (invoice.status !== 'open')
    refuse(context, 'INVALID_REQUEST', `You can only mark open invoices as uncollectible: this one is ${invoice.status}.`);
  customerOf(context, invoice);
  return expanded(context, giveInvoiceUp(context, invoice), input.expand);
}
