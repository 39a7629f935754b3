// A tool's wire routes as they cross from a binding to a world and back.
import type { JsonValue } from '../json.js';
import type { Slug, WireRouteId } from '../primitives.js';
import type { ToolHttpRoute } from './tool-manifest.js';

export type WireBody =
  | { kind: 'none' }
  | { kind: 'json'; value: JsonValue }
  | { kind: 'form'; value: { [name: string]: string[] } }
  | { kind: 'text'; value: string };
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
}
/** What a binding has to know of a route to find it and to read a request to it. */
export interface WireRoute extends Pick<ToolHttpRoute, 'method' | 'path' | 'auth' | 'requestBody'> {
  packageId: Slug;
  routeId: WireRouteId;
  /** Of the package in this world: its own, then the others in order. Each has a mount. */
  instances: Slug[];
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
    | { kind: 'bytes'; base64: string; contentType: string };
}
