// Digests as the contract writes them: `sha256:` and 64 lower-case hex digits.
import { createHash } from 'node:crypto';
import { canonicalJson } from './canonical-json.js';
import type { JsonValue } from './json.js';

/** Digest of bytes, or of a text's UTF-8 bytes. */
export function sha256Digest(content: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

/** Digest of a value's canonical JSON. */
export function jsonDigest(value: JsonValue): string {
  return sha256Digest(canonicalJson(value));
}
