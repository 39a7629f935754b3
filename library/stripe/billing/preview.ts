// What the next invoice would be: of a subscription, or of a customer.
import type { JsonValue } from 'drillyard/tool-sdk';
import { refuse } from '../account/errors.js';
import { recordEvent } from '../account/events.js';
import { expanded, nowSeconds, requireRow, rowsWhere } from '../account/store.js';
import type { Context, Customer, Invoice, Subscription } from '../account/types.js';
import { itemLine, lineOf, pendingItems, totaled } from './invoice-lines.js';
import { blankInvoice } from './invoice-shape.js';
import { periodAt } from './periods.js';
import { linesFor } from './subscription-cycle.js';
import { intervalOf, periodOf } from './subscription-shape.js';
import { hasEnded } from './subscription-status.js';

interface PreviewInput {
  readonly customer?: string;
  readonly subscription?: string;
  readonly expand?: readonly string[];
}

export function previewInvoice(input: PreviewInput, context: Context): JsonValue {
  const subscription = subscriptionToPreview(context, input);
  const id = subscription?.customer ?? input.customer;
  if (id === undefined)
    return refuse(context, 'INVALID_REQUEST', 'You must specify either `customer` or `subscription`.', { param: 'customer' });
  const customer = requireRow(context, 'customers', id, 'customer');
  const invoice = nextInvoice(context, customer, subscription);
  if (invoice === undefined)
    return refuse(context, 'INVOICE_UPCOMING_NONE', `No upcoming invoices for customer: '${customer.id}'`, {
      param: subscription === undefined ? 'customer' : 'subscription',
    });
  return expanded(context, invoice, input.expand);
}

/** Handles `subscription.renewal_near`: the event has what will be billed, without an id, for there is no such invoice yet. */
export function announceRenewal(due: { readonly subscription: string; readonly period_end: number }, context: Context): void {
  const subscription = context.state.get('subscriptions', due.subscription);
  const customer = context.state.get('customers', subscription?.customer ?? '');
  if (subscription === undefined || customer === undefined || !renewing(subscription)) return;
  if (subscription.status === 'incomplete' || periodOf(subscription).end !== due.period_end) return;
  const { id: _, ...invoice } = nextInvoice(context, customer, subscription) ?? {};
  recordEvent(context, 'invoice.upcoming', invoice);
}

/** Undefined where nothing is to be billed. */
function nextInvoice(context: Context, customer: Customer, subscription: Subscription | undefined): Invoice | undefined {
  const renews = subscription !== undefined && renewing(subscription);
  const currency = subscription?.currency ?? customer.currency ?? 'usd';
  const items = pendingItems(context, { customer: customer.id, currency }, subscription?.id ?? null).map(itemLine);
  const billed = renews ? linesFor(context, subscription, nextPeriod(subscription)) : [];
  const given = [...items, ...billed.reverse()];
  if (given.length === 0) return undefined;
  const draft = upcoming(context, customer, renews ? subscription : undefined, currency);
  const lines = given.map((line, index) => lineOf(`il_tmp_${index + 1}`, draft.id, line));
  return totaled(context, draft, lines);
}

const renewing = (subscription: Subscription): boolean => !hasEnded(subscription) && !subscription.cancel_at_period_end;

/** The one that is asked for, or of the customer's the one that is billed first. */
function subscriptionToPreview(context: Context, { customer, subscription }: PreviewInput): Subscription | undefined {
  if (subscription === undefined)
    return rowsWhere(context, 'subscriptions', (row) => row.customer === customer && renewing(row)).sort(
      (a, b) => periodOf(a).end - periodOf(b).end || (a.id < b.id ? -1 : 1),
    )[0];
  const found = requireRow(context, 'subscriptions', subscription, 'subscription');
  if (customer !== undefined && found.customer !== customer)
    refuse(context, 'INVALID_REQUEST', `The subscription ${found.id} is not one of the customer ${customer}.`, { param: 'subscription' });
  return found;
}

function nextPeriod(subscription: Subscription) {
  return periodAt(subscription.billing_cycle_anchor, intervalOf(subscription), periodOf(subscription).end);
}

function upcoming(context: Context, customer: Customer, subscription: Subscription | undefined, currency: string): Invoice {
  const id = `upcoming_in_${subscription?.id ?? customer.id}`;
  const created = subscription === undefined ? nowSeconds(context) : periodOf(subscription).end;
  const { start, end } = subscription === undefined ? { start: created, end: created } : periodOf(subscription);
  const { metadata = {}, collection_method = 'charge_automatically' } = subscription ?? {};
  return {
    ...blankInvoice(id, customer, created),
    ...{ auto_advance: subscription !== undefined, billing_reason: 'upcoming', collection_method, currency },
    parent:
      subscription === undefined
        ? null
        : { quote_details: null, subscription_details: { metadata, subscription: subscription.id }, type: 'subscription_details' },
    ...{ period_start: start, period_end: end },
  };
}
