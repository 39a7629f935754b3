// The operations of an OpenAPI document, 3.0 or 3.1.
import type { VendorOperation } from './definition.js';

// biome-ignore lint/suspicious/noExplicitAny: a document of somebody else, looked at member by member
type Foreign = any;

export interface OpenApiDocument {
  openapi?: string;
  info?: { title?: string; version?: string };
  servers?: readonly { url?: string }[];
  paths?: { readonly [path: string]: unknown };
}
export interface DescribedOperation extends VendorOperation {
  /** By status, `4XX` or `default`. */
  responses: { readonly [status: string]: { readonly pointer: string; readonly response: Foreign } };
}

const methods = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];

/** In the order of the document. Paths begin with that of the first server, as clients that are given another host ask for them. */
export function operationsOf(document: OpenApiDocument): DescribedOperation[] {
  const base = basePath(document);
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = (item as Foreign)?.[method];
      if (operation === undefined) return [];
      const asked = method.toUpperCase();
      const id = typeof operation.operationId === 'string' ? operation.operationId : `${asked} ${path}`;
      const pointer = `#/paths/${pointed(path)}/${method}/responses`;
      return [{ id, method: asked, path: base + path, responses: responsesOf(document, operation.responses ?? {}, pointer) }];
    }),
  );
}

function responsesOf(document: OpenApiDocument, responses: Foreign, pointer: string): DescribedOperation['responses'] {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const { $ref } = response as { $ref?: string };
      if ($ref === undefined) return [status, { pointer: `${pointer}/${pointed(status)}`, response }];
      return [status, { pointer: $ref, response: at(document, $ref) }];
    }),
  );
}

function basePath({ servers = [] }: OpenApiDocument): string {
  const url = servers[0]?.url ?? '';
  // A server may be a path alone, or have variables in its host.
  const path = /^(?:[a-z]+:)?\/\/[^/]*(\/.*)?$/i.exec(url)?.[1] ?? (url.startsWith('/') ? url : '');
  return path.replace(/\/+$/, '');
}

function pointed(member: string): string {
  return encodeURIComponent(member.replaceAll('~', '~0').replaceAll('/', '~1'));
}
/** What a reference inside of the document leads to. */
export function at(document: unknown, reference: string): Foreign {
  return reference
    .replace(/^#\/?/, '')
    .split('/')
    .filter((part) => part !== '')
    .reduce((value: Foreign, part) => value?.[decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')], document);
}
