// Customers: who pays. Of a deleted customer there is left that it was deleted; its payment methods are detached, and its subscriptions end.
import type { JsonValue } from 'drillyard/tool-sdk';
import { endSubscription, hasEnded } from '../billing/subscription-status.js';
import { refuse } from './errors.js';
import { recordEvent } from './events.js';
import type { DeletedCustomer } from './model.js';
import {
  expanded,
  findDeleted,
  type ListInput,
  listRows,
  type MetadataInput,
  mergeMetadata,
  nextId,
  nowSeconds,
  requireRow,
  rowsWhere,
  type StripeList,
} from './store.js';
import type { Context, Customer } from './types.js';

interface CustomerInput {
  readonly name?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly description?: string;
  readonly address?: JsonValue;
  readonly shipping?: JsonValue;
  readonly metadata?: MetadataInput;
  readonly payment_method?: string;
  readonly invoice_settings?: { readonly default_payment_method?: string };
  readonly expand?: readonly string[];
}

const blankCustomer = {
  object: 'customer',
  address: null,
  balance: 0,
  currency: null,
  default_source: null,
  delinquent: false,
  description: null,
  discount: null,
  email: null,
  invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
  livemode: false,
  metadata: {},
  name: null,
  next_invoice_sequence: 1,
  phone: null,
  preferred_locales: [],
  shipping: null,
  tax_exempt: 'none',
  test_clock: null,
} as const;

const blankAddress = { city: null, country: null, line1: null, line2: null, postal_code: null, state: null };

export function createCustomer(input: CustomerInput, context: Context): JsonValue {
  const id = nextId(context, 'customers');
  const invoice_prefix = id.replace(/[^0-9A-Za-z]/g, '').toUpperCase();
  const blank: Customer = { id, ...blankCustomer, created: nowSeconds(context), ...{ invoice_prefix } };
  const customer = changed(context, blank, input);
  context.state.put('customers', id, customer);
  recordEvent(context, 'customer.created', customer);
  return expanded(context, customer, input.expand);
}

export function retrieveCustomer(input: { readonly customer: string; readonly expand?: readonly string[] }, context: Context): JsonValue {
  const deleted = findDeleted(context, 'customers', input.customer);
  return deleted ?? expanded(context, requireRow(context, 'customers', input.customer), input.expand);
}

export function updateCustomer({ customer: id, ...input }: CustomerInput & { readonly customer: string }, context: Context): JsonValue {
  const before = requireRow(context, 'customers', id);
  const customer = changed(context, before, input);
  context.state.put('customers', id, customer);
  recordEvent(context, 'customer.updated', customer, before);
  return expanded(context, customer, input.expand);
}

export function deleteCustomer(input: { readonly customer: string }, context: Context): JsonValue {
  const customer = requireRow(context, 'customers', input.customer);
  for (const method of rowsWhere(context, 'payment_methods', (row) => row.customer === customer.id))
    context.state.put('payment_methods', method.id, { ...method, customer: null });
  for (const subscription of rowsWhere(context, 'subscriptions', (row) => row.customer === customer.id && !hasEnded(row)))
    endSubscription(context, subscription, { status: 'canceled', reason: 'cancellation_requested' });
  context.state.delete('customers', customer.id);
  const deleted: DeletedCustomer = { id: customer.id, object: 'customer', deleted: true };
  context.state.put('deleted_customers', customer.id, deleted);
  recordEvent(context, 'customer.deleted', customer);
  return { ...deleted };
}

export function listCustomers(input: ListInput & { readonly email?: string }, context: Context): StripeList {
  return listRows(context, 'customers', input, ({ email }) => input.email === undefined || email === input.email);
}

/** An empty text takes a member away. */
function changed(
  context: Context,
  customer: Customer,
  { expand: _, metadata, invoice_settings, payment_method, ...given }: CustomerInput,
): Customer {
  const { address } = given;
  const members = {
    ...Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value === '' ? null : value])),
    ...(address === undefined ? {} : { address: { ...blankAddress, ...(address as object) } }),
  };
  if (payment_method !== undefined) adoptPaymentMethod(context, customer, payment_method);
  const chosen = invoice_settings?.default_payment_method;
  if (chosen !== undefined && chosen !== '') {
    const method = requireRow(context, 'payment_methods', chosen, 'invoice_settings[default_payment_method]');
    if (method.customer !== customer.id)
      refuse(context, 'RESOURCE_MISSING', `No such PaymentMethod: '${chosen}'; it is not attached to the customer`, {
        param: 'invoice_settings[default_payment_method]',
      });
  }
  const default_payment_method = chosen === undefined ? customer.invoice_settings.default_payment_method : chosen === '' ? null : chosen;
  return {
    ...customer,
    ...members,
    metadata: mergeMetadata(context, customer.metadata, metadata),
    invoice_settings: { ...customer.invoice_settings, default_payment_method },
  };
}

function adoptPaymentMethod(context: Context, customer: Customer, id: string): void {
  const method = requireRow(context, 'payment_methods', id, 'payment_method');
  context.state.put('payment_methods', id, { ...method, customer: customer.id });
}
