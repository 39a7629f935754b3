// Subscriptions on request: made, changed and canceled. What time does to them is in subscription-cycle.ts.
import type { JsonValue } from 'drillyard/tool-sdk';
import { requireCurrency } from '../account/currencies.js';
import { refuse } from '../account/errors.js';
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
import { type Context, type Customer, daySeconds, type Subscription, secondUs } from '../account/types.js';
import { usablePrice } from './catalog.js';
import { collect, methodFor, planCollection, refuseWithoutMethod } from './collection.js';
import { claimCurrency } from './customer-balance.js';
import { finalize } from './invoice-state.js';
import { periodAt } from './periods.js';
import { billPeriod, patienceSeconds, planPeriodEnd, planTrialNotice } from './subscription-cycle.js';
import { blankSubscription, itemsList, newItem } from './subscription-shape.js';
import { keepSubscription } from './subscription-status.js';

const perCustomerMax = 500;

interface ItemInput {
  readonly price: string;
  readonly quantity?: number;
  readonly metadata?: MetadataInput;
}
interface NewSubscription {
  readonly customer: string;
  readonly items: readonly ItemInput[];
  readonly cancel_at_period_end?: boolean;
  readonly collection_method?: Subscription['collection_method'];
  readonly currency?: string;
  readonly days_until_due?: number;
  readonly default_payment_method?: string;
  readonly description?: string;
  readonly metadata?: MetadataInput;
  readonly off_session?: boolean;
  readonly payment_behavior?: string;
  readonly payment_settings?: { readonly payment_method_types?: readonly string[]; readonly save_default_payment_method?: string };
  readonly trial_end?: number;
  readonly trial_period_days?: number;
  readonly trial_settings?: { readonly end_behavior: { readonly missing_payment_method: string } };
  readonly expand?: readonly string[];
}

export function createSubscription(input: NewSubscription, context: Context): JsonValue {
  const customer = requireRow(context, 'customers', input.customer, 'customer');
  if (rowsWhere(context, 'subscriptions', (row) => row.customer === customer.id && row.ended_at === null).length >= perCustomerMax)
    refuse(context, 'INVALID_REQUEST', `A customer has at most ${perCustomerMax} subscriptions.`);
  const subscription = made(context, customer, input);
  const { status } = subscription;
  keepSubscription(context, subscription);
  const isTrial = status === 'trialing';
  const isSent = subscription.collection_method === 'send_invoice';
  const draft = billPeriod(context, subscription, { reason: 'subscription_create', isTrial, autoAdvance: true });
  context.state.put('subscriptions', subscription.id, { ...subscription, latest_invoice: draft.id });
  planPeriodEnd(context, subscription);
  planTrialNotice(context, subscription);
  if (isTrial) planCollection(context, finalize(context, draft));
  else if (!isSent) payFirst(context, finalize(context, draft), input);
  const kept = requireRow(context, 'subscriptions', subscription.id);
  const due = (nowSeconds(context) + patienceSeconds) * secondUs;
  if (kept.status === 'incomplete') context.events.scheduleAt('subscription.incomplete_due', { subscription: kept.id }, due);
  return expanded(context, kept, input.expand);
}

function made(context: Context, customer: Customer, input: NewSubscription): Subscription {
  const { cancel_at_period_end = false, collection_method = 'charge_automatically', days_until_due, description = null } = input;
  if ((collection_method === 'send_invoice') !== (days_until_due !== undefined))
    refuse(context, 'INVALID_REQUEST', '`days_until_due` is given if, and only if, `collection_method` is `send_invoice`.', {
      param: 'days_until_due',
    });
  requireCurrency(context, input.currency);
  const id = nextId(context, 'subscriptions');
  const created = nowSeconds(context);
  const trial_end = trialEndOf(context, input, created);
  const prices = input.items.map(({ price }, index) => usablePrice(context, price, `items[${index}][price]`).price);
  const every = billedTogether(context, prices, input.currency);
  claimCurrency(context, customer, every.currency);
  const anchor = trial_end ?? created;
  const period = trial_end === null ? periodAt(anchor, every, created) : { start: created, end: trial_end };
  const items = prices.map((price, index) => {
    const { quantity = 1, metadata } = input.items[index] as ItemInput;
    return newItem(context, id, index + 1, { price, quantity, metadata: mergeMetadata(context, {}, metadata), period });
  });
  const { default_payment_method: given, payment_settings, trial_settings } = input;
  const default_payment_method = given === undefined ? null : methodFor(context, customer.id, given, 'default_payment_method').id;
  const starts = trial_end !== null ? 'trialing' : collection_method === 'send_invoice' ? 'active' : 'incomplete';
  const { end_behavior } = blankSubscription.trial_settings;
  return {
    id,
    ...blankSubscription,
    billing_cycle_anchor: anchor,
    ...{ billing_mode: { flexible: { proration_discounts: 'included' }, type: 'flexible', updated_at: created } },
    ...(cancel_at_period_end ? cancelAtEnd(period.end, created) : {}),
    ...{ collection_method, created, currency: every.currency, customer: customer.id },
    days_until_due: days_until_due ?? null,
    ...{ default_payment_method, description: description === '' ? null : description },
    items: itemsList(id, items),
    metadata: mergeMetadata(context, {}, input.metadata),
    payment_settings: { ...blankSubscription.payment_settings, ...payment_settings },
    start_date: created,
    status: starts,
    ...{ trial_end, trial_start: trial_end === null ? null : created },
    trial_settings: { end_behavior: { ...end_behavior, ...trial_settings?.end_behavior } },
  };
}

