// Tool manifests and tool package files.
import type { JsonObject, JsonValue } from '../json.js';
import type { Description, DottedId, DurationUs, PositiveCount, ProviderErrorCode, Slug, VirtualUs, WireRouteId } from '../primitives.js';
import type { tags } from '../tags.js';
import type { CallbackSignature, HeaderName } from './callback-signature.js';
import type { StatePatch } from './scenario.js';
import type { ToolMcp } from './tool-mcp.js';
import type { ToolWire } from './tool-wire.js';

export type Capability = 'state.read' | 'state.write' | 'clock.read' | 'clock.schedule' | 'random.draw' | 'event.emit';
/** A JSON Schema 2020-12; compiled once a build. */
export type JsonSchema = JsonObject | boolean;
type Semver = string & tags.MaxLength<128>;
type HttpStatus = number & tags.Type<'uint32'> & tags.Minimum<100> & tags.Maximum<599>;

export interface StateNamespace {
  namespace: Slug;
  description?: string;
  schema: JsonSchema;
}
export interface DeclaredError {
  code: ProviderErrorCode;
  description?: string;
  retryable?: boolean;
}
export type Idempotency = 'none' | 'optional' | 'required';
export interface ToolOperation {
  id: DottedId;
  description?: string;
  inputSchema: JsonSchema;
  outputSchema: JsonSchema;
  declaredErrors?: DeclaredError[];
  idempotency: Idempotency;
  /** How true to the real service: shown to people, so text or whatever an author says it with. */
  fidelity: string | JsonObject;
  mcp?: ToolMcp;
}
export interface ToolEvent {
  id: DottedId;
  description?: string;
  payloadSchema: JsonSchema;
}
export interface ToolSubscription {
  id: DottedId;
  event: { packageId: Slug; eventId: DottedId };
}
/**
 * duplicate: the request is sent twice. delay, reorder: it is held back. drop: it never arrives. bad_signature: its signature is not the
 * receiver's.
 */
