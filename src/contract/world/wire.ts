// A tool's wire routes as they cross from a binding to a world and back.
import type { Issue } from '../errors.js';
import type { JsonValue } from '../json.js';
import type { Slug, WireRouteId } from '../primitives.js';
import type { BlobReference } from './blob-reference.js';
import type { RouteAuth, ToolHttpRoute } from './tool-manifest.js';
import type { RefusalKind } from './tool-wire.js';

export type WireBody =
  | { kind: 'none' }
  | { kind: 'json'; value: JsonValue }
  | { kind: 'form'; value: { [name: string]: string[] } }
  | { kind: 'text'; value: string }
  | { kind: 'bytes'; value: BlobReference }
  | { kind: 'multipart'; subtype: MultipartSubtype; parts: WirePart[] };
export type MultipartSubtype = 'form-data' | 'related' | 'mixed';
/** In the order in which they were sent. What is text and what is bytes: docs/wire-routes.md. */
export interface WirePart {
  /** Of form-data. */
  name?: string;
  filename?: string;
  /** Without its parameters, in lower case; '' where the part says none. */
  contentType: string;
  /** Names in lower case; the last value of each. */
  headers: { [name: string]: string };
  /** Either this or `bytes`. */
  text?: string;
  bytes?: BlobReference;
}
/** Bytes that come to a world with a request. They are kept where a call runs that names their digest in its arguments. */
export interface OfferedBlob {
  digest: string;
  base64: string;
}
/** A request as `decode` sees it; the credential is gone from it. */
export interface WireRequest {
  routeId: WireRouteId;
  method: string;
  /** Undecoded, below the base URL. */
  pathname: string;
  path: { [name: string]: string };
  query: { [name: string]: string[] };
  /** Names in lower case. */
  headers: { [name: string]: string[] };
  body: WireBody;
  /** Of tokens that the tool has minted: the one that stands where the credential does. */
  credential?: string;
  /** Those that stand elsewhere in the request, and that somebody was given: each as the tool minted it. */
  tokens?: string[];
}
/** A request to a wire route: decoded, called as `call` does, encoded. */
export interface CallRoute {
  kind: 'callRoute';
  actorId: string;
  actorInstanceId?: string;
  packageId: string;
  /** The one whose mount was asked. Absent: the only one that the actor is granted the operation of, else the package's own. */
  instanceId?: string;
  request: WireRequest;
  /** The bytes that the body of the request refers to. */
  blobs?: OfferedBlob[];
}
/** What a binding has to know of a route to find it and to read a request to it. */
export interface WireRoute extends Pick<ToolHttpRoute, 'method' | 'path' | 'requestBody' | 'cors'> {
  packageId: Slug;
  routeId: WireRouteId;
  /** Where its credential may be, in order. */
  auths: readonly RouteAuth[];
  /** Of the package in this world: its own, then the others in order. Each has a mount. */
  instances: Slug[];
  /** The refusals that its package words. */
  worded?: RefusalKind[];
  /** The paths that it words them for; absent: all of them. */
  wordedBelow?: string[];
}
/** A request that became no call, as `refuse` sees it. It holds no credential. */
export interface UncalledRequest {
  kind: RefusalKind;
  method: string;
  /** As in the list of unanswered requests: cut, and without what may be a credential. */
  pathname: string;
  /** Where it is known for which route it was. */
  routeId?: WireRouteId;
  /** For people, as the envelope would have it. */
  message: string;
  /** The same without words of the platform. */
  reason: string;
  /** What is wrong in the body, or in the arguments that decode made of the request. */
  issues?: Issue[];
  /** Of a ToolFailure that decode has thrown. */
  code?: string;
  /** Of method_not_allowed: what the path takes. */
  allow?: string[];
}
/** What `encode` made. Header names are in lower case. */
export interface EncodedMessage {
  headers: { [name: string]: string };
  /** Texts in it that are tokens: the server seals them (bindings/sealed-token.ts). */
  tokens?: string[];
  body:
    | { kind: 'empty' }
    | { kind: 'json'; text: string }
    | { kind: 'text'; text: string; contentType: string }
    | { kind: 'bytes'; base64: string; contentType: string }
    | { kind: 'events'; texts: string[]; isCut?: true };
}
/** As a codec gives it: bytes of the world are named, and looked up where it is. */
export type DraftedMessage = Omit<EncodedMessage, 'body'> & { body: EncodedMessage['body'] | BlobBody };
export interface BlobBody {
  kind: 'blob';
  digest: string;
  from: number;
  /** Absent: to the end. */
  length?: number;
  contentType: string;
}
/** A request that became no call, answered in the words of a package: evidence where the manifest says so. */
export interface RefuseRequest {
  kind: 'refuseRequest';
  /** Whose access it was sent to. */
  actorId: string;
  actorInstanceId?: string;
  packageId: string;
  request: UncalledRequest;
  /** Other worlds have the same words, and nobody knows which was meant: there is no evidence of it. */
  isUnplaced?: true;
}
export type RefusalResult = { kind: 'worded'; status: number; message: EncodedMessage } | { kind: 'not_worded'; reason: string };
