// Prices: what a product costs, once or every interval. An amount is never changed; a price is archived and another one made.
import type { JsonValue } from 'drillyard/tool-sdk';
import { requireCurrency } from '../account/currencies.js';
import { refuse } from '../account/errors.js';
import { recordEvent } from '../account/events.js';
import type { StripeList } from '../account/store.js';
import { expanded, findRow, type ListInput, listRows, type MetadataInput, mergeMetadata, requireRow, rowsWhere } from '../account/store.js';
import type { Context, Price } from '../account/types.js';
import { freeLookupKey, type PriceMembers, type ProductMembers, savePrice, saveProduct } from './catalog.js';
import { planOf } from './subscription-shape.js';

interface NewPrice extends PriceMembers {
  readonly product?: string;
  readonly product_data?: ProductMembers;
  readonly expand?: readonly string[];
}

export function createPrice({ product, product_data, expand, ...members }: NewPrice, context: Context): JsonValue {
  if ((product === undefined) === (product_data === undefined))
    refuse(context, 'INVALID_REQUEST', 'You must specify either `product` or `product_data` when creating a price.', { param: 'product' });
  requireCurrency(context, members.currency);
  const owner = product_data === undefined ? requireRow(context, 'products', product ?? '', 'product') : saveProduct(context, product_data);
  return expanded(context, savePrice(context, owner, members), expand);
}

export function retrievePrice(input: { readonly price: string; readonly expand?: readonly string[] }, context: Context): JsonValue {
  return expanded(context, requireRow(context, 'prices', input.price), input.expand);
}

interface PriceUpdate {
  readonly price: string;
  readonly active?: boolean;
  readonly lookup_key?: string;
  readonly metadata?: MetadataInput;
  readonly nickname?: string;
  readonly tax_behavior?: string;
  readonly transfer_lookup_key?: boolean;
  readonly expand?: readonly string[];
}

export function updatePrice(input: PriceUpdate, context: Context): JsonValue {
  const { price: id, expand, metadata, lookup_key, transfer_lookup_key, ...given } = input;
  const before = requireRow(context, 'prices', id);
  if (given.active === false && findRow(context, 'products', before.product)?.default_price === id)
    refuse(context, 'INVALID_REQUEST', 'This price cannot be archived because it is the default price of its product.', {
      param: 'active',
    });
  if (lookup_key !== undefined && lookup_key !== '') freeLookupKey(context, lookup_key, transfer_lookup_key === true, id);
  const price: Price = {
    ...before,
    ...given,
    ...(given.nickname === '' ? { nickname: null } : {}),
    ...(lookup_key === undefined ? {} : { lookup_key: lookup_key === '' ? null : lookup_key }),
    metadata: mergeMetadata(context, before.metadata, metadata),
  };
  context.state.put('prices', id, price);
  recordEvent(context, 'price.updated', price, before);
  showInSubscriptions(context, price);
  return expanded(context, price, expand);
}

/** An item of a subscription has its whole price in it. */
function showInSubscriptions(context: Context, price: Price): void {
  const has = rowsWhere(context, 'subscriptions', ({ items }) => items.data.some((item) => item.price.id === price.id));
  for (const subscription of has) {
    const data = subscription.items.data.map((item) => (item.price.id === price.id ? { ...item, price, plan: planOf(price) } : item));
    context.state.put('subscriptions', subscription.id, { ...subscription, items: { ...subscription.items, data } });
  }
}

interface PriceFilter extends ListInput {
  readonly active?: boolean;
  readonly currency?: string;
  readonly lookup_keys?: readonly string[];
  readonly product?: string;
  readonly recurring?: { readonly interval?: string };
  readonly type?: string;
}
export function listPrices(input: PriceFilter, context: Context): StripeList {
  const { active, currency, lookup_keys, product, recurring, type } = input;
  requireCurrency(context, currency);
  return listRows(
    context,
    'prices',
    input,
    (price) =>
      (active === undefined || price.active === active) &&
      (currency === undefined || price.currency === currency) &&
      (lookup_keys === undefined || lookup_keys.includes(price.lookup_key ?? '')) &&
      (product === undefined || price.product === product) &&
      (recurring?.interval === undefined || price.recurring?.interval === recurring.interval) &&
      (type === undefined || price.type === type),
  );
}
