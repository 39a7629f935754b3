// Invoice items: things to be billed, on a draft or on the next invoice of the customer.
import type { JsonValue } from 'drillyard/tool-sdk';
import { requireCurrency } from '../account/currencies.js';
import { refuse } from '../account/errors.js';
import { recordEvent } from '../account/events.js';
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
  rowsWhere,
  type StripeList,
} from '../account/store.js';
import type { Context, Customer, Invoice, InvoiceItem } from '../account/types.js';
import { usablePrice } from './catalog.js';
import { claimCurrency } from './customer-balance.js';
import { addLine, itemLine, linesMax, linesOf, pendingItems, pricingOf, totaled } from './invoice-lines.js';
import { keepInvoice } from './invoice-state.js';
import type { Period } from './periods.js';

interface ItemMembers {
  readonly amount?: number;
  readonly description?: string;
  readonly metadata?: MetadataInput;
  readonly period?: Period;
  readonly pricing?: { readonly price: string };
  readonly quantity?: number;
  readonly expand?: readonly string[];
}
interface NewInvoiceItem extends ItemMembers {
  readonly customer: string;
  readonly currency?: string;
  readonly invoice?: string;
  readonly subscription?: string;
}

export function createInvoiceItem(input: NewInvoiceItem, context: Context): JsonValue {
  requireCurrency(context, input.currency);
  const customer = requireRow(context, 'customers', input.customer, 'customer');
  const invoice = input.invoice === undefined ? undefined : draftFor(context, customer, input.invoice);
  const priced = pricedBy(context, input);
  if (invoice !== undefined && invoice.currency !== priced.currency)
    refuse(context, 'INVALID_REQUEST', `The invoice is in ${invoice.currency}, and the item in ${priced.currency}.`, { param: 'currency' });
  claimCurrency(context, customer, priced.currency);
  const subscription =
    input.subscription === undefined ? undefined : requireRow(context, 'subscriptions', input.subscription, 'subscription');
  if (subscription !== undefined && subscription.customer !== customer.id)
    refuse(context, 'INVALID_REQUEST', `The subscription ${subscription.id} is not one of the customer.`, { param: 'subscription' });
  const date = nowSeconds(context);
  const item: InvoiceItem = {
    id: nextId(context, 'invoice_items'),
    object: 'invoiceitem',
    ...priced,
    customer: customer.id,
    ...{ customer_account: null },
    date,
    discountable: true,
    ...{ discounts: [] },
    invoice: invoice?.id ?? null,
    ...{ livemode: false },
    metadata: mergeMetadata(context, {}, input.metadata),
    ...{ net_amount: priced.amount },
    parent: subscription === undefined ? null : { subscription_details: { subscription: subscription.id }, type: 'subscription_details' },
    period: input.period ?? { end: date, start: date },
    ...{ proration: false, quantity_decimal: String(priced.quantity), tax_rates: [], test_clock: null },
  };
  const waiting = pendingItems(context, item, subscription?.id ?? null).length;
  if ((invoice === undefined ? waiting : linesOf(context, invoice.id).length) >= linesMax)
    refuse(context, 'INVALID_REQUEST', `An invoice has at most ${linesMax} items.`);
  context.state.put('invoice_items', item.id, item);
  recordEvent(context, 'invoiceitem.created', item);
  if (invoice !== undefined) {
    addLine(context, invoice.id, itemLine(item));
    keepInvoice(context, totaled(context, invoice), 'invoice.updated', invoice);
  }
  return expanded(context, item, input.expand);
}

type Priced = Pick<InvoiceItem, 'amount' | 'currency' | 'description' | 'pricing' | 'quantity'>;

/** Either an amount of a currency, or so many of a price that is paid once. */
function pricedBy(context: Context, given: ItemMembers & { readonly currency?: string }): Priced {
  const { amount, currency, description = null, pricing, quantity = 1 } = given;
  if (pricing !== undefined && amount === undefined) {
    const { price, product } = usablePrice(context, pricing.price, 'pricing[price]');
    if (price.type !== 'one_time')
      refuse(
        context,
        'INVALID_REQUEST',
        'The price specified is set to `type=recurring` but this field only accepts prices with `type=one_time`.',
        {
          param: 'pricing[price]',
        },
      );
    const total = price.unit_amount * quantity;
    return { amount: total, currency: price.currency, description: description ?? product.name, pricing: pricingOf(price), quantity };
  }
  if (amount === undefined || currency === undefined || pricing !== undefined || given.quantity !== undefined)
    return refuse(context, 'INVALID_REQUEST', 'Give either `amount` and `currency`, or `pricing[price]`, with a `quantity` if you like.', {
      param: 'amount',
    });
  return { amount, currency, description, pricing: { type: 'price_details', unit_amount_decimal: String(amount) }, quantity: 1 };
}

