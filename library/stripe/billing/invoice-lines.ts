// The lines of an invoice, and the totals that they make. An invoice shows its first lines; all of them are listed by themselves.
import { findRow, type ListInput, nextId, oldestFirst, pageOf, requireRow, rowsWhere, type StripeList } from '../account/store.js';
import type { Context, Invoice, InvoiceItem, InvoiceLine, Price, Subscription, SubscriptionItem } from '../account/types.js';
import { amountDue } from './customer-balance.js';
import type { InnerList, LineParent, Pricing } from './model.js';
import type { Period } from './periods.js';

export const linesMax = 250;
const shownLines = 10;
const zeroDecimal = new Set(['jpy', 'krw', 'vnd', 'clp', 'xaf', 'xof']);
const symbols: { readonly [currency: string]: string } = { usd: '$', eur: '€', gbp: '£', jpy: '¥' };

/** `$12.50`, as descriptions have it. */
export function amountText(currency: string, amount: number): string {
  const symbol = symbols[currency] ?? `${currency.toUpperCase()} `;
  if (zeroDecimal.has(currency)) return `${symbol}${amount}`;
  return `${symbol}${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, '0')}`;
}

export function pricingOf(price: Price): Pricing {
  return {
    price_details: { price: price.id, product: price.product },
    type: 'price_details',
    unit_amount_decimal: String(price.unit_amount),
  };
}

export interface NewLine {
  readonly amount: number;
  readonly currency: string;
  readonly description: string | null;
  readonly metadata: InvoiceLine['metadata'];
  readonly parent: LineParent;
  readonly period: Period;
  readonly pricing: InvoiceLine['pricing'];
  readonly quantity: number;
  readonly subscription: string | null;
}

export function lineOf(id: string, invoice: string | null, given: NewLine): InvoiceLine {
  const { amount, currency, description, metadata, parent, period, pricing, quantity, subscription } = given;
  return {
    id,
    object: 'line_item',
    amount,
    currency,
    description,
    ...{ discount_amounts: [], discountable: true, discounts: [] },
    invoice,
    ...{ livemode: false },
    metadata,
    parent,
    period,
    ...{ pretax_credit_amounts: [] },
    pricing,
    quantity,
    ...{ quantity_decimal: String(quantity) },
    subscription,
    ...{ subtotal: amount, taxes: [] },
  };
}

/** What one item of a subscription costs for a period; nothing while a trial lasts. */
export function subscriptionLine(
  context: Context,
  subscription: Subscription,
  { item, period, isTrial }: { item: SubscriptionItem; period: Period; isTrial: boolean },
): NewLine {
  const { price, quantity } = item;
  const name = findRow(context, 'products', price.product)?.name ?? price.product;
  const { interval = 'month', interval_count = 1 } = price.recurring ?? {};
  const every = interval_count === 1 ? interval : `every ${interval_count} ${interval}s`;
  const rate = `${amountText(price.currency, price.unit_amount)} ${interval_count === 1 ? '/ ' : ''}${every}`;
  return {
    amount: isTrial ? 0 : price.unit_amount * quantity,
    currency: price.currency,
    description: isTrial ? `Trial period for ${name}` : `${quantity} × ${name} (at ${rate})`,
    metadata: item.metadata,
    parent: {
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: null,
        proration: false,
        proration_details: null,
        subscription: subscription.id,
        subscription_item: item.id,
      },
      type: 'subscription_item_details',
    },
    period,
    pricing: isTrial ? { ...pricingOf(price), unit_amount_decimal: '0' } : pricingOf(price),
    quantity,
    subscription: subscription.id,
  };
}

export function itemLine(item: InvoiceItem): NewLine {
  const { amount, currency, description, metadata, period, pricing, quantity } = item;
  const subscription = item.parent?.subscription_details?.subscription ?? null;
  const details = { invoice_item: item.id, proration: false, proration_details: null, subscription };
  const parent = { invoice_item_details: details, subscription_item_details: null, type: 'invoice_item_details' } as const;
  return { amount, currency, description, metadata, parent, period, pricing, quantity, subscription };
}

export function addLine(context: Context, invoice: string, line: NewLine): void {
  const id = nextId(context, 'invoice_lines');
  context.state.put('invoice_lines', id, lineOf(id, invoice, line));
}

/** The items that wait for the next invoice, newest first; those of a subscription wait for one of its own. */
export function pendingItems(
  context: Context,
  { customer, currency }: { customer: string; currency: string },
  subscription: string | null,
) {
  const waits = (item: InvoiceItem): boolean => {
    const own = item.parent?.subscription_details?.subscription ?? null;
    return item.invoice === null && item.customer === customer && item.currency === currency && (own === null || own === subscription);
  };
  return rowsWhere(context, 'invoice_items', waits).sort((a, b) => oldestFirst(b, a));
}

export function takeItems(context: Context, invoice: string, items: readonly InvoiceItem[]): void {
  for (const item of items) {
    context.state.put('invoice_items', item.id, { ...item, invoice });
    addLine(context, invoice, itemLine(item));
  }
}

export function linesOf(context: Context, invoice: string): InvoiceLine[] {
  return rowsWhere(context, 'invoice_lines', (line) => line.invoice === invoice).sort(oldestFirst);
}

/** The invoice as its lines and its customer's balance make it. Only a draft is computed. */
export function totaled(context: Context, invoice: Invoice, lines: readonly InvoiceLine[] = linesOf(context, invoice.id)): Invoice {
  const total = lines.reduce((sum, { amount }) => sum + amount, 0);
  const starting_balance = findRow(context, 'customers', invoice.customer)?.balance ?? 0;
  const amount_due = amountDue(total, starting_balance);
  return {
    ...invoice,
    amount_due,
    amount_remaining: amount_due,
    lines: shownLinesOf(invoice.id, lines),
    starting_balance,
    subtotal: total,
    total,
    ...{ subtotal_excluding_tax: total, total_excluding_tax: total },
  };
}

function shownLinesOf(invoice: string, lines: readonly InvoiceLine[]): InnerList<InvoiceLine> {
  const total_count = lines.length;
  const data = lines.slice(0, shownLines);
  return { object: 'list', data, has_more: total_count > shownLines, total_count, url: `/v1/invoices/${invoice}/lines` };
}

export function listInvoiceLines(
  { invoice: id, ...input }: ListInput & { readonly invoice: string; readonly expand?: readonly string[] },
  context: Context,
): StripeList {
  const invoice = requireRow(context, 'invoices', id);
  const lines = linesOf(context, invoice.id);
  return pageOf(context, lines, input, { namespace: 'invoice_lines', url: `/v1/invoices/${id}/lines`, compare: oldestFirst });
}