export type DeliveryFaultKind = 'duplicate' | 'delay' | 'reorder' | 'drop' | 'bad_signature';
export interface ToolFault {
  id: Slug;
  description?: string;
  /** Operation ids of this package; of a delivery fault: its callback ids. */
  appliesTo: DottedId[];
  timing: 'before' | 'after_commit' | 'latency' | 'delivery' | 'stream';
  /** Required for before and after_commit. */
  error?: { code: ProviderErrorCode; message: string; retryable: boolean };
  /** For latency: virtual microseconds added. */
  latencyUs?: DurationUs;
  /** For delivery. */
  delivery?: DeliveryFault;
  /** For stream: the connection ends after so many events of the reply. */
  stream?: StreamFault;
  /** 0..1, drawn from the seeded stream. Default: always. */
  rate?: number & tags.Minimum<0> & tags.Maximum<1>;
  /** Fires at most this often. */
  times?: PositiveCount;
  /** Fires on every n-th matching call. */
  everyNth?: PositiveCount;
  /** Virtual time window [fromUs, untilUs). */
  fromUs?: VirtualUs;
  untilUs?: VirtualUs;
}
/** The caller gets the first events of the reply, then its connection ends. */
export interface StreamFault {
  /** So many; 0: none. */
  afterEvents: number & tags.Type<'uint32'> & tags.Minimum<0> & tags.Maximum<10000>;
}
export interface DeliveryFault {
  kind: DeliveryFaultKind;
  /** For delay: virtual microseconds. For reorder: the longest that it waits for a later delivery to the same receiver to go first. */
  delayUs?: DurationUs;
}
/** RFC 9110 5.6.2. */
type HttpToken = string & tags.Pattern<"^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"> & tags.MaxLength<128>;
export interface BearerAuth {
  kind: 'bearer';
  /** Words before the token in `Authorization`, in any case. Default: Bearer. */
  schemes?: HttpToken[];
}
export interface HeaderAuth {
  kind: 'header';
  name: HttpToken;
}
export interface QueryAuth {
  kind: 'query';
  name: string & tags.MinLength<1> & tags.MaxLength<128>;
}
/** The credential is the password or, with any password, the user. */
export interface BasicAuth {
  kind: 'basic';
  /** Of the two the one that the credential is. Without it: either. */
  token?: 'username' | 'password';
  /** The user that comes with the password. Without it: any. */
  username?: string & tags.MaxLength<256>;
}
export interface CookieAuth {
  kind: 'cookie';
  name: HttpToken;
}
/** AWS Signature Version 4, in a header or the query; the token is the secret of the key. */
export interface SigV4Auth {
  kind: 'sigv4';
}
/** The access is known by its base URL. */
export interface NoAuth {
  kind: 'none';
}
/** Of a body `application/x-www-form-urlencoded`; of a list, the last that is looked at. */
export interface FormAuth {
  kind: 'form';
  name: string & tags.MinLength<1> & tags.MaxLength<128>;
}
export type RouteAuth = BearerAuth | HeaderAuth | QueryAuth | FormAuth | CookieAuth | BasicAuth | SigV4Auth | NoAuth;
/** A list: the first of them at which a request has anything. */
export type RouteAuths = RouteAuth | (RouteAuth[] & tags.MinItems<1> & tags.MaxItems<4>);
export interface RouteResponse {
  /** Of an outcome `ok`, where encode chooses no other: 200 to 399. */
  successStatus: HttpStatus;
  /** The others that encode may choose for an outcome `ok`: 200 to 399. */
  successStatuses?: HttpStatus[] & tags.MaxItems<16>;
  /** Errors by code: 200 to 599. Encode may choose any of these statuses for any error. */
  errors: { code: ProviderErrorCode; status: HttpStatus }[];
}
/** `any_json`: JSON, whatever the content type says. */
export type RequestBodyKind = 'none' | 'json' | 'any_json' | 'form' | 'text' | 'bytes' | 'multipart';
export interface ToolHttpRoute {
  id: WireRouteId;
  operationId: DottedId;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string & tags.Pattern<'^/'> & tags.MaxLength<1024>;
  auth: RouteAuths;
  /** That a minted token must have; the token of the access has all. */
  scopes?: (string & tags.MinLength<1> & tags.MaxLength<256>)[] & tags.MaxItems<32>;
  /** A list: which one it is, the content type says. */
  requestBody: RequestBodyKind | (RequestBodyKind[] & tags.MinItems<1> & tags.MaxItems<5>);
  /** Of `wire.rateLimits`: by which its calls are counted. */
  rateLimit?: Slug;
  /** Pages of other sites that may ask it from a browser. */
  cors?: RouteCors;
  response: RouteResponse;
}
/** What browsers let pages of other sites do (CORS). */
export interface RouteCors {
  /** Of pages, as browsers write them; "*": each. */
  origins: (string & tags.Pattern<'^(?:[*]|https?://[^/?#@ ]+)$'> & tags.MaxLength<256>)[] & tags.MinItems<1> & tags.MaxItems<32>;
  /** That requests may have. Default: each that is asked for. */
  headers?: HttpToken[] & tags.MaxItems<64>;
  /** Of replies, beside those that every page may read. */
  exposedHeaders?: HttpToken[] & tags.MaxItems<64>;
  /** Cookies and passwords of the browser may come along; `origins` then names each. Default: false. */
  credentials?: boolean;
  /** How long a browser may keep the answer to its question. */
  maxAgeSeconds?: number & tags.Type<'uint32'> & tags.Maximum<86400>;
}
/** An API of GraphQL: each root field of its schema is an operation. */
export interface ToolGraphql {
  /** In the schema definition language. */
  schema: string & tags.MinLength<1> & tags.MaxLength<1048576>;
  /** Where requests are posted, below the base URL. */
  path: string & tags.Pattern<'^/'> & tags.MaxLength<1024>;
  /** Where the credential is; of a list, the first place at which a request has anything. */
  auth: RouteAuths;
  /** How deep fields may lie in fields. */
  depthMax: number & tags.Type<'uint32'> & tags.Minimum<1> & tags.Maximum<100>;
  /** A field costs 1; what is below a field with the argument `first`, `last` or `limit` counts that often. */
  costMax: number & tags.Type<'uint32'> & tags.Minimum<1> & tags.Maximum<1000000>;
  /** Ids of operations by root field, as `Mutation.issueCreate`, where `issue_create` would not do. */
  operations?: { [rootField: string]: DottedId };
}
export interface ToolCallback {
  id: Slug;
  eventId: DottedId;
  receiverId: Slug;
  method: 'POST' | 'PUT';
  /** Visible ASCII, as it stands in a request: what else it has is percent-encoded. */
  path: string & tags.Pattern<'^/[!-~]*$'> & tags.MaxLength<1024>;
  idempotencyHeader: HeaderName;
  signature: CallbackSignature;
  retry: { delaysUs: DurationUs[] & tags.MaxItems<100> };
  timeoutMs: number & tags.Type<'uint32'> & tags.Minimum<1> & tags.Maximum<600000>;
}
/** Another package that this one works with, named by `packageId`. The rest is the author's. */
export type ToolConnection = JsonObject;

