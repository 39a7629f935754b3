// evidenceHash of a journal, made leaf by leaf (docs/decisions/013; contract/world/evidence-hash.ts is the same for those who hold lines).
//   EVIDENCE-LEAVES-1. Entries 1 to `#through` are hashed: whole leaves in `#root`, the begun one in `#leaf`. No line is hashed twice in an
//     incarnation.
//   EVIDENCE-LEAVES-2. A whole leaf's digest is stored with the next write set, so that a world activated again continues from there.
import { createHash, type Hash } from 'node:crypto';
import { limits } from '../../contract/limits.js';
import { tuning } from '../tuning.js';

const leafEntries = limits.evidenceLeafEntries;
const digestBytes = 32;

/** Writes the lines of the entries from..to, piece by piece. */
export type WriteLines = (range: { from: number; to: number }, write: (piece: Buffer) => void) => void;

export class EvidenceLeaves {
  readonly #writeLines: WriteLines;
  readonly #root: Hash = createHash('sha256');
  #leaves: number;
  #leaf: Hash | undefined;
  #through: number;
  #fresh: Buffer[] = [];
  /** What is read before the next look at how much it was: fewer where entries were long, and few at first. */
  #pieceEntries = 1;

  /** `stored`: the digests of the first leaves. */
  constructor(stored: readonly Buffer[], writeLines: WriteLines) {
    this.#writeLines = writeLines;
    for (const digest of stored) this.#root.update(digest);
    this.#leaves = stored.length;
    this.#through = stored.length * leafEntries;
  }

  /**
   * Hashes at most to the end of the leaf, and of long entries only so many bytes: it is one slice of a command. False when everything to
   * `sequence` was hashed before.
   */
  step(sequence: number): boolean {
    if (this.#through >= sequence) return false;
    const leafEnd = (this.#leaves + 1) * leafEntries;
    const to = Math.min(sequence, leafEnd);
    this.#leaf ??= createHash('sha256');
    const leaf = this.#leaf;
    for (let left = tuning.hashedBytesPerStep; this.#through < to && left > 0; ) {
      const from = this.#through + 1;
      this.#through = Math.min(to, this.#through + this.#pieceEntries);
      let bytes = 0;
      this.#writeLines({ from, to: this.#through }, (piece) => {
        bytes += piece.length;
        leaf.update(piece);
      });
      left -= bytes;
      const fitting = Math.floor((tuning.hashedBytesPerStep * (this.#through - from + 1)) / bytes);
      this.#pieceEntries = Math.max(1, Math.min(leafEntries, fitting, 2 * this.#pieceEntries));
    }
    if (this.#through === leafEnd) {
      const digest = leaf.digest();
      this.#leaf = undefined;
      this.#root.update(digest);
      this.#leaves++;
      this.#fresh.push(digest);
    }
    return true;
  }

  /** Whether a whole leaf waits to be hashed. */
  isBehind(sequence: number): boolean {
    return sequence >= (this.#leaves + 1) * leafEntries;
  }

  /** Of the entries hashed so far. */
  digest(): string {
    const root = this.#root.copy();
    if (this.#leaf !== undefined) root.update(this.#leaf.copy().digest());
    return `sha256:${root.digest('hex')}`;
  }

  get hasFresh(): boolean {
    return this.#fresh.length > 0;
  }
  /** Digests made since the last take. */
  takeFresh(): { firstLeaf: number; digests: Buffer } | undefined {
    if (this.#fresh.length === 0) return undefined;
    const digests = Buffer.concat(this.#fresh);
    this.#fresh = [];
    return { firstLeaf: this.#leaves - digests.length / digestBytes, digests };
  }
}

/** One stored run of digests, cut. */
export function cutDigests(run: Buffer): Buffer[] {
  return Array.from({ length: run.length / digestBytes }, (_, index) => run.subarray(index * digestBytes, (index + 1) * digestBytes));
}
