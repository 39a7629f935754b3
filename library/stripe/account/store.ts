// Reading and writing rows: ids that count up, one that must exist, pages newest first, members expanded from ids.
import type { Frozen, JsonValue } from 'drillyard/tool-sdk';
import { refuse } from './errors.js';
import type { DeletedCustomer, Metadata } from './model.js';
import type { Context, Namespace, Rows } from './types.js';

const scanPageRows = 1000;
const defaultPageRows = 10;
const idDigits = 6;
const metadataKeysMax = 50;

const prefixes: { readonly [N in Namespace]: string } = {
  customers: 'cus',
  payment_methods: 'pm',
  payment_intents: 'pi',
  charges: 'ch',
  refunds: 're',
  balance_transactions: 'txn',
  events: 'evt',
  disputes: 'du',
  payouts: 'po',
  setup_intents: 'seti',
  products: 'prod',
  prices: 'price',
  invoice_items: 'ii',
  invoices: 'in',
  invoice_lines: 'il',
  invoice_payments: 'inpay',
  subscriptions: 'sub',
};
/** How Stripe calls one of these in an error. */
const nouns: { readonly [N in Namespace]: string } = {
  customers: 'customer',
  payment_methods: 'PaymentMethod',
  payment_intents: 'payment_intent',
  charges: 'charge',
  refunds: 'refund',
  balance_transactions: 'balance transaction',
  events: 'event',
  disputes: 'dispute',
  payouts: 'payout',
  setup_intents: 'setupintent',
  products: 'product',
  prices: 'price',
  invoice_items: 'invoiceitem',
  invoices: 'invoice',
  invoice_lines: 'invoice line item',
  invoice_payments: 'invoice payment',
  subscriptions: 'subscription',
};
/** Where a list lies, if not below the name of its namespace. */
const listPaths: { readonly [N in Namespace]?: string } = { invoice_items: 'invoiceitems' };
const namespaceByPrefix = new Map(Object.entries(prefixes).map(([namespace, prefix]) => [prefix, namespace as Namespace]));

/** Seconds of virtual time, as Stripe counts. */
export function nowSeconds(context: Context): number {
  return Math.floor(context.clock.nowUs() / 1_000_000);
}

/** The row, or the call ends with `resource_missing`. Without `param` the id stood in the path. */
export function requireRow<N extends Namespace>(context: Context, namespace: N, id: string, param?: string): Frozen<Rows[N]> {
  return (
    findRow(context, namespace, id) ??
    refuse(context, 'RESOURCE_MISSING', `No such ${nouns[namespace]}: '${id}'`, { param: param ?? 'id', in_path: param === undefined })
  );
}

const longestId = 512;

/** The row, if there is an id and a row of it: what is longer than any id of a row has none. */
export function findRow<N extends Namespace>(context: Context, namespace: N, id: string | null | undefined): Frozen<Rows[N]> | undefined {
  return id === null || id === undefined || id === '' || id.length > longestId ? undefined : context.state.get(namespace, id);
}

export function rowsWhere<N extends Namespace>(
  context: Context,
  namespace: N,
  matches: (row: Frozen<Rows[N]>) => boolean,
): Frozen<Rows[N]>[] {
  const found: Frozen<Rows[N]>[] = [];
  let afterRowId: string | undefined;
  do {
    const page = context.state.scan(namespace, { limit: scanPageRows, ...(afterRowId === undefined ? {} : { afterRowId }) });
    for (const { value } of page) if (matches(value)) found.push(value);
    afterRowId = page.length === scanPageRows ? page.at(-1)?.rowId : undefined;
  } while (afterRowId !== undefined);
  return found;
}

/** What is left of an object that was deleted and can still be read. */
export function findDeleted(context: Context, namespace: Namespace, id: string): Frozen<DeletedCustomer> | undefined {
  return namespace === 'customers' && id.length <= longestId ? context.state.get('deleted_customers', id) : undefined;
}

/** The id for a new row. A world may bring rows of its own, so a number that is taken is passed over. */
export function nextId(context: Context, namespace: Namespace): string {
  let number = context.state.get('counters', namespace)?.next ?? 1;
  const idOf = (): string => `${prefixes[namespace]}_${String(number).padStart(idDigits, '0')}`;
  while (context.state.get(namespace, idOf()) !== undefined || findDeleted(context, namespace, idOf()) !== undefined) number += 1;
  context.state.put('counters', namespace, { next: number + 1 });
  return idOf();
}

export interface CreatedFilter {
  readonly gt?: number;
  readonly gte?: number;
  readonly lt?: number;
  readonly lte?: number;
}
export interface ListInput {
  readonly limit?: number;
  readonly starting_after?: string;
  readonly ending_before?: string;
  readonly created?: number | CreatedFilter;
  readonly expand?: readonly string[];
}
export interface StripeList {
  object: 'list';
  url: string;
  has_more: boolean;
  data: readonly JsonValue[];
}

