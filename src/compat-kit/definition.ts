// What compat/compat.ts of a tool package says: the vendor's client that drives it, the vendor's operations, and what a response must be.

export interface CompatDefinition {
  /** npm packages of the vendor that the flow uses; their versions are read from their installed package.json. */
  clients: readonly string[];
  operations: VendorOperations;
  /**
   * Path templates as the package has them, or beginnings of such: these routes alone are the vendor's. All others are an API of the
   * package's own, and nothing is claimed of them. Default: every route is the vendor's.
   */
  routes?: readonly string[];
  /** Vendor operations that the package does not have: the reason, by operation id. */
  unsupported: Readonly<Record<string, string>>;
  /** Says what is wrong with a response; an empty list: nothing. Asked for each response of the flows and of the conformance drills. */
  checkResponse(exchange: RecordedExchange): readonly string[] | Promise<readonly string[]>;
  /** Whether a response says that something failed. Default: by its status, 400 and above. */
  isError?(exchange: RecordedExchange): boolean;
  /** Drives every route with the vendor's own client, unchanged. */
  flow(context: CompatContext): Promise<void>;
  /** Drives the vendor's MCP server against the mount. */
  mcp?(context: CompatContext): Promise<void>;
  /** Of the conformance project's world. Default: the actor with the most operations of the package. */
  actorId?: string;
  /** What the world of the flows starts from. Default: the baseline of the conformance project's world. */
  scenarioId?: string;
}
export type VendorOperations =
  | {
      /** A file of an npm package, `package/path.json`: an OpenAPI document. */
      openapi: string;
      /** Path templates as the package has them, or beginnings of such: of the document only these count. Default: all of it. */
      routesOnly?: readonly string[];
    }
  | { list: readonly VendorOperation[] };
export interface VendorOperation {
  id: string;
  method: string;
  /** A template as in OpenAPI, `/v1/pages/{page_id}`, as a client asks for it below its base URL. */
  path: string;
}
/** A request to the package's mount and its whole response. The credential is in it: it opens a world that is gone. */
export interface RecordedExchange {
  /** The declared route that the request fits. */
  routeId?: string;
  method: string;
  /** Below the mount, undecoded, without the query. */
  path: string;
  /** Without the question mark. */
  query: string;
  /** Bodies as UTF-8. */
  requestBody: string;
  status: number;
  /** Of the response, names in lower case. */
  headers: Record<string, string>;
  body: string;
  /** The vendor's operation that the request fits. */
  operation?: VendorOperation;
}
export interface CompatContext {
  /** Of the package's mount, without a slash at the end. */
  url: string;
  /** The credential of the access. */
  token: string;
  /** Moves the world's clock, firing what is due. */
  advance(byUs: number): Promise<void>;
  /** Calls an operation of the package as the same actor; rejects where the outcome is not ok. */
  call(operationId: string, args: unknown): Promise<unknown>;
  /** The package's. */
  folder: string;
}

export function defineCompat(definition: CompatDefinition): CompatDefinition {
  return definition;
}
