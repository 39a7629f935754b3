// Changing and canceling a subscription. A change of what it bills takes effect with the next period: prorations are not served.
import type { JsonValue } from 'drillyard/tool-sdk';
import { refuse } from '../account/errors.js';
import { expanded, type MetadataInput, mergeMetadata, nowSeconds, requireRow } from '../account/store.js';
import type { Context, Subscription, SubscriptionItem } from '../account/types.js';
import { usablePrice } from './catalog.js';
import { collect, methodFor } from './collection.js';
import { finalize } from './invoice-state.js';
import { periodAt } from './periods.js';
import { billPeriod, expire, planPeriodEnd, planTrialNotice } from './subscription-cycle.js';
import { blankSubscription, intervalOf, itemsList, newItem, periodOf, planOf, withPeriod } from './subscription-shape.js';
import { endSubscription, hasEnded, keepSubscription } from './subscription-status.js';
import { billedTogether, cancelAtEnd } from './subscriptions.js';

interface ItemChange {
  readonly id?: string;
  readonly price?: string;
  readonly quantity?: number;
  readonly metadata?: MetadataInput;
  readonly deleted?: boolean;
}
interface CancellationInput {
  readonly comment?: string;
  readonly feedback?: string;
}
interface Change {
  readonly cancel_at_period_end?: boolean;
  readonly cancellation_details?: CancellationInput;
  readonly days_until_due?: number;
  readonly default_payment_method?: string;
  readonly description?: string;
  readonly items?: readonly ItemChange[];
  readonly metadata?: MetadataInput;
  readonly payment_settings?: { readonly save_default_payment_method?: string };
  readonly proration_behavior?: string;
  readonly trial_end?: number | 'now';
  readonly trial_settings?: { readonly end_behavior: { readonly missing_payment_method: string } };
}
interface Named {
  readonly subscription: string;
  readonly expand?: readonly string[];
}

const itemsMax = 20;

function notServed(context: Context, message: string, param: string): never {
  return refuse(context, 'CHANGE_NOT_SERVED', message, { param });
}

export function updateSubscription({ subscription: id, expand, ...change }: Change & Named, context: Context): JsonValue {
  const before = requireRow(context, 'subscriptions', id);
  refuseLate(context, before, change);
  const described = withMembers(context, before, change);
  const billed = change.items === undefined ? described : withItems(context, described, change.items, change.proration_behavior);
  const { trial_end } = change;
  if (trial_end === 'now') return expanded(context, endTrialNow(context, billed, before), expand);
  const trialed = trial_end === undefined ? billed : withTrialEnd(context, billed, trial_end);
  keepSubscription(context, trialed, before);
  if (trial_end !== undefined) {
    planPeriodEnd(context, trialed);
    planTrialNotice(context, trialed);
  }
  return expanded(context, trialed, expand);
}

/** What has ended keeps what was said of it; what is incomplete waits for its first payment. */
function refuseLate(context: Context, subscription: Subscription, change: Change): void {
  const allowed = hasEnded(subscription) ? ['metadata', 'cancellation_details'] : ['metadata'];
  if (!hasEnded(subscription) && subscription.status !== 'incomplete') return;
  const other = Object.keys(change).find((name) => !allowed.includes(name));
  if (other !== undefined)
    refuse(context, 'INVALID_REQUEST', `A ${subscription.status} subscription can only update its ${allowed.join(' and ')}.`, {
      param: other,
    });
}

function withMembers(context: Context, subscription: Subscription, change: Change): Subscription {
  const { days_until_due, default_payment_method: method, description, metadata } = change;
  if (days_until_due !== undefined && subscription.collection_method !== 'send_invoice')
    refuse(context, 'INVALID_REQUEST', '`days_until_due` needs the `collection_method` `send_invoice`.', { param: 'days_until_due' });
  const { payment_settings, trial_settings } = subscription;
  return {
    ...subscription,
    ...canceling(context, subscription, change),
    days_until_due: days_until_due ?? subscription.days_until_due,
    ...(method === undefined
      ? {}
      : {
          default_payment_method: method === '' ? null : methodFor(context, subscription.customer, method, 'default_payment_method').id,
        }),
    ...(description === undefined ? {} : { description: description === '' ? null : description }),
    metadata: mergeMetadata(context, subscription.metadata, metadata),
    payment_settings: { ...payment_settings, ...change.payment_settings },
    trial_settings: { end_behavior: { ...trial_settings.end_behavior, ...change.trial_settings?.end_behavior } },
  };
}

type Canceling = Pick<Subscription, 'cancel_at' | 'cancel_at_period_end' | 'canceled_at' | 'cancellation_details'>;

/** Whether the subscription ends with its period, and what was said about that. */
function canceling(context: Context, subscription: Subscription, change: Change): Canceling {
  const { cancel_at_period_end: ends = subscription.cancel_at_period_end, cancellation_details = {} } = change;
  const isSame = ends === subscription.cancel_at_period_end;
  const { cancel_at, cancel_at_period_end, canceled_at } = subscription;
  const renews = { cancel_at: null, cancel_at_period_end: false, canceled_at: null };
  const { cancellation_details: details, ...times } = isSame
    ? { cancel_at, cancel_at_period_end, canceled_at, cancellation_details: subscription.cancellation_details }
    : ends
      ? cancelAtEnd(periodOf(subscription).end, nowSeconds(context))
      : { ...renews, cancellation_details: blankSubscription.cancellation_details };
  return { ...times, cancellation_details: { ...details, ...emptied(cancellation_details) } };
}

function emptied(given: CancellationInput): { comment?: string | null; feedback?: string | null } {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value === '' ? null : value]));
}

