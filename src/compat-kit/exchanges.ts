// Which recorded requests were to the package's own API, and what each was for. All others, such as generic calls, are left out.
import { addressIn } from '../bindings/access-address.js';
import { mountOfHost } from '../bindings/mount-listeners.js';
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import { agentRoutes } from '../contract/world/agent-routes.js';
import { mountIn } from '../contract/world/wire-mounts.js';
import { PathTable } from '../http/path-table.js';
import type { CompatDefinition, RecordedExchange } from './definition.js';
import type { RecordedRequest } from './recording-proxy.js';
import type { VendorTable } from './vendor-operations.js';

/** Who has asked. */
export type ExchangeSource = 'conformance' | 'flow' | 'mcp';
export interface SourcedExchange extends RecordedExchange {
  from: ExchangeSource;
  isError: boolean;
}

/** Throws control.INVALID_REQUEST where the package's own function throws. */
export function withError(exchange: Omit<SourcedExchange, 'isError'>, isError: CompatDefinition['isError']): SourcedExchange {
  if (isError === undefined) return { ...exchange, isError: exchange.status >= 400 };
  const { from: _, ...shown } = exchange;
  try {
    return { ...exchange, isError: isError(shown) };
  } catch (error) {
    const place = `${exchange.method} ${exchange.path} ${exchange.status}`;
    throw new ServiceError('control.INVALID_REQUEST', { message: `isError threw of ${place}: ${(error as Error).message}` });
  }
}

/** As the package's own functions get it. */
export function shownOf({ from: _from, isError: _isError, ...shown }: SourcedExchange): RecordedExchange {
  return shown;
}
export interface ExchangePlace {
  packageId: string;
  table: VendorTable;
  /** No other package of the world has routes, so that all that is asked at the base URL is for this one. */
  isAlone: boolean;
  /** The paths of the vendor, where the package has others beside them. */
  below?: readonly string[] | undefined;
}

/** `below`: undefined where every path is the vendor's. */
export function isVendorPath(path: string, below: readonly string[] | undefined): boolean {
  return below === undefined || below.some((begin) => path === begin || path.startsWith(begin.endsWith('/') ? begin : `${begin}/`));
}

const generic = new PathTable(Object.values(agentRoutes));

/** Undefined for a request that was not for the package. `mountOfPort`: where the port was of one. */
export function exchangeOf(
  recorded: RecordedRequest,
  { packageId, table, isAlone, below }: ExchangePlace,
  mountOfPort?: string,
): RecordedExchange | undefined {
  const [, sent = '/', query = ''] = /^([^?]*)\??(.*)$/s.exec(recorded.target) ?? [];
  const addressed = addressIn(sent, '')?.rest ?? sent;
  const mounted = mountIn(addressed);
  const mount = mountOfPort ?? mountOfHost(recorded.host.toLowerCase().replace(/:\d+$/, '')) ?? mounted?.mount;
  const path = mounted?.rest ?? addressed;
  if (mount !== undefined && mount.split('__', 1)[0] !== packageId) return undefined;
  if (!isVendorPath(path, below)) return undefined;
  const { route, operation } = table.find(recorded.method, path);
  if (mount === undefined && generic.find(recorded.method, path).kind !== 'unknown') return undefined;
  if (mount === undefined && route === undefined && !isAlone) return undefined;
  const { method, requestBody, status, headers, body } = recorded;
  return {
    ...(route === undefined ? {} : { routeId: route.id }),
    ...{ method, path, query, requestBody, status, headers, body },
    ...defined({ operation }),
  };
}
