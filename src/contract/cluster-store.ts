// Where a cluster keeps snapshots of its homes and what is named by its digest, if not in PostgreSQL: a folder that all nodes see, or a
// bucket of an S3-compatible store.
//   CLUSTER-STORE-1. A text that holds a secret, or says anything that is not known here, names no store.

export type StoreAddress = { kind: 'folder'; path: string } | S3Address;
export interface S3Address {
  kind: 's3';
  bucket: string;
  /** Without a slash at either end; may be empty. */
  prefix: string;
  /** Of a store that is not Amazon's: scheme, host and port. */
  endpoint?: string;
  region?: string;
}

/** `file:///shared/folder` or `s3://bucket/prefix?endpoint=https://s3.internal:9000&region=eu-1`; undefined for anything else. */
export function storeAddress(text: string): StoreAddress | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, host, hostname, pathname, searchParams, username, password, search, hash } = new URL(text);
  if (username !== '' || password !== '' || hash !== '') return undefined;
  const path = decoded(pathname);
  if (path === undefined) return undefined;
  if (protocol === 'file:') return host === '' && search === '' && path.length > 1 ? { kind: 'folder', path } : undefined;
  if (protocol !== 's3:' || !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(hostname) || host !== hostname) return undefined;
  const prefix = path.replace(/^\/+|\/+$/g, '');
  if (!/^[A-Za-z0-9._/-]*$/.test(prefix)) return undefined;
  const known = [...searchParams.keys()].every((name, index, all) => ['endpoint', 'region'].includes(name) && all.indexOf(name) === index);
  const { endpoint, region } = Object.fromEntries(searchParams) as { endpoint?: string; region?: string };
  const isFine = known && (endpoint === undefined || isOrigin(endpoint)) && (region === undefined || /^[a-z0-9-]+$/.test(region));
  return isFine ? { kind: 's3', bucket: hostname, prefix, ...(endpoint && { endpoint }), ...(region && { region }) } : undefined;
}

/** What is named by its own digest: never changed, the same on every machine. A cluster's log has it beside its homes. */
export interface SharedBlobs {
  /** Durable when it resolves. Put again, it is as old as at its last put. */
  put(digest: string, body: AsyncIterable<Buffer>): Promise<void>;
  /** Undefined where there is none. */
  get(digest: string): Promise<AsyncIterable<Buffer> | undefined>;
  has(digest: string): Promise<boolean>;
  digests(): AsyncIterable<string>;
  /** Unless it was put within so long, by the clock of the store. Yields whether it went. */
  removeOld(digest: string, ageMs: number): Promise<boolean>;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, origin } = new URL(text);
  return /^https?:$/.test(protocol) && text.replace(/\/$/, '') === origin;
}