/** A manifest with every list present. */
export interface ToolManifest {
  schemaVersion: 1;
  id: Slug;
  title?: string;
  description?: string;
  version: Semver;
  /** Semver range of Drillyard engines this package runs on. */
  engine: Semver;
  capabilities: Capability[];
  state: StateNamespace[];
  operations: ToolOperation[];
  events: ToolEvent[];
  subscriptions: ToolSubscription[];
  faults: ToolFault[];
  http: ToolHttpRoute[];
  /** Its GraphQL API. */
  graphql?: ToolGraphql;
  callbacks: ToolCallback[];
  connections: ToolConnection[];
  compatibility: JsonValue[];
  /** What holds for all of its routes. */
  wire?: ToolWire;
}
type ManifestLists =
  | 'capabilities'
  | 'state'
  | 'operations'
  | 'events'
  | 'subscriptions'
  | 'faults'
  | 'http'
  | 'callbacks'
  | 'connections'
  | 'compatibility';
export interface ToolManifestInput
  extends Omit<ToolManifest, ManifestLists>,
    Partial<Pick<ToolManifest, Exclude<ManifestLists, 'operations'>>> {
  operations?: ToolOperationInput[];
}
export interface ToolOperationInput extends Omit<ToolOperation, 'declaredErrors'> {
  declaredErrors?: (DeclaredErrorInput | ProviderErrorCode)[];
}
export interface DeclaredErrorInput extends DeclaredError {
  /** Stands for `description` where there is none. */
  message?: string;
}

/** `*.tool.yaml`. Without `module` the tool is declarative: its operations come from its state schemas. */
export interface ToolPackageFile {
  schemaVersion: 1;
  module?: string & tags.MinLength<1> & tags.MaxLength<1024>;
  manifest: ToolManifestInput;
  /** Kept for programs that know what to do with it. */
  ui?: JsonValue;
}
/** Starter data of a tool package, copied once into a new world's source. */
export interface ToolStarter {
  schemaVersion: 1;
  virtualTimeUs?: VirtualUs;
  state: StatePatch[];
}
/** The `tool-pack` field of a tool's package.json: paths relative to that file. */
export interface ToolPackField {
  layer?: 'tool-pack';
  tool: string;
  starter?: string;
  lifecycle: 'active' | 'deprecated' | 'revoked';
  /**
   * `project`: folder of a repository; `config`: its root file, by default drillyard.json; `suite`: the suite in it that covers the
   * package.
   */
  conformance?: { project: string; config?: string; suite: Slug };
  description?: Description;
}
