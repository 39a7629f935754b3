// How a host appends what its data files changed: in pieces, through its system, to the node that has the home.
//   HOST-STREAM-LOG-1. The pieces of a record arrive in order and whole, or the record is lost; nonces are of this side alone.
//   HOST-STREAM-LOG-2. Before a data file is served, the records that an incarnation before has applied and not appended are appended.
// Asks beyond their bound would be refused, and a refused append loses the file: so all files of a host share the places.
import { randomBytes } from 'node:crypto';
import type { HostFacts } from '../actors/definition.js';
import { Semaphore } from '../async/semaphore.js';
import { ServiceError } from '../contract/errors.js';
import type { AppendAnswer, AppendAsk, StreamEndAnswer, StreamEndAsk } from './host-requests.js';
import { nonceBytes } from './kv/group-record.js';
import type { StreamLog, StreamPosition } from './kv/stream-log.js';
import { recordsAbove } from './stream-tail.js';
import { tuning } from './tuning.js';

export class HostStreamLogs {
  readonly #ask: HostFacts['ask'];
  readonly #places = new Semaphore(tuning.appendAsksMax);

  constructor({ ask }: Pick<HostFacts, 'ask'>) {
    this.#ask = ask;
  }

  of(home: number): StreamLog {
    return { mintNonce: () => randomBytes(nonceBytes), append: ({ number, nonce, body }) => this.#append({ home, number, nonce }, body) };
  }

  /** Throws where the file of the home cannot be served. Nobody has it open. */
  async bringIn(home: number, directory: string): Promise<void> {
    const log = this.of(home);
    for (const record of await recordsAbove(directory, () => this.#end(home))) if ((await log.append(record)) === 'lost') throw lost();
  }

  async #append(record: Pick<AppendAsk, 'home' | 'number' | 'nonce'>, body: Buffer): Promise<'appended' | 'lost'> {
    const answers: Promise<AppendAnswer>[] = [];
    const parts = Math.max(1, Math.ceil(body.length / tuning.appendPieceBytes));
    for (let part = 0; part < parts; part++)
      answers.push(
        this.#places.run(async () => {
          // Copies: with a view of memory all of the memory would be sent.
          const piece = new Uint8Array(body.subarray(part * tuning.appendPieceBytes, (part + 1) * tuning.appendPieceBytes));
          const ask: AppendAsk = {
            ...record,
            kind: 'append',
            nonce: new Uint8Array(record.nonce),
            part,
            body: piece,
            isLast: part === parts - 1,
          };
          return (await this.#ask(ask)) as AppendAnswer;
        }),
      );
    return (await Promise.all(answers)).at(-1) === 'appended' ? 'appended' : 'lost';
  }

  async #end(home: number): Promise<StreamPosition> {
    const end = (await this.#ask({ kind: 'streamEnd', home } satisfies StreamEndAsk)) as StreamEndAnswer;
    if (end === 'lost') throw lost();
    return { number: end.number, nonce: Buffer.from(end.nonce) };
  }
}

function lost(): ServiceError {
  return new ServiceError('control.UNAVAILABLE', { message: 'The home has another owner.' });
}
