// Every operation that the client has a method for, found by asking each method for its request; and which of them are here.

import type { VendorOperation } from 'drillyard/compat';
import Stripe from 'stripe';

const reads = ['retrieve', 'list'];
/** By resource, as the client calls them. */
export const covered: { readonly [resource: string]: readonly string[] } = {
  balance: ['retrieve'],
  balanceTransactions: reads,
  charges: reads,
  customers: ['create', ...reads, 'update', 'del'],
  disputes: [...reads, 'update', 'close'],
  events: reads,
  invoiceItems: ['create', ...reads, 'update', 'del'],
  invoicePayments: reads,
  invoices: ['create', ...reads, 'update', 'del', 'pay', 'createPreview', 'listLineItems', 'markUncollectible'].concat([
    'finalizeInvoice',
    'sendInvoice',
    'voidInvoice',
  ]),
  paymentIntents: ['create', ...reads, 'update', 'confirm', 'capture', 'cancel'],
  paymentMethods: ['create', ...reads, 'update', 'attach', 'detach'],
  payouts: ['create', ...reads, 'cancel'],
  prices: ['create', ...reads, 'update'],
  products: ['create', ...reads, 'update', 'del'],
  refunds: ['create', ...reads, 'update', 'cancel'],
  setupIntents: ['create', ...reads, 'update', 'confirm', 'cancel'],
  subscriptions: ['create', ...reads, 'update', 'cancel'],
};

type Requested = Pick<VendorOperation, 'method' | 'path'>;
type Resource = { _makeRequest(method: string, path: string): unknown } & { [method: string]: (...args: string[]) => unknown };
const isResource = (value: object): value is Resource => typeof (value as Partial<Resource>)._makeRequest === 'function';

/** The request of a method; nothing is sent. Undefined for a method that makes none. */
function requestOf(resource: Resource, name: string): Requested | undefined {
  let found: Requested | undefined;
  const recorder = Object.create(resource, {
    _makeRequest: { value: (method: string, path: string) => (found = { method, path: decodeURI(path) }) },
  }) as Resource;
  const method = recorder[name] as (...args: string[]) => unknown;
  // Its last two parameters are what it sends and options; those before them are ids in the path.
  const ids = Array.from({ length: Math.max(method.length - 2, 0) }, (_, index) => `{id${index + 1}}`);
  try {
    method.apply(recorder, ids);
  } catch {
    // It works on something else than a request.
  }
  return found;
}

function operationsOf(value: object, path: readonly string[] = []): VendorOperation[] {
  const groups = Object.entries(value).filter(
    ([name, member]) => /^[a-z]/.test(name) && name !== 'stripe' && typeof member === 'object' && member !== null,
  );
  return groups.flatMap(([name, member]) => {
    const own = isResource(member) ? Object.getOwnPropertyNames(Object.getPrototypeOf(member)) : [];
    const methods = own.flatMap((method) => {
      const request = method === 'constructor' ? undefined : requestOf(member, method);
      return request === undefined ? [] : [{ id: [...path, name, method].join('.'), ...request }];
    });
    return [...methods, ...operationsOf(member, [...path, name])];
  });
}

/** One for each request: some methods have another name beside it. */
export const operations: readonly VendorOperation[] = operationsOf(new Stripe('sk_test_nobody')).filter(
  ({ method, path }, index, all) => all.findIndex((other) => other.method === method && other.path === path) === index,
);

const isCovered = ({ id }: VendorOperation): boolean => {
  const [resource = '', method = '', ...more] = id.split('.');
  return more.length === 0 && covered[resource]?.includes(method) === true;
};

const reasons: readonly (readonly [begin: RegExp, reason: string])[] = [
  [/[.]search$/, 'the search language'],
  [/^(?:accounts|accountLinks|accountSessions|applicationFees|transfers|topups|apps|externalAccounts|countrySpecs)[.]/, 'several accounts'],
  [/^(?:issuing|treasury|terminal|climate|identity|financialConnections|forwarding|crypto|capital)[.]/, 'another product'],
  [/^(?:tax|taxCodes|taxIds|taxRates)[.]/, 'taxes'],
  [/^(?:coupons|promotionCodes|creditNotes|quotes|subscriptionSchedules|billing|plans)[.]/, 'billing beyond subscriptions and invoices'],
  [/^(?:checkout|paymentLinks|billingPortal|shippingRates)[.]/, 'pages that Stripe hosts'],
  [/^(?:reporting|sigma)[.]/, 'reports'],
  [/^radar[.]/, 'Radar'],
  [/^testHelpers[.]/, 'the world has a clock of its own'],
  [/^v2[.]/, 'the second API'],
  [/^(?:webhookEndpoints|ephemeralKeys)[.]/, 'set by the world'],
];
export const unsupported: Readonly<Record<string, string>> = Object.fromEntries(
  operations
    .filter((operation) => !isCovered(operation))
    .map(({ id }) => [id, reasons.find(([begin]) => begin.test(id))?.[1] ?? 'not modelled yet']),
);
