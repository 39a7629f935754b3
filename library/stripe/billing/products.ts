// Products: what is sold. One that has prices is archived, not deleted.
import type { JsonValue } from 'drillyard/tool-sdk';
import { requireCurrency } from '../account/currencies.js';
import { refuse } from '../account/errors.js';
import { recordEvent } from '../account/events.js';
import { expanded, type ListInput, listRows, mergeMetadata, nowSeconds, requireRow, rowsWhere, type StripeList } from '../account/store.js';
import type { Context } from '../account/types.js';
import { type PriceMembers, type ProductMembers, savePrice, saveProduct } from './catalog.js';

interface NewProduct extends ProductMembers {
  readonly default_price_data?: PriceMembers;
  readonly expand?: readonly string[];
}

export function createProduct({ default_price_data, expand, ...members }: NewProduct, context: Context): JsonValue {
  requireCurrency(context, default_price_data?.currency, 'default_price_data[currency]');
  const product = saveProduct(context, members);
  if (default_price_data === undefined) return expanded(context, product, expand);
  const { id } = savePrice(context, product, default_price_data);
  const priced = { ...product, default_price: id };
  context.state.put('products', product.id, priced);
  recordEvent(context, 'product.updated', priced, product);
  return expanded(context, priced, expand);
}

export function retrieveProduct(input: { readonly id: string; readonly expand?: readonly string[] }, context: Context): JsonValue {
  return expanded(context, requireRow(context, 'products', input.id), input.expand);
}

interface ProductUpdate extends Partial<Omit<ProductMembers, 'id'>> {
  readonly id: string;
  readonly default_price?: string;
  readonly expand?: readonly string[];
}

/** An empty text takes a member away. */
export function updateProduct({ id, expand, metadata, default_price, ...given }: ProductUpdate, context: Context): JsonValue {
  const before = requireRow(context, 'products', id);
  if (default_price !== undefined && default_price !== '') {
    const price = requireRow(context, 'prices', default_price, 'default_price');
    if (price.product !== id || !price.active)
      refuse(context, 'INVALID_REQUEST', `The price ${price.id} is no active price of the product ${id}.`, { param: 'default_price' });
  }
  const members = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value === '' ? null : value]));
  const product = {
    ...before,
    ...members,
    ...(default_price === undefined ? {} : { default_price: default_price === '' ? null : default_price }),
    metadata: mergeMetadata(context, before.metadata, metadata),
    updated: nowSeconds(context),
  };
  context.state.put('products', id, product);
  recordEvent(context, 'product.updated', product, before);
  return expanded(context, product, expand);
}

export function deleteProduct(input: { readonly id: string }, context: Context): JsonValue {
  const product = requireRow(context, 'products', input.id);
  if (rowsWhere(context, 'prices', (price) => price.product === product.id).length > 0)
    refuse(context, 'INVALID_REQUEST', 'This product cannot be deleted because it has one or more user-created prices.', { param: 'id' });
  context.state.delete('products', product.id);
  recordEvent(context, 'product.deleted', product);
  return { id: product.id, object: 'product', deleted: true };
}

interface ProductFilter extends ListInput {
  readonly active?: boolean;
  readonly ids?: readonly string[];
  readonly shippable?: boolean;
  readonly url?: string;
}
export function listProducts(input: ProductFilter, context: Context): StripeList {
  const { active, ids, shippable, url } = input;
  return listRows(
    context,
    'products',
    input,
    (product) =>
      (active === undefined || product.active === active) &&
      (ids === undefined || ids.includes(product.id)) &&
      (shippable === undefined || (product.shippable ?? false) === shippable) &&
      (url === undefined || product.url === url),
  );
}
