// What becomes of a subscription when its invoices are paid, fail for good, or are given up; and how it ends.
import { recordEvent } from '../account/events.js';
import { findRow, nowSeconds, rowsWhere } from '../account/store.js';
import type { Context, Invoice, Subscription } from '../account/types.js';
import type { BillingSettings } from './model.js';

const defaults: BillingSettings = { retry_days: [3, 5, 7], after_retries: 'cancel' };

export function settingsOf(context: Context): BillingSettings {
  return context.state.get('settings', 'billing') ?? defaults;
}

export function keepSubscription(context: Context, subscription: Subscription, before?: Subscription): Subscription {
  context.state.put('subscriptions', subscription.id, subscription);
  if (before === undefined) recordEvent(context, 'customer.subscription.created', subscription);
  else recordEvent(context, 'customer.subscription.updated', subscription, before);
  return subscription;
}

export function subscriptionOf(context: Context, { parent }: Pick<Invoice, 'parent'>): Subscription | undefined {
  return findRow(context, 'subscriptions', parent?.subscription_details.subscription);
}

export const hasEnded = ({ status }: Subscription): boolean => status === 'canceled' || status === 'incomplete_expired';

/** The latest invoice is paid, or nobody waits for it any more. */
export function closeGap(context: Context, invoice: Invoice, savedMethod?: string): void {
  const before = subscriptionOf(context, invoice);
  if (before === undefined || before.latest_invoice !== invoice.id || hasEnded(before)) return;
  const { default_payment_method, payment_settings } = before;
  const isSaved = savedMethod === undefined || savedMethod === default_payment_method;
  const saves = payment_settings.save_default_payment_method === 'on_subscription' && !isSaved;
  const subscription = saves ? { ...before, default_payment_method: savedMethod } : before;
  const waited =
    subscription.status === 'incomplete'
      ? invoice.status === 'paid'
      : subscription.status === 'past_due' || subscription.status === 'unpaid';
  if (waited) keepSubscription(context, { ...subscription, status: 'active' }, before);
  else if (subscription !== before) keepSubscription(context, subscription, before);
}

/** A renewal was not paid. The first invoice leaves its subscription incomplete. */
export function openGap(context: Context, invoice: Invoice): void {
  const before = subscriptionOf(context, invoice);
  if (before?.status === 'active') keepSubscription(context, { ...before, status: 'past_due' }, before);
}

/** The last retry of a renewal has failed. */
export function giveUp(context: Context, invoice: Invoice): void {
  const before = subscriptionOf(context, invoice);
  if (before === undefined || hasEnded(before) || before.status === 'incomplete') return;
  const { after_retries } = settingsOf(context);
  if (after_retries === 'cancel') endSubscription(context, before, { status: 'canceled', reason: 'payment_failed' });
  else if (after_retries === 'unpaid' && before.status !== 'unpaid') keepSubscription(context, { ...before, status: 'unpaid' }, before);
}

export interface Ending {
  readonly status: 'canceled' | 'incomplete_expired';
  /** Null: as it was asked for earlier. */
  readonly reason: string | null;
  readonly comment?: string | null;
  readonly feedback?: string | null;
}

/** Nothing is billed any more: no draft of it is finalized, and no open invoice of its customer is collected without being asked for. */
export function endSubscription(context: Context, before: Subscription, ending: Ending): Subscription {
  const now = nowSeconds(context);
  const { cancellation_details: details } = before;
  const { comment = details.comment, feedback = details.feedback } = ending;
  const ended: Subscription = {
    ...before,
    canceled_at: before.canceled_at ?? now,
    cancellation_details: { ...details, comment, feedback, reason: ending.reason ?? details.reason },
    ended_at: now,
    status: ending.status,
  };
  context.state.put('subscriptions', before.id, ended);
  const stops = ({ customer, status, parent }: Invoice): boolean =>
    status === 'draft' ? parent?.subscription_details.subscription === before.id : status === 'open' && customer === before.customer;
  for (const invoice of rowsWhere(context, 'invoices', (one) => one.auto_advance && stops(one)))
    context.state.put('invoices', invoice.id, {
      ...invoice,
      auto_advance: false,
      automatically_finalizes_at: null,
      next_payment_attempt: null,
    });
  if (ending.status === 'canceled') recordEvent(context, 'customer.subscription.deleted', ended);
  else recordEvent(context, 'customer.subscription.updated', ended, before);
  return ended;
}