const trialSecondsMax = 2 * 365 * daySeconds;
function trialEndOf(context: Context, { trial_end, trial_period_days }: NewSubscription, created: number): number | null {
  if (trial_end !== undefined && trial_period_days !== undefined)
    refuse(context, 'INVALID_REQUEST', 'You may only specify one of these parameters: trial_end, trial_period_days.', {
      param: 'trial_end',
    });
  const end = trial_end ?? (trial_period_days === undefined ? undefined : created + trial_period_days * daySeconds);
  if (end === undefined || trial_period_days === 0) return null;
  if (end <= created || end > created + trialSecondsMax)
    refuse(context, 'INVALID_REQUEST', 'Invalid timestamp: must be an integer Unix timestamp in the future, within two years.', {
      param: 'trial_end',
    });
  return end;
}

type Price = ReturnType<typeof usablePrice>['price'];

/** Items of one subscription recur at one interval, in one currency, and have each price once. */
export function billedTogether(context: Context, prices: readonly Price[], currency: string | undefined) {
  const [first] = prices;
  const { interval = 'month', interval_count = 1 } = first?.recurring ?? {};
  const wanted = currency ?? first?.currency ?? '';
  for (const [index, price] of prices.entries()) {
    const param = `items[${index}][price]`;
    if (price.recurring === null)
      refuse(
        context,
        'INVALID_REQUEST',
        'The price specified is set to `type=one_time` but this field only accepts prices with `type=recurring`.',
        {
          param,
        },
      );
    if (price.currency !== wanted)
      refuse(context, 'INVALID_REQUEST', `The price specified is in ${price.currency}, and the subscription in ${wanted}.`, { param });
    if (price.recurring?.interval !== interval || price.recurring.interval_count !== interval_count)
      refuse(context, 'INVALID_REQUEST', 'All prices on a subscription must have the same `interval` and `interval_count`.', { param });
    if (prices.findIndex(({ id }) => id === price.id) !== index)
      refuse(context, 'INVALID_REQUEST', 'Cannot add multiple subscription items with the same price.', { param });
  }
  return { interval, interval_count, currency: wanted };
}

/** What a subscription has that ends with its period. */
export function cancelAtEnd(
  periodEnd: number,
  now: number,
): Pick<Subscription, 'cancel_at' | 'cancel_at_period_end' | 'canceled_at' | 'cancellation_details'> {
  const details = { ...blankSubscription.cancellation_details, reason: 'cancellation_requested' };
  return { cancel_at: periodEnd, cancel_at_period_end: true, canceled_at: now, cancellation_details: details };
}

/** The first payment: a decline leaves the subscription incomplete, unless it is to be an error. */
function payFirst(context: Context, invoice: ReturnType<typeof finalize>, input: NewSubscription): void {
  const { payment_behavior = 'allow_incomplete', off_session = false } = input;
  if (invoice.status !== 'open' || payment_behavior === 'default_incomplete') return;
  const before = findRow(context, 'subscriptions', invoice.parent?.subscription_details.subscription);
  const method = before?.default_payment_method ?? findRow(context, 'customers', invoice.customer)?.invoice_settings.default_payment_method;
  if (method === null || method === undefined) refuseWithoutMethod(context);
  const { invoice: after, error } = collect(context, invoice, { offSession: off_session });
  if (payment_behavior !== 'error_if_incomplete' || after.status === 'paid') return;
  // Nothing of it is kept.
  context.fail({
    code: 'CARD_DECLINED',
    message: error?.message ?? 'Payment for this subscription requires additional user action before it can be completed successfully.',
    details: { type: 'card_error', code: error?.code ?? 'subscription_payment_intent_requires_action' },
  });
}

export function retrieveSubscription(
  input: { readonly subscription: string; readonly expand?: readonly string[] },
  context: Context,
): JsonValue {
  return expanded(context, requireRow(context, 'subscriptions', input.subscription), input.expand);
}

interface SubscriptionFilter extends ListInput {
  readonly collection_method?: string;
  readonly customer?: string;
  readonly price?: string;
  readonly status?: string;
}
/** Without a status, those that are not canceled. */
export function listSubscriptions(input: SubscriptionFilter, context: Context): StripeList {
  const { collection_method, customer, price, status } = input;
  const fits = (row: Subscription): boolean => {
    if (status === undefined) return row.status !== 'canceled';
    if (status === 'ended') return row.status === 'canceled' || row.status === 'incomplete_expired';
    return status === 'all' || row.status === status;
  };
  return listRows(
    context,
    'subscriptions',
    input,
    (row) =>
      fits(row) &&
      (collection_method === undefined || row.collection_method === collection_method) &&
      (customer === undefined || row.customer === customer) &&
      (price === undefined || row.items.data.some((item) => item.price.id === price)),
  );
}
