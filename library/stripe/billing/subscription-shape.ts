// What a subscription and its items are made of.

import type { Metadata } from '../account/model.js';
import { nowSeconds } from '../account/store.js';
import type { Context, Price, Subscription, SubscriptionItem } from '../account/types.js';
import type { BillingInterval, Period } from './periods.js';

/** A price by the members that older programs read. */
export function planOf(price: Price): object {
  const { active, created, currency, id, metadata, nickname, product, recurring, unit_amount } = price;
  const { interval, interval_count, usage_type } = recurring ?? {};
  return {
    ...{
      id,
      object: 'plan',
      active,
      amount: unit_amount,
      amount_decimal: String(unit_amount),
      billing_scheme: 'per_unit',
      created,
      currency,
    },
    ...{ interval, interval_count, livemode: false, metadata, meter: null, nickname, product, tiers_mode: null, transform_usage: null },
    ...{ trial_period_days: null, usage_type },
  };
}

interface NewItem {
  readonly price: Price;
  readonly quantity: number;
  readonly metadata: Metadata;
  readonly period: Period;
}

/** Items are numbered within their subscription. */
export function newItem(context: Context, subscription: string, number: number, given: NewItem): SubscriptionItem {
  const { price, quantity, metadata, period } = given;
  return {
    id: `si_${subscription.slice('sub_'.length)}_${number}`,
    object: 'subscription_item',
    ...{ billing_thresholds: null },
    created: nowSeconds(context),
    current_period_end: period.end,
    current_period_start: period.start,
    ...{ current_trial: null, discounts: [] },
    metadata,
    ...{ plan: planOf(price) },
    price,
    quantity,
    subscription,
    ...{ tax_rates: [] },
  };
}

export function itemsList(subscription: string, data: readonly SubscriptionItem[]): Subscription['items'] {
  return { object: 'list', data, has_more: false, total_count: data.length, url: `/v1/subscription_items?subscription=${subscription}` };
}

/** All items of a subscription are billed together. */
export function periodOf({ items }: Subscription): Period {
  const [first] = items.data;
  return { start: first?.current_period_start ?? 0, end: first?.current_period_end ?? 0 };
}

export function intervalOf({ items }: Subscription): BillingInterval {
  const { interval = 'month', interval_count = 1 } = items.data[0]?.price.recurring ?? {};
  return { interval, interval_count };
}

export function withPeriod(subscription: Subscription, { start, end }: Period): Subscription {
  const data = subscription.items.data.map((item) => ({ ...item, current_period_start: start, current_period_end: end }));
  return { ...subscription, items: { ...subscription.items, data } };
}

export const blankSubscription = {
  object: 'subscription',
  application: null,
  application_fee_percent: null,
  automatic_tax: { disabled_reason: null, enabled: false, liability: null },
  billing_cycle_anchor_config: null,
  billing_schedules: [],
  billing_thresholds: null,
  cancel_at: null,
  cancel_at_period_end: false,
  canceled_at: null,
  cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
  customer_account: null,
  days_until_due: null,
  default_payment_method: null,
  default_source: null,
  default_tax_rates: [],
  description: null,
  discounts: [],
  ended_at: null,
  invoice_settings: { account_tax_ids: null, custom_fields: null, description: null, footer: null, issuer: { type: 'self' } },
  latest_invoice: null,
  livemode: false,
  managed_payments: null,
  metadata: {},
  next_pending_invoice_item_invoice: null,
  on_behalf_of: null,
  pause_collection: null,
  payment_settings: { payment_method_options: null, payment_method_types: null, save_default_payment_method: 'off' },
  pending_invoice_item_interval: null,
  pending_setup_intent: null,
  pending_update: null,
  schedule: null,
  test_clock: null,
  transfer_data: null,
  trial_end: null,
  trial_settings: { end_behavior: { billing_cycle_anchor: null, missing_payment_method: 'create_invoice' } },
  trial_start: null,
} as const;
