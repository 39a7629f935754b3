// The two digests of a journal, streaming (docs/decisions/013). Anybody can recompute them from evidence.jsonl with sha256sum and split.
//   EVIDENCE-HASH-1. A leaf is the sha256 of `evidenceLeafEntries` lines (the last leaf may be shorter), each ended by a newline.
//   EVIDENCE-HASH-2. The digest is the sha256 over the concatenated raw leaf digests, so it depends on the lines only, never on how they
//     came.
import { createHash, type Hash } from 'node:crypto';
import { canonicalJson } from '../canonical-json.js';
import type { JsonValue } from '../json.js';
import { limits } from '../limits.js';
import type { EvidenceEntry } from './evidence.js';

/** evidenceHash. `digest` may be asked at any time, and again after more lines. */
export class EvidenceHasher {
  readonly #leaves: Hash = createHash('sha256');
  /** Of the leaf that is not whole. */
  #leaf: Hash = createHash('sha256');
  /** Lines of it that were not hashed so far: many small ones cost one call. Never longer than a piece and a line. */
  #text = '';
  #lines = 0;

  /** One entry as RFC 8785 JSON, without its newline. */
  appendLine(line: string): void {
    this.#text += line;
    this.#text += '\n';
    const isWhole = ++this.#lines === limits.evidenceLeafEntries;
    if (!isWhole && this.#text.length < limits.evidencePieceChars) return;
    this.#leaf.update(this.#text);
    this.#text = '';
    if (!isWhole) return;
    this.#leaves.update(this.#leaf.digest());
    this.#leaf = createHash('sha256');
    this.#lines = 0;
  }

  digest(): string {
    const root = this.#leaves.copy();
    if (this.#lines > 0) root.update(this.#leaf.copy().update(this.#text).digest());
    return `sha256:${root.digest('hex')}`;
  }
}

/** trajectoryHash: what happened, without lifecycle entries and without the ids and keys that only tell who asked. */
export class TrajectoryHasher {
  readonly #hasher = new EvidenceHasher();

  appendEntry(entry: EvidenceEntry): void {
    const line = trajectoryLine(entry);
    if (line !== null) this.#hasher.appendLine(line);
  }

  digest(): string {
    return this.#hasher.digest();
  }
}

/** The entry as trajectoryHash sees it; null when it does not. */
function trajectoryLine(entry: EvidenceEntry): string | null {
  if (entry.kind === 'lifecycle') return null;
  // canonicalJson leaves undefined members out.
  const seen: { [key: string]: unknown } = { ...entry };
  seen.correlationId = undefined;
  seen.transactionId = undefined;
  seen.scheduledEventId = undefined;
  seen.deliveryId = undefined;
  if (entry.kind === 'operation') seen.invocation = { ...entry.invocation, callId: undefined, idempotencyKey: undefined };
  return canonicalJson(seen as { [key: string]: JsonValue });
}
