// How a host appends what its data files changed: in pieces, through its system, to the node that has the home.
//   HOST-STREAM-LOG-1. The pieces of a record arrive in order and whole, or the record is lost; nonces are of this side alone.
//   HOST-STREAM-LOG-2. Before a data file is served, it gets what an incarnation before has appended and not written, and what that one
//     has written and not appended is appended.
// Asks beyond their bound would be refused, and a refused append loses the file: so all files of a host share the places. What is handed
// over in one moment shares one piece of memory, so that it crosses as one.
import type { HostFacts } from '../actors/definition.js';
import { Semaphore } from '../async/semaphore.js';
import { ServiceError } from '../contract/errors.js';
import type { AppendAnswer, AppendAsk, PieceAnswer, RecordPiece, StreamEndAnswer, StreamEndAsk, WrittenAsk } from './host-requests.js';
import { Nonces } from './kv/nonces.js';
import type { StreamLog } from './kv/stream-log.js';
import { type LogEnd, recordsAbove } from './stream-tail.js';
import { tuning } from './tuning.js';

interface Gathered {
  piece: RecordPiece;
  resolve(answer: PieceAnswer): void;
  reject(error: unknown): void;
}

export class HostStreamLogs {
  readonly #ask: HostFacts['ask'];
  readonly #places = new Semaphore(tuning.appendAsksMax);
  readonly #nonces = new Nonces();
  /** To be handed over at the end of this turn. */
  #gathered: Gathered[] = [];

  constructor({ ask }: Pick<HostFacts, 'ask'>) {
    this.#ask = ask;
  }

  of(home: number): StreamLog {
    return {
      mintNonce: () => this.#nonces.mint(),
      append: ({ number, nonce, body }) => this.#append({ home, number, nonce }, body),
      written: (number) => this.#written(home, number),
    };
  }

  /** Throws where the file of the home cannot be served. Nobody has it open. */
  async bringIn(home: number, directory: string): Promise<void> {
    const log = this.of(home);
    const { position, above } = await recordsAbove(directory, () => this.#end(home));
    if (position > 0) this.#written(home, position);
    for (const record of above) if ((await log.append(record)) === 'lost') throw lost();
  }

  async #append(record: Pick<RecordPiece, 'home' | 'number' | 'nonce'>, body: Buffer): Promise<'appended' | 'lost'> {
    const answers: Promise<PieceAnswer>[] = [];
    const parts = Math.max(1, Math.ceil(body.length / tuning.appendPieceBytes));
    for (let part = 0; part < parts; part++)
      answers.push(
        this.#places.run(() => {
          const piece = body.subarray(part * tuning.appendPieceBytes, (part + 1) * tuning.appendPieceBytes);
          return this.#gather({ ...record, part, body: piece, isLast: part === parts - 1 });
        }),
      );
    return (await Promise.all(answers)).at(-1) === 'appended' ? 'appended' : 'lost';
  }

  #gather(piece: RecordPiece): Promise<PieceAnswer> {
    if (this.#gathered.length === 0) process.nextTick(() => this.#handOver());
    return new Promise((resolve, reject) => this.#gathered.push({ piece, resolve, reject }));
  }

  /** Copies: with a view of memory all of that memory is sent. */
  #handOver(): void {
    const gathered = this.#gathered;
    this.#gathered = [];
    const memory = new Uint8Array(gathered.reduce((sum, { piece: { nonce, body } }) => sum + nonce.length + body.length, 0));
    let end = 0;
    const copied = (bytes: Uint8Array): Uint8Array => {
      memory.set(bytes, end);
      end += bytes.length;
      return memory.subarray(end - bytes.length, end);
    };
    const pieces = gathered.map(({ piece }) => ({ ...piece, nonce: copied(piece.nonce), body: copied(piece.body) }));
    this.#ask({ kind: 'append', pieces } satisfies AppendAsk).then(
      (answer) => {
        for (const [index, { resolve }] of gathered.entries()) resolve((answer as AppendAnswer)[index] ?? 'lost');
      },
      (error: unknown) => {
        for (const { reject } of gathered) reject(error);
      },
    );
  }

  /** The next one says as much and more, should this one not arrive. */
  #written(home: number, number: number): void {
    this.#places.run(() => this.#ask({ kind: 'written', home, number } satisfies WrittenAsk)).catch(() => {});
  }

  async #end(home: number): Promise<LogEnd> {
    const end = (await this.#ask({ kind: 'streamEnd', home } satisfies StreamEndAsk)) as StreamEndAnswer;
    if (end === 'lost') throw lost();
    const unwritten = end.unwritten.map(({ number, nonce, body }) => ({ number, nonce: Buffer.from(nonce), body: Buffer.from(body) }));
    return { number: end.number, nonce: Buffer.from(end.nonce), unwritten };
  }
}

function lost(): ServiceError {
  return new ServiceError('control.UNAVAILABLE', { message: 'The home has another owner.' });
}
