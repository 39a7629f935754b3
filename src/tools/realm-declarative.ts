// The behavior of a declarative tool: generic handlers over its namespaces. Evaluated inside the realm, over the same context as
// everybody's. Which operations exist, and what they take and give, says tools/declarative.ts.
import { limits } from '../contract/limits.js';
import type { JsonValue, ToolContext } from './sdk.js';
import { tuning } from './tuning.js';

type Row = { readonly [name: string]: JsonValue };
type Handler = (input: never, context: ToolContext) => unknown;

export function declarativeBehavior(namespaces: readonly string[]): { [operationId: string]: Handler } {
  const operations: { [operationId: string]: Handler } = {};
  for (const namespace of namespaces) {
    for (const [verb, handler] of Object.entries(rowHandlers(namespace))) operations[`${namespace}.${verb}`] = handler;
  }
  return operations;
}

function rowHandlers(namespace: string): { [verb: string]: Handler } {
  const existing = (context: ToolContext, id: string): Row => {
    const row = context.state.get(namespace, id) as Row | undefined;
    return row ?? context.fail({ code: 'NOT_FOUND', message: `${namespace} has no '${id}'` });
  };
  return {
    create({ id: wanted, value }: { id?: string; value: Row }, context) {
      const id = wanted ?? `${namespace}-${context.random.nextU64().toString(16).padStart(16, '0')}`;
      if (context.state.get(namespace, id) !== undefined)
        context.fail({ code: 'ALREADY_EXISTS', message: `${namespace} has '${id}' already` });
      context.state.put(namespace, id, value);
      return { id, value };
    },
    get({ id }: { id: string }, context) {
      return { id, value: existing(context, id) };
    },
    list: (input: ListInput, context) => listRows(namespace, input, context),
    update({ id, value }: { id: string; value: Row }, context) {
      const merged = { ...existing(context, id), ...value };
      try {
        context.state.put(namespace, id, merged);
      } catch (error) {
        context.fail({ code: 'INVALID_VALUE', message: (error as Error).message });
      }
      return { id, value: merged };
    },
    delete({ id }: { id: string }, context) {
      existing(context, id);
      context.state.delete(namespace, id);
      return { id };
    },
  };
}

interface ListInput {
  filter?: Row;
  limit?: number;
  cursor?: string;
}

/**
 * Rows whose members equal those of `filter`, in order of id. The cursor is the last id seen, so a page is right whatever changed before
 * it.
 */
function listRows(
  namespace: string,
  { filter = {}, limit = limits.declarativePageRowsDefault, cursor }: ListInput,
  context: ToolContext,
): unknown {
  const items: { id: string; value: Row }[] = [];
  const wanted = Object.entries(filter).map(([name, value]) => [name, JSON.stringify(value)] as const);
  let after = cursor;
  for (;;) {
    const rows = context.state.scan(
      namespace,
      after === undefined ? { limit: tuning.declarativeScanRows } : { afterRowId: after, limit: tuning.declarativeScanRows },
    );
    for (const { rowId, value } of rows as readonly { rowId: string; value: Row }[]) {
      if (!wanted.every(([name, text]) => Object.hasOwn(value, name) && JSON.stringify(value[name]) === text)) continue;
      if (items.length === limit) return { items, nextCursor: items[items.length - 1]?.id };
      items.push({ id: rowId, value });
    }
    if (rows.length < tuning.declarativeScanRows) return { items };
    after = rows[rows.length - 1]?.rowId;
  }
}
