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
}
/** What a binding has to know of a route to find it and to read a request to it. */
export interface WireRoute extends Pick<ToolHttpRoute, 'method' | 'path' | 'auth' | 'requestBody'> {
  packageId: Slug;
  routeId: WireRouteId;
}
/** What `encode` made. Header names are in lower case. */
export interface EncodedMessage {
  headers: { [name: string]: string };
  body:
    | { kind: 'empty' }
    | { kind: 'json'; text: string }
    | { kind: 'text'; text: string; contentType: string }
    | { kind: 'bytes'; base64: string; contentType: string };
}
