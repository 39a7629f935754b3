// Reading rows: one that must exist, all that match, pages of them newest first, and the next id of a kind.
import type { Frozen } from 'drillyard/tool-sdk';
import type { Charge, Context, PaymentTypes } from './model.js';

type Rows = PaymentTypes['state'];
type Namespace = keyof Rows;
type Numbered = Exclude<Namespace, 'balances' | 'counters'>;

const scanPageRows = 1000;
const defaultPageSize = 10;
const idPrefixes: { readonly [N in Numbered]: string } = {
  customers: 'cus',
  charges: 'ch',
  captures: 'cap',
  refunds: 're',
  payouts: 'po',
  ledger: 'led',
};

/** The row, or the call ends with `code`. */
export function requireRow<N extends Namespace>(context: Context, namespace: N, rowId: string, code: string): Frozen<Rows[N]> {
  return context.state.get(namespace, rowId) ?? context.fail({ code, message: `There is no ${rowId}.` });
}

export function requireCharge(context: Context, chargeId: string): Charge {
  return requireRow(context, 'charges', chargeId, 'CHARGE_NOT_FOUND');
}

/** The rows that match, in the order of ids. */
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

export interface PageInput {
  readonly limit?: number;
  readonly startingAfter?: string;
}
export interface Page<Item> {
  items: readonly Item[];
  hasMore: boolean;
}

/** The rows that match, newest first, after the row `startingAfter`, which must exist (else `code`) but need not match. */
export function newestFirst<N extends Numbered>(
  context: Context,
  namespace: N,
  { limit = defaultPageSize, startingAfter }: PageInput,
  { matches, code }: { matches: (row: Frozen<Rows[N]>) => boolean; code: string },
): Page<Frozen<Rows[N]>> {
  const start = startingAfter === undefined ? undefined : requireRow(context, namespace, startingAfter, code);
  const rows = rowsWhere(context, namespace, (row) => matches(row) && (start === undefined || age(row, start) > 0)).sort(age);
  return { items: rows.slice(0, limit), hasMore: rows.length > limit };
}

/** The id for a new row. A scenario may bring rows of its own, so a number that is taken is passed over. */
export function nextId(context: Context, namespace: Numbered): string {
  let number = context.state.get('counters', namespace)?.next ?? 1;
  const idOf = (): string => `${idPrefixes[namespace]}_${String(number).padStart(6, '0')}`;
  while (context.state.get(namespace, idOf()) !== undefined) number += 1;
  context.state.put('counters', namespace, { next: number + 1 });
  return idOf();
}

interface Aged {
  readonly id: string;
  readonly createdAtUs: number;
}
/** Below 0 when `a` is the newer one. Within one moment the higher id is newer. */
function age(a: Aged, b: Aged): number {
  if (a.createdAtUs !== b.createdAtUs) return b.createdAtUs - a.createdAtUs;
  if (a.id.length !== b.id.length) return b.id.length - a.id.length;
  return a.id < b.id ? 1 : a.id > b.id ? -1 : 0;
}
