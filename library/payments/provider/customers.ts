// Customers.
import type { Context, Customer } from './model.js';
import { newestFirst, nextId, type Page, type PageInput, requireRow } from './rows.js';

interface NewCustomer {
  readonly name: string;
  readonly email: string;
  readonly metadata?: Customer['metadata'];
}

export function createCustomer({ name, email, metadata = {} }: NewCustomer, context: Context): Customer {
  const customer = { id: nextId(context, 'customers'), name, email, metadata, createdAtUs: context.clock.nowUs() };
  context.state.put('customers', customer.id, customer);
  context.events.emit('customer.created', { customerId: customer.id });
  return customer;
}

export function getCustomer(input: { readonly customerId: string }, context: Context): Customer {
  return requireCustomer(context, input.customerId);
}

export function listCustomers(input: PageInput & { readonly email?: string }, context: Context): Page<Customer> {
  const email = input.email?.toLowerCase();
  const matches = (customer: Customer): boolean => email === undefined || customer.email.toLowerCase() === email;
  return newestFirst(context, 'customers', input, { matches, code: 'CUSTOMER_NOT_FOUND' });
}

export function requireCustomer(context: Context, customerId: string): Customer {
  return requireRow(context, 'customers', customerId, 'CUSTOMER_NOT_FOUND');
}
