// The vendor's operations beside the routes of a package: which are ours, and which one a request is for.
//   VENDOR-OPERATIONS-1. An operation is ours when a declared route has its method and template, whatever parameters are called; a
//     parameter for the rest of a path is one that the vendor writes as any other.
import { defined } from '../contract/defined.js';
import type { ToolHttpRoute } from '../contract/world/tool-manifest.js';
import { routeKey } from '../contract/world/wire-mounts.js';
import { PathTable } from '../http/path-table.js';
import type { CompatDefinition, VendorOperation } from './definition.js';
import { installedJson } from './installed-package.js';
import { type OpenApiDocument, operationsOf } from './openapi-document.js';

export interface ListedOperations {
  operations: readonly VendorOperation[];
  /** Where they come from, for people. */
  source: string;
}

export function listOperations({ operations }: Pick<CompatDefinition, 'operations'>, folder: string): ListedOperations {
  if ('list' in operations) return { operations: operations.list, source: 'the list in compat/compat.ts' };
  const { openapi, routesOnly } = operations;
  const all: VendorOperation[] = operationsOf(installedJson(openapi, folder) as OpenApiDocument).map(({ id, method, path }) => {
    return { id, method, path };
  });
  const source = `\`${openapi}\``;
  if (routesOnly === undefined) return { operations: all, source };
  const counts = ({ path }: VendorOperation): boolean =>
    routesOnly.some((begin) => path === begin || path.startsWith(begin.endsWith('/') ? begin : `${begin}/`));
  return {
    operations: all.filter(counts),
    source: `${source}, of its paths those below ${routesOnly.map((path) => `\`${path}\``).join(', ')}`,
  };
}

type Asked = Pick<VendorOperation, 'method' | 'path'>;
function keyOf({ method, path }: Asked): string {
  return routeKey(method.toUpperCase(), pathOnly(path)).replaceAll('{...}', '{}');
}
export class VendorTable {
  readonly #routeOf: ReadonlyMap<string, ToolHttpRoute>;
  readonly #operationOf = new Map<string, VendorOperation>();
  readonly #routes: PathTable<ToolHttpRoute>;
  readonly #operations: PathTable<VendorOperation>;

  constructor(routes: readonly ToolHttpRoute[], operations: readonly VendorOperation[]) {
    this.#routeOf = new Map(routes.map((route) => [keyOf(route), route]));
    // Some documents have two operations of one template; the first answers for both.
    for (const operation of operations) if (!this.#operationOf.has(keyOf(operation))) this.#operationOf.set(keyOf(operation), operation);
    this.#routes = new PathTable(routes);
    this.#operations = new PathTable(
      [...this.#operationOf.values()].map((operation) => ({ ...operation, path: pathOnly(operation.path) })),
    );
  }

  /** The route that an operation of the vendor is here; one for GET answers HEAD too. */
  routeOf(operation: VendorOperation): ToolHttpRoute | undefined {
    const method = operation.method.toUpperCase() === 'HEAD' ? 'GET' : operation.method;
    return this.#routeOf.get(keyOf({ ...operation, method }));
  }
  operationOf(route: ToolHttpRoute): VendorOperation | undefined {
    return this.#operationOf.get(keyOf(route));
  }

  /** What a request is for. A route's operation is its own, also where the vendor has another template that the path fits. */
  find(asked: string, path: string): { route?: ToolHttpRoute; operation?: VendorOperation } {
    const method = asked === 'HEAD' ? 'GET' : asked;
    const route = this.#routes.find(method, path);
    if (route.kind === 'match') {
      const operation = this.operationOf(route.route);
      return { route: route.route, ...defined({ operation }) };
    }
    const operation = this.#operations.find(method, path);
    return operation.kind === 'match' ? { operation: operation.route } : {};
  }
}

/** Of operations that differ in their query alone. */
function pathOnly(path: string): string {
  return path.replace(/[?#].*$/, '');
}
