// What the digest of a source tree is over: every path with the digest and the size of its content, in order. A client that has the files
// can tell without asking whether a service has them.
import { canonicalJson } from './canonical-json.js';
import { sha256Digest } from './digest.js';

export interface SourceTreeFile {
  path: string;
  digest: string;
  bytes: number;
}

/** `files` are ordered by path (UTF-16). */
export function sourceTreeText(files: readonly SourceTreeFile[]): string {
  return canonicalJson(files.map(({ path, digest, bytes }) => ({ path, digest, bytes })));
}

export function sourceTreeDigest(files: readonly SourceTreeFile[]): string {
  return sha256Digest(sourceTreeText(files));
}
