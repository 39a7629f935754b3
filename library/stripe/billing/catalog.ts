// How products and prices are kept: each may be made with the other in one request.
import { refuse } from '../account/errors.js';
import { recordEvent } from '../account/events.js';
import { findRow, type MetadataInput, mergeMetadata, nextId, nowSeconds, requireRow, rowsWhere } from '../account/store.js';
import type { Context, Price, Product } from '../account/types.js';
import type { BillingInterval } from './periods.js';

export interface ProductMembers {
  readonly id?: string;
  readonly name: string;
  readonly active?: boolean;
  readonly description?: string;
  readonly images?: readonly string[];
  readonly marketing_features?: readonly { readonly name: string }[];
  readonly metadata?: MetadataInput;
  readonly shippable?: boolean;
  readonly statement_descriptor?: string;
  readonly unit_label?: string;
  readonly url?: string;
}
export interface PriceMembers {
  readonly currency: string;
  readonly unit_amount: number;
  readonly active?: boolean;
  readonly lookup_key?: string;
  readonly metadata?: MetadataInput;
  readonly nickname?: string;
  readonly recurring?: Partial<BillingInterval> & Pick<BillingInterval, 'interval'>;
  readonly tax_behavior?: string;
  readonly transfer_lookup_key?: boolean;
}

export function saveProduct(context: Context, given: ProductMembers): Product {
  const id = given.id ?? nextId(context, 'products');
  if (context.state.get('products', id) !== undefined)
    refuse(context, 'RESOURCE_ALREADY_EXISTS', `Product already exists: ${id}`, { param: 'id' });
  const { active = true, description = null, images = [], marketing_features = [], shippable = null, url = null } = given;
  const { statement_descriptor = null, unit_label = null, name } = given;
  const created = nowSeconds(context);
  const product = {
    id,
    object: 'product',
    ...{ active, created, default_price: null, description, images, livemode: false, marketing_features },
    metadata: mergeMetadata(context, {}, given.metadata),
    ...{ name, package_dimensions: null, shippable, statement_descriptor, tax_code: null, tax_details: null, type: 'service' },
    ...{ unit_label, updated: created, url },
  };
  context.state.put('products', id, product);
  recordEvent(context, 'product.created', product);
  return product;
}

export function savePrice(context: Context, product: Product, given: PriceMembers): Price {
  const { active = true, currency, lookup_key, nickname = null, recurring, tax_behavior = 'unspecified', unit_amount } = given;
  if (lookup_key !== undefined) freeLookupKey(context, lookup_key, given.transfer_lookup_key === true);
  const { interval, interval_count = 1 } = recurring ?? {};
  const price: Price = {
    id: nextId(context, 'prices'),
    object: 'price',
    ...{ active, billing_scheme: 'per_unit', created: nowSeconds(context), currency, custom_unit_amount: null, livemode: false },
    lookup_key: lookup_key ?? null,
    metadata: mergeMetadata(context, {}, given.metadata),
    ...{ nickname, product: product.id },
    recurring: interval === undefined ? null : { interval, interval_count, meter: null, trial_period_days: null, usage_type: 'licensed' },
    ...{ tax_behavior, tiers_mode: null, transform_quantity: null, type: interval === undefined ? 'one_time' : 'recurring' },
    ...{ unit_amount, unit_amount_decimal: String(unit_amount) },
  };
  context.state.put('prices', price.id, price);
  recordEvent(context, 'price.created', price);
  return price;
}

/** A key names one active price at a time; another can only take it over. */
export function freeLookupKey(context: Context, key: string, takesOver: boolean, except?: string): void {
  const [holder] = rowsWhere(context, 'prices', (price) => price.lookup_key === key && price.id !== except);
  if (holder === undefined) return;
  if (!takesOver)
    refuse(context, 'RESOURCE_ALREADY_EXISTS', `A price (\`${holder.id}\`) already uses that lookup key.`, { param: 'lookup_key' });
  const freed = { ...holder, lookup_key: null };
  context.state.put('prices', holder.id, freed);
  recordEvent(context, 'price.updated', freed, holder);
}

/** A price that something new can be billed by. */
export function usablePrice(context: Context, id: string, param: string): { price: Price; product: Product } {
  const price = requireRow(context, 'prices', id, param);
  const product = findRow(context, 'products', price.product);
  if (!price.active)
    refuse(context, 'INVALID_REQUEST', 'The price specified is inactive. This field only accepts active prices.', { param });
  if (product?.active !== true)
    return refuse(context, 'INVALID_REQUEST', `The product \`${price.product}\` of the price is not active.`, { param });
  return { price, product };
}