function withItems(context: Context, subscription: Subscription, changes: readonly ItemChange[], prorates?: string): Subscription {
  const { data } = subscription.items;
  const changed = changes.reduce<readonly SubscriptionItem[]>(
    (items, change, index) => withItem(context, { ...subscription, items: itemsList(subscription.id, items) }, change, index),
    data,
  );
  if (changed.length === 0 || changed.length > itemsMax)
    refuse(context, 'INVALID_REQUEST', `A subscription has at least one item and at most ${itemsMax}.`, { param: 'items' });
  const every = billedTogether(
    context,
    changed.map(({ price }) => price),
    subscription.currency,
  );
  const costs = (items: readonly SubscriptionItem[]): string =>
    JSON.stringify(items.map(({ id, price, quantity }) => [id, price.id, quantity]));
  const isFree = subscription.status === 'trialing' || costs(data) === costs(changed);
  if (!isFree && prorates !== 'none')
    notServed(context, 'Prorations are not served here: give `proration_behavior` as `none`.', 'proration_behavior');
  const { interval, interval_count } = intervalOf(subscription);
  if (!isFree && (every.interval !== interval || every.interval_count !== interval_count))
    notServed(context, 'Another interval begins a new period at once, which is not served here.', 'items');
  return { ...subscription, items: itemsList(subscription.id, changed) };
}

/** The items after one of them was changed, added or taken away. */
function withItem(context: Context, subscription: Subscription, change: ItemChange, index: number): readonly SubscriptionItem[] {
  const { data } = subscription.items;
  const { id, price: priceId, quantity, metadata, deleted } = change;
  const price = priceId === undefined ? undefined : usablePrice(context, priceId, `items[${index}][price]`).price;
  if (id === undefined) {
    if (price === undefined) return refuse(context, 'INVALID_REQUEST', 'A new item needs a `price`.', { param: `items[${index}][price]` });
    const numbers = data.map((item) => Number(item.id.split('_').at(-1)));
    const given = { price, quantity: quantity ?? 1, metadata: mergeMetadata(context, {}, metadata), period: periodOf(subscription) };
    return [...data, newItem(context, subscription.id, Math.max(...numbers, 0) + 1, given)];
  }
  const item = data.find((one) => one.id === id);
  if (item === undefined)
    return refuse(context, 'RESOURCE_MISSING', `No such subscription_item: '${id}'`, { param: `items[${index}][id]` });
  if (deleted === true) return data.filter((one) => one !== item);
  const updated = {
    ...item,
    ...(price === undefined ? {} : { price, plan: planOf(price) }),
    quantity: quantity ?? item.quantity,
    metadata: mergeMetadata(context, item.metadata, metadata),
  };
  return data.map((one) => (one === item ? updated : one));
}

function withTrialEnd(context: Context, subscription: Subscription, trial_end: number): Subscription {
  if (subscription.status !== 'trialing')
    notServed(context, 'A trial for a subscription that has none prorates its period, which is not served here.', 'trial_end');
  if (trial_end <= nowSeconds(context))
    refuse(context, 'INVALID_REQUEST', 'Invalid timestamp: must be an integer Unix timestamp in the future.', { param: 'trial_end' });
  const { start } = periodOf(subscription);
  const cancel_at = subscription.cancel_at_period_end ? trial_end : null;
  return { ...withPeriod(subscription, { start, end: trial_end }), billing_cycle_anchor: trial_end, cancel_at, trial_end };
}

/** The first period begins at once, and is charged at once. */
function endTrialNow(context: Context, subscription: Subscription, before: Subscription): Subscription {
  if (subscription.status !== 'trialing') {
    keepSubscription(context, subscription, before);
    return subscription;
  }
  const now = nowSeconds(context);
  const period = periodAt(now, intervalOf(subscription), now);
  const cancel_at = subscription.cancel_at_period_end ? period.end : null;
  const started: Subscription = {
    ...withPeriod(subscription, period),
    ...{ billing_cycle_anchor: now, cancel_at, status: 'active', trial_end: now },
  };
  context.state.put('subscriptions', started.id, started);
  const draft = billPeriod(context, started, { reason: 'subscription_update', isTrial: false, autoAdvance: true });
  keepSubscription(context, { ...started, latest_invoice: draft.id }, before);
  planPeriodEnd(context, started);
  if (started.collection_method === 'charge_automatically') {
    const invoice = finalize(context, draft);
    if (invoice.status === 'open') collect(context, invoice, { offSession: true });
  }
  return requireRow(context, 'subscriptions', started.id);
}

interface Cancellation extends Named {
  readonly cancellation_details?: CancellationInput;
  readonly invoice_now?: boolean;
  readonly prorate?: boolean;
}

/** At once. What has ended is not there to be canceled. */
export function cancelSubscription(input: Cancellation, context: Context): JsonValue {
  const { invoice_now = false, prorate = false, cancellation_details = {}, expand } = input;
  const subscription = requireRow(context, 'subscriptions', input.subscription);
  if (hasEnded(subscription))
    refuse(context, 'RESOURCE_MISSING', `No such subscription: '${subscription.id}'`, { param: 'id', in_path: true });
  if (invoice_now || prorate)
    notServed(context, 'A final invoice and prorations are not served here.', invoice_now ? 'invoice_now' : 'prorate');
  if (subscription.status === 'incomplete') return expanded(context, expire(context, subscription, 'cancellation_requested'), expand);
  const again = { ...subscription, canceled_at: nowSeconds(context) };
  const ending = { status: 'canceled', reason: 'cancellation_requested', ...emptied(cancellation_details) } as const;
  return expanded(context, endSubscription(context, again, ending), expand);
}
