// The rows of a route table as routes of the router: the one way from a declared route to one that answers.
//   TABLE-ROUTES-1. In this order: path and query are read and checked; the work begins, and may refuse; the body is read and checked; the
//     work continues.
import { defined } from '../contract/defined.js';
import type { JsonValue } from '../contract/json.js';
import type { RouteRule, RouteTable } from '../contract/route-table.js';
import type { RouteContract, RouteValidators } from '../contract/validate/route-validators.js';
import { type RequestValues, valuesReader } from './request-values.js';
import { requireValid } from './require-valid.js';
import type { BodyRule, CallStart, Route, RouteReply } from './router.js';

/** A table and what its routes take and return. */
export interface RouteApi<Id extends string, Rule extends RouteRule = RouteRule> {
  table: RouteTable<Id, Rule>;
  contract: RouteContract<Id>;
}
/** What is known before the body is read: checked values of path and query. */
export type RowCall<Caller> = Omit<CallStart<Caller>, 'path'> & RequestValues;
/** What is done with a call; what it yields is called with the checked body, undefined where there is none. */
export type RowWork<Caller> = (call: RowCall<Caller>) => (body: unknown) => Promise<RouteReply> | RouteReply;

/** Whose requests a route takes. */
export type RowAccess<Caller> =
  | { auth: 'none' }
  /** Without `authenticate` it is the router's. */
  | { auth: 'bearer'; authenticate?(token: string): Caller | Promise<Caller> };

export interface TableWork<Id extends string, Rule extends RouteRule, Caller> {
  accessOf(rule: Rule): RowAccess<Caller>;
  workOf(id: Id, rule: Rule): RowWork<Caller>;
  /** Figures and logs know the routes by their ids. Default true; else by method and path. */
  isNamedById?: boolean;
}

export function tableRoutes<Id extends string, Rule extends RouteRule, Caller>(
  { table, contract }: RouteApi<Id, Rule>,
  { accessOf, workOf, isNamedById = true }: TableWork<Id, Rule, Caller>,
): Route<Caller>[] {
  return (Object.keys(table) as Id[]).map((id) => {
    const rule = table[id];
    const body = bodyRuleOf({ table, contract }, id);
    const { method, path, readsBody, hasLargeReply } = rule;
    const row = {
      method,
      path,
      ...(isNamedById ? { id } : {}),
      ...(body === undefined ? {} : { body }),
      ...(readsBody === true ? { readsBody } : {}),
      ...(hasLargeReply === true ? { hasLargeReply } : {}),
    };
    const begin = beginOf(workOf(id, rule), { check: contract.validators[id].body, readValues: valuesReader(contract, id, rule) });
    const access = accessOf(rule);
    if (access.auth === 'bearer') return { ...row, ...access, begin };
    // A caller that is not known is none to the work either.
    return { ...row, auth: 'none', run: (call) => begin(call as unknown as CallStart<Caller>)(call.body) };
  });
}

function beginOf<Caller>(
  work: RowWork<Caller>,
  { check, readValues }: { check: RouteValidators['body']; readValues: ReturnType<typeof valuesReader> },
): (call: CallStart<Caller>) => (sent: JsonValue | Uint8Array | undefined) => Promise<RouteReply> | RouteReply {
  return ({ request, caller, path, correlationId }) => {
    const values = readValues(path, request.query);
    const rest = work({ request, caller, correlationId, path: values.path, query: values.query });
    if (check === undefined) return () => rest(undefined);
    if (check === 'bytes') return rest;
    return (sent) => rest(requireValid(check(sent === undefined ? {} : sent)));
  };
}

/** What the body of a route may be; undefined where one is not even read. Also what the documentation shows. */
export function bodyRuleOf<Id extends string>({ table, contract }: RouteApi<Id>, id: Id): BodyRule | undefined {
  const { bodyBytesMax: bytesMax, bodyLevelsMax: levelsMax, isBodyOptional } = table[id];
  const { body } = contract.validators[id];
  if (body === undefined) return undefined;
  const size = defined({ bytesMax, levelsMax });
  if (body === 'bytes') return { kind: 'bytes', ...size };
  // A change that needs no words may come without a body, or with an empty object.
  const { type, properties = {} } = contract.shapes[body.shape] ?? {};
  const optional = isBodyOptional ?? (type === 'object' && Object.keys(properties).length === 0);
  return optional ? { optional, ...size } : size;
}

/** As the row says it is: JSON, or of its media type and to be saved. */
export function rowReply({ success, media }: RouteRule, body: unknown): RouteReply {
  if (media === undefined) return { status: success, body };
  return { status: success, body, headers: { 'content-type': media, 'content-disposition': 'attachment' } };
}
