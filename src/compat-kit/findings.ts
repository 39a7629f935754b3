// What is wrong with a package's claim to be like its vendor, from what was recorded.
//   FINDINGS-1. A route counts as driven by a client that got an answer from it that is no error; conformance drills drive none.
//   FINDINGS-2. Each operation of the vendor is ours or unsupported with a reason, and none is both.
import type { ToolHttpRoute } from '../contract/world/tool-manifest.js';
import { compareTexts } from '../text/compare-texts.js';
import { counted } from '../text/counted.js';
import type { CompatDefinition, VendorOperation } from './definition.js';
import { type ExchangeSource, type SourcedExchange, shownOf } from './exchanges.js';
import type { VendorTable } from './vendor-operations.js';

export type VerifyFindingKind =
  | 'conformance_failed'
  | 'flow_failed'
  | 'route_not_driven'
  | 'response_refused'
  | 'response_unproved'
  | 'member_lost'
  | 'operation_not_listed'
  | 'unsupported_stale'
  | 'unsupported_not_marked'
  | 'unsupported_misshapen'
  | 'page_stale'
  | 'members_stale';
export interface VerifyFinding {
  kind: VerifyFindingKind;
  message: string;
}
/** By route id: which of the two drove it. */
export type DrivenRoutes = ReadonlyMap<string, ReadonlySet<ExchangeSource>>;

export function drivenRoutes(exchanges: readonly SourcedExchange[]): DrivenRoutes {
  const driven = new Map<string, Set<ExchangeSource>>();
  for (const { from, routeId, isError } of exchanges) {
    if (from === 'conformance' || routeId === undefined || isError) continue;
    const by = driven.get(routeId) ?? new Set();
    driven.set(routeId, by.add(from));
  }
  return driven;
}

export function routesNotDriven(routes: readonly ToolHttpRoute[], exchanges: readonly SourcedExchange[]): VerifyFinding[] {
  const driven = drivenRoutes(exchanges);
  return routes
    .filter(({ id }) => !driven.has(id))
    .map((route) => {
      const answers = exchanges.filter(({ routeId, from }) => routeId === route.id && from !== 'conformance').map(({ status }) => status);
      const seen = answers.length === 0 ? 'asked for it' : `got a success from it, only ${[...new Set(answers)].join(', ')}`;
      return { kind: 'route_not_driven', message: `${route.method} ${route.path} (${route.id}): no client of the vendor has ${seen}.` };
    });
}

/** The same complaint about several responses of one kind is one finding, with the first of them. */
export async function refusedResponses(
  exchanges: readonly SourcedExchange[],
  checkResponse: CompatDefinition['checkResponse'],
): Promise<VerifyFinding[]> {
  const answers = await Promise.all(exchanges.map(async (exchange) => ({ exchange, faults: await faultsOf(exchange, checkResponse) })));
  const grouped = new Map<string, { exchange: SourcedExchange; fault: string; times: number }>();
  for (const { exchange, faults } of answers)
    for (const fault of faults) {
      const key = JSON.stringify([exchange.routeId ?? exchange.operation?.id ?? exchange.path, exchange.method, exchange.status, fault]);
      const known = grouped.get(key);
      if (known === undefined) grouped.set(key, { exchange, fault, times: 1 });
      else {
        known.times += 1;
        if (placeOf(exchange) < placeOf(known.exchange)) known.exchange = exchange;
      }
    }
  const findings = [...grouped.values()].map(({ exchange, fault, times }): VerifyFinding => {
    const more = times === 1 ? '' : ` (${counted(times, 'response')})`;
    return { kind: 'response_refused', message: `${placeOf(exchange)}: ${fault}${more}` };
  });
  // Drills run at once, and their requests come in any order.
  return findings.sort((one, other) => compareTexts(one.message, other.message));
}

function placeOf({ method, path, status, from, routeId }: SourcedExchange): string {
  return `${method} ${path} ${status}, ${from}${routeId === undefined ? '' : `, ${routeId}`}`;
}

async function faultsOf(exchange: SourcedExchange, checkResponse: CompatDefinition['checkResponse']): Promise<readonly string[]> {
  if (isCodecFailure(exchange)) return [`a codec failed: ${exchange.body}`];
  try {
    return await checkResponse(shownOf(exchange));
  } catch (error) {
    return [`checkResponse threw: ${(error as Error).message}`];
  }
}

/** In the envelope, which no vendor has: what `encode` gave was no response. A checker that knows nothing of the status would pass it. */
function isCodecFailure({ status, body }: SourcedExchange): boolean {
  return status === 500 && /"code":"world\.HANDLER_FAILED"/.test(body);
}

export function operationsNotListed(
  operations: readonly VendorOperation[],
  table: VendorTable,
  unsupported: CompatDefinition['unsupported'],
): VerifyFinding[] {
  const missing = operations
    .filter((operation) => table.routeOf(operation) === undefined && !Object.hasOwn(unsupported, operation.id))
    .map(({ id, method, path }): VerifyFinding => {
      return { kind: 'operation_not_listed', message: `${id} (${method} ${path}) is neither a route of the package nor unsupported.` };
    });
  const stale = Object.keys(unsupported).flatMap((id): VerifyFinding[] => {
    const named = operations.filter((operation) => operation.id === id);
    const reason =
      named.length === 0
        ? 'the vendor has no such operation'
        : named.every((operation) => table.routeOf(operation) !== undefined)
          ? 'the package has a route for it'
          : undefined;
    return reason === undefined ? [] : [{ kind: 'unsupported_stale', message: `${id} is called unsupported, and ${reason}.` }];
  });
  return [...missing, ...stale];
}

/** Of those that are unsupported. */
export function operationsNotHere(
  operations: readonly VendorOperation[],
  table: VendorTable,
  unsupported: CompatDefinition['unsupported'],
): VendorOperation[] {
  return operations.filter((operation) => table.routeOf(operation) === undefined && Object.hasOwn(unsupported, operation.id));
}