function draftFor(context: Context, customer: Customer, id: string): Invoice {
  const invoice = requireRow(context, 'invoices', id, 'invoice');
  if (invoice.customer !== customer.id)
    refuse(context, 'INVALID_REQUEST', `The invoice ${id} is not one of the customer ${customer.id}.`, { param: 'invoice' });
  return invoice.status === 'draft' ? invoice : refuseFinal(context);
}

function refuseFinal(context: Context): never {
  return refuse(context, 'INVOICE_NOT_EDITABLE', 'This invoice is no longer editable.', { param: 'invoice' });
}

/** The item, and the draft that it is on. */
function editable(context: Context, id: string): { item: InvoiceItem; invoice: Invoice | undefined } {
  const item = requireRow(context, 'invoice_items', id);
  const invoice = findRow(context, 'invoices', item.invoice);
  if (invoice !== undefined && invoice.status !== 'draft') refuseFinal(context);
  return { item, invoice };
}

export function retrieveInvoiceItem(
  input: { readonly invoiceitem: string; readonly expand?: readonly string[] },
  context: Context,
): JsonValue {
  return expanded(context, requireRow(context, 'invoice_items', input.invoiceitem), input.expand);
}

export function updateInvoiceItem(input: ItemMembers & { readonly invoiceitem: string }, context: Context): JsonValue {
  const { item: before, invoice } = editable(context, input.invoiceitem);
  const { amount, description, metadata, period } = input;
  const isPriced = amount !== undefined || input.pricing !== undefined || input.quantity !== undefined;
  const price = before.pricing.price_details?.price;
  const pricing = input.pricing ?? (price === undefined || amount !== undefined ? undefined : { price });
  const item: InvoiceItem = {
    ...before,
    ...(isPriced ? pricedBy(context, { ...input, ...(pricing === undefined ? {} : { pricing }), currency: before.currency }) : {}),
    description: description ?? before.description,
    metadata: mergeMetadata(context, before.metadata, metadata),
    period: period ?? before.period,
  };
  if (item.currency !== before.currency)
    refuse(context, 'INVALID_REQUEST', `The item is in ${before.currency}, and the price in ${item.currency}.`, {
      param: 'pricing[price]',
    });
  const shown = { ...item, net_amount: item.amount, quantity_decimal: String(item.quantity) };
  context.state.put('invoice_items', item.id, shown);
  if (invoice !== undefined) changeLine(context, invoice, shown);
  return expanded(context, shown, input.expand);
}

function changeLine(context: Context, invoice: Invoice, item: InvoiceItem): void {
  const { amount, quantity } = item;
  for (const line of linesOf(context, invoice.id).filter((one) => one.parent.invoice_item_details?.invoice_item === item.id))
    context.state.put('invoice_lines', line.id, {
      ...line,
      ...itemLine(item),
      ...{ subtotal: amount, quantity_decimal: String(quantity) },
    });
  keepInvoice(context, totaled(context, invoice), 'invoice.updated', invoice);
}

export function deleteInvoiceItem(input: { readonly invoiceitem: string }, context: Context): JsonValue {
  const { item, invoice } = editable(context, input.invoiceitem);
  context.state.delete('invoice_items', item.id);
  recordEvent(context, 'invoiceitem.deleted', item);
  if (invoice !== undefined) {
    for (const line of linesOf(context, invoice.id).filter((one) => one.parent.invoice_item_details?.invoice_item === item.id))
      context.state.delete('invoice_lines', line.id);
    keepInvoice(context, totaled(context, invoice), 'invoice.updated', invoice);
  }
  return { id: item.id, object: 'invoiceitem', deleted: true };
}

interface ItemFilter extends ListInput {
  readonly customer?: string;
  readonly invoice?: string;
  readonly pending?: boolean;
}
export function listInvoiceItems(input: ItemFilter, context: Context): StripeList {
  const { customer, invoice, pending } = input;
  return listRows(
    context,
    'invoice_items',
    input,
    (item) =>
      (customer === undefined || item.customer === customer) &&
      (invoice === undefined || item.invoice === invoice) &&
      (pending === undefined || (item.invoice === null) === pending),
  );
}

/** What a deleted draft was to bill waits for another invoice. */
export function releaseItems(context: Context, invoice: string): void {
  for (const line of linesOf(context, invoice)) context.state.delete('invoice_lines', line.id);
  for (const item of rowsWhere(context, 'invoice_items', (one) => one.invoice === invoice))
    context.state.put('invoice_items', item.id, { ...item, invoice: null });
}