/** One page of the rows that match, newest first, as Stripe pages: after one id, or before one. */
export function listRows<N extends Namespace>(
  context: Context,
  namespace: N,
  input: ListInput,
  matches: (row: Frozen<Rows[N]>) => boolean = () => true,
): StripeList {
  const rows = rowsWhere(context, namespace, (row) => matches(row) && wasCreated(row, input.created));
  return pageOf(context, rows, input, { namespace, url: `/v1/${listPaths[namespace] ?? namespace}`, compare: newestFirst });
}

interface PagedBy {
  readonly namespace: Namespace;
  readonly url: string;
  readonly compare: (a: Dated, b: Dated) => number;
}
export function pageOf(
  context: Context,
  rows: readonly Dated[],
  { limit = defaultPageRows, starting_after: after, ending_before: before, expand }: ListInput,
  { namespace, url, compare }: PagedBy,
): StripeList {
  const start = after === undefined ? undefined : requireRow(context, namespace, after, 'starting_after');
  const end = before === undefined ? undefined : requireRow(context, namespace, before, 'ending_before');
  const window = [...rows]
    .sort(compare)
    .filter((row) => (start === undefined || compare(row, start) > 0) && (end === undefined || compare(row, end) < 0));
  // Before an id, the page is the one next to it.
  const page = end !== undefined && start === undefined ? window.slice(-limit) : window.slice(0, limit);
  const data = page.map((row) => expanded(context, row, pathsOfItems(expand)));
  return { object: 'list', url, has_more: window.length > limit, data };
}

function pathsOfItems(paths: readonly string[] = []): readonly string[] {
  return paths.filter((path) => path.startsWith('data.')).map((path) => path.slice('data.'.length));
}

/** What a page is sorted by. An invoice item calls it by another name, and a line was made with its invoice. */
type Dated = { readonly id: string; readonly created?: number; readonly date?: number };
const createdOf = ({ created, date }: Dated): number => created ?? date ?? 0;

function wasCreated(row: Dated, filter: ListInput['created']): boolean {
  if (filter === undefined) return true;
  const created = createdOf(row);
  if (typeof filter === 'number') return created === filter;
  const { gt = -Infinity, gte = -Infinity, lt = Infinity, lte = Infinity } = filter;
  return created > gt && created >= gte && created < lt && created <= lte;
}

/** Below 0 when `a` is the newer one. Within one second the higher id is newer. */
function newestFirst(a: Dated, b: Dated): number {
  if (createdOf(a) !== createdOf(b)) return createdOf(b) - createdOf(a);
  if (a.id.length !== b.id.length) return b.id.length - a.id.length;
  return a.id < b.id ? 1 : a.id > b.id ? -1 : 0;
}

/** The object with the members of these paths replaced by what their ids name. What is no id stays as it is. */
export function expanded(context: Context, value: unknown, paths: readonly string[] = []): JsonValue {
  return paths.reduce<unknown>((so, path) => expandedAt(context, so, path.split('.')), value) as JsonValue;
}

function expandedAt(context: Context, value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined || value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => expandedAt(context, item, [name, ...rest]));
  const member = (value as { [name: string]: unknown })[name] ?? includable(context, value, name);
  if (member === undefined || member === null) return value;
  const found = typeof member === 'string' ? (rowOf(context, name, member) ?? member) : member;
  return { ...value, [name]: expandedAt(context, found, rest) };
}

/** A product's id may be the caller's own, which no prefix tells. */
function rowOf(context: Context, name: string, id: string): unknown {
  const namespace = name === 'product' ? 'products' : namespaceByPrefix.get(id.slice(0, id.indexOf('_')));
  return namespace === undefined ? undefined : (context.state.get(namespace, id) ?? findDeleted(context, namespace, id));
}

/** Members of an invoice that it has only where they are asked for. */
function includable(context: Context, value: object, name: string): unknown {
  const { object, id = '' } = value as { readonly object?: string; readonly id?: string };
  if (object !== 'invoice' || (name !== 'payments' && name !== 'confirmation_secret')) return undefined;
  const payments = rowsWhere(context, 'invoice_payments', ({ invoice }) => invoice === id);
  if (name === 'payments') return { object: 'list', data: payments, has_more: false, url: `/v1/invoice_payments?invoice=${id}` };
  const intent = findRow(context, 'payment_intents', payments.find(({ is_default }) => is_default)?.payment.payment_intent);
  return intent === undefined ? null : { client_secret: intent.client_secret, type: 'payment_intent' };
}

export const oldestFirst = (a: Dated, b: Dated): number => newestFirst(b, a);

/** Metadata after an update: an empty text takes a name away, an empty text instead of all takes every name. */
export function mergeMetadata(context: Context, old: Frozen<Metadata>, given: MetadataInput | undefined): Metadata {
  if (given === '') return {};
  const merged = Object.entries({ ...old, ...given }).filter(([, value]) => value !== '');
  if (merged.length > metadataKeysMax)
    refuse(context, 'INVALID_REQUEST', `You can have up to ${metadataKeysMax} keys in metadata.`, { param: 'metadata' });
  return Object.fromEntries(merged);
}
export type MetadataInput = '' | { readonly [name: string]: string };
