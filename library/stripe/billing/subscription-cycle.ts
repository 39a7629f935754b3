// What happens to a subscription as time goes by: its trial ends, a period ends and the next one is billed, or nobody pays its first
// invoice.
import { recordEvent } from '../account/events.js';
import { findRow, nowSeconds } from '../account/store.js';
import { type Context, daySeconds, type Invoice, type Subscription, secondUs } from '../account/types.js';
import { pendingItems, subscriptionLine } from './invoice-lines.js';
import { customerOf, newInvoice, voidInvoice } from './invoice-state.js';
import { type Period, periodAt } from './periods.js';
import { intervalOf, periodOf, withPeriod } from './subscription-shape.js';
import { endSubscription, hasEnded, keepSubscription } from './subscription-status.js';

/** A customer hears so long before that a trial ends. */
const noticeSeconds = 3 * daySeconds;
/** The invoice of a renewal is announced so long before it. */
const announcementSeconds = 7 * daySeconds;
/** The first invoice is waited for so long. */
export const patienceSeconds = 23 * 3600;

export interface Billing {
  readonly reason: 'subscription_create' | 'subscription_cycle' | 'subscription_update';
  readonly isTrial: boolean;
  readonly autoAdvance: boolean;
}

/** The invoice for the period that the subscription is in, as a draft. */
export function billPeriod(
  context: Context,
  subscription: Subscription,
  { reason, isTrial, autoAdvance }: Billing,
  before?: Period,
): Invoice {
  const customer = customerOf(context, subscription);
  const { collection_method, currency, days_until_due } = subscription;
  const now = nowSeconds(context);
  return newInvoice(context, {
    ...{ customer, currency, billing_reason: reason, collection_method, auto_advance: autoAdvance, days_until_due, subscription },
    period: before ?? { end: now, start: now },
    lines: linesFor(context, subscription, periodOf(subscription), isTrial),
    items: isTrial ? [] : pendingItems(context, { customer: customer.id, currency }, subscription.id),
  });
}

export function linesFor(context: Context, subscription: Subscription, period: Period, isTrial = false) {
  return subscription.items.data.map((item) => subscriptionLine(context, subscription, { item, period, isTrial }));
}

/** Looks ahead to the end of the period, and to when its invoice is announced. */
export function planPeriodEnd(context: Context, subscription: Subscription): void {
  const { end } = periodOf(subscription);
  const due = { subscription: subscription.id, period_end: end };
  context.events.scheduleAt('subscription.period_end', due, end * secondUs);
  const announcedAt = end - announcementSeconds;
  if (announcedAt > nowSeconds(context)) context.events.scheduleAt('subscription.renewal_near', due, announcedAt * secondUs);
}

export function planTrialNotice(context: Context, { id, trial_end }: Subscription): void {
  if (trial_end === null) return;
  const at = Math.max(nowSeconds(context), trial_end - noticeSeconds);
  context.events.scheduleAt('subscription.trial_ending', { subscription: id, trial_end }, Math.max(at * secondUs, context.clock.nowUs()));
}

/** Handles `subscription.trial_ending`. */
export function noticeTrialEnd(due: { readonly subscription: string; readonly trial_end: number }, context: Context): void {
  const subscription = context.state.get('subscriptions', due.subscription);
  if (subscription?.status === 'trialing' && subscription.trial_end === due.trial_end)
    recordEvent(context, 'customer.subscription.trial_will_end', subscription);
}

/** Handles `subscription.period_end`: the subscription ends, or there is a draft for its next period. */
export function periodEnded(due: { readonly subscription: string; readonly period_end: number }, context: Context): void {
  const before = context.state.get('subscriptions', due.subscription);
  if (before === undefined || hasEnded(before) || before.status === 'incomplete' || periodOf(before).end !== due.period_end) return;
  if (before.cancel_at_period_end || lacksMethod(context, before)) {
    endSubscription(context, before, { status: 'canceled', reason: null });
    return;
  }
  const isTrialOver = before.status === 'trialing';
  const next = periodAt(before.billing_cycle_anchor, intervalOf(before), due.period_end);
  const renewed: Subscription = { ...withPeriod(before, next), status: isTrialOver ? 'active' : before.status };
  context.state.put('subscriptions', renewed.id, renewed);
  // Invoices of an unpaid subscription stay drafts.
  const autoAdvance = renewed.status !== 'unpaid';
  const { id } = billPeriod(context, renewed, { reason: 'subscription_cycle', isTrial: false, autoAdvance }, periodOf(before));
  keepSubscription(context, { ...renewed, latest_invoice: id }, before);
  planPeriodEnd(context, renewed);
}

/** A trial that was to end without a card ends the subscription, where it was made so. */
function lacksMethod(context: Context, subscription: Subscription): boolean {
  const { customer, default_payment_method, status, trial_settings } = subscription;
  if (status !== 'trialing' || trial_settings.end_behavior.missing_payment_method !== 'cancel') return false;
  return (default_payment_method ?? findRow(context, 'customers', customer)?.invoice_settings.default_payment_method ?? null) === null;
}

/** Handles `subscription.incomplete_due`: the first invoice was waited for in vain. */
export function incompleteDue(due: { readonly subscription: string }, context: Context): void {
  const subscription = context.state.get('subscriptions', due.subscription);
  if (subscription?.status === 'incomplete') expire(context, subscription);
}

export function expire(context: Context, subscription: Subscription, reason: string | null = null): Subscription {
  const ended = endSubscription(context, subscription, { status: 'incomplete_expired', reason });
  const invoice = findRow(context, 'invoices', subscription.latest_invoice);
  if (invoice?.status === 'open') voidInvoice(context, invoice);
  return ended;
}
