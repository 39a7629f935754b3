// Which homes are open in one actor system, the way to open and close them on its hosts, and what these append.
//   SYSTEM-HOMES-1. A host that starts serves the homes that are open at that moment, whatever an earlier incarnation of it served.
//   SYSTEM-HOMES-2. When a home is closed, no incarnation of a host has a file of it open.
//   SYSTEM-HOMES-3. A host appends to the homes that are open or closing there and no others, one record at a time; once a home is lost,
//     each append of it is answered so, also those that are open.
import { WrongAsk } from '../actors/ask-answers.js';
import type { ActorSystem } from '../actors/system.js';
import { isServiceError, ServiceError } from '../contract/errors.js';
import type { FolderLog, HomedWorlds, WorldHomes } from './api.js';
import { hostOfHome } from './homes.js';
import type {
  AppendAnswer,
  CloseHomeRequest,
  OpenHomeRequest,
  OpenHomesAnswer,
  PieceAnswer,
  RecordPiece,
  StreamEndAnswer,
} from './host-requests.js';
import { nonceBytes } from './kv/group-record.js';
import { RecordPieces } from './record-pieces.js';

/** Of a home that is open or closing. */
interface Served {
  readonly pieces: RecordPieces;
  /** The append that is under way. */
  appending: Promise<unknown> | undefined;
  isLost: boolean;
  /** Who waits, and has 'lost' for an answer once it is. A promise would keep everybody who ever waited for it. */
  readonly losing: Set<() => void>;
}

export class SystemHomes implements HomedWorlds {
  readonly count: number;
  readonly #hosts: number;
  readonly #log: FolderLog | undefined;
  readonly #open = new Set<number>();
  readonly #served = new Map<number, Served>();
  #system: ActorSystem | undefined;

  constructor({ count, open, log }: WorldHomes, hosts: number) {
    this.count = count;
    this.#hosts = hosts;
    this.#log = log;
    for (const home of open) this.#serve(this.#known(home));
  }

  /** Of the system that answers its hosts with `answer`. */
  use(system: ActorSystem): void {
    this.#system = system;
  }

  async answer(host: number, request: unknown): Promise<OpenHomesAnswer | AppendAnswer | StreamEndAnswer> {
    const ask = request as { kind?: unknown; home?: unknown; pieces?: unknown } | null;
    if (ask?.kind === 'openHomes') return { homes: [...this.#open].filter((home) => hostOfHome(home, this.#hosts) === host) };
    if (this.#log === undefined) throw new ServiceError('control.INVALID_REQUEST', { message: 'There is no such ask.' });
    switch (ask?.kind) {
      case 'append':
        return await this.#appendAll(this.#log, host, ask.pieces);
      case 'streamEnd':
        return await this.#endOf(this.#log, this.#homeOf(host, ask.home));
      default:
        throw new ServiceError('control.INVALID_REQUEST', { message: 'There is no such ask.' });
    }
  }

  #homeOf(host: number, home: unknown): number {
    if (Number.isInteger(home) && hostOfHome(home as number, this.#hosts) === host) return home as number;
    throw new WrongAsk('it asked of a home of another host');
  }

  async openHome(home: number): Promise<void> {
    this.#serve(this.#known(home));
    await this.#tell(home, { kind: 'openHome', home });
  }

  async closeHome(home: number, { lost = false }: { lost?: boolean } = {}): Promise<void> {
    this.#open.delete(this.#known(home));
    const served = this.#served.get(home);
    const leave = (): void => {
      if (this.#served.get(home) === served && !this.#open.has(home)) this.#served.delete(home);
    };
    if (lost) {
      if (served !== undefined) lose(served);
      leave();
    }
    await this.#tell(home, { kind: 'closeHome', home, isLost: lost });
    leave();
  }

  #serve(home: number): void {
    this.#open.add(home);
    if (this.#served.has(home)) return;
    this.#served.set(home, { pieces: new RecordPieces(), appending: undefined, isLost: false, losing: new Set() });
  }

  async #appendAll(log: FolderLog, host: number, pieces: unknown): Promise<AppendAnswer> {
    if (!Array.isArray(pieces)) throw new WrongAsk('it appended what is no record');
    // Each as soon as it comes: what stops one stops none of those before it.
    return await Promise.all(pieces.map((piece: RecordPiece | null) => this.#append(log, host, piece)));
  }

  async #append(log: FolderLog, host: number, piece: RecordPiece | null): Promise<PieceAnswer> {
    const home = this.#homeOf(host, piece?.home);
    requireShape(piece as RecordPiece);
    const served = this.#served.get(home);
    if (served === undefined) return 'lost';
    if (served.appending !== undefined) throw new WrongAsk('it appended two records of a home at once');
    const record = served.pieces.join(piece as RecordPiece);
    if (record === undefined) return 'taken';
    const appending = log.append(home, record).finally(() => {
      served.appending = undefined;
    });
    served.appending = appending.catch(() => {});
    return await unlessLost(served, appending);
  }

  async #endOf(log: FolderLog, home: number): Promise<StreamEndAnswer> {
    const served = this.#served.get(home);
    // Pieces that an incarnation before has sent are never followed by the rest.
    served?.pieces.reset();
    if (served === undefined || (await unlessLost(served, Promise.resolve(served.appending))) === 'lost') return 'lost';
    return await unlessLost(served, log.endOf(home));
  }

  /** A host that is not there, or ends before it has answered, asks when it starts again. */
  async #tell(home: number, request: OpenHomeRequest | CloseHomeRequest): Promise<void> {
    const host = hostOfHome(home, this.#hosts);
    if (this.#system?.hasHost(host) !== true) return;
    try {
      await this.#system.control(host, request);
    } catch (error) {
      if (!isServiceError(error, 'world.ACTOR_RESTARTED', 'world.HANDLER_TIMEOUT')) throw error;
    }
  }

  #known(home: number): number {
    if (Number.isInteger(home) && home >= 1 && home <= this.count) return home;
    throw new ServiceError('control.INVALID_REQUEST', { message: `A home is one of 1 to ${this.count}.` });
  }
}

function lose(served: Served): void {
  served.isLost = true;
  for (const tell of served.losing) tell();
  served.losing.clear();
}
/** What comes first. */
function unlessLost<T>({ isLost, losing }: Served, work: Promise<T>): Promise<T | 'lost'> {
  return new Promise((resolve, reject) => {
    const tell = (): void => resolve('lost');
    if (isLost) tell();
    losing.add(tell);
    work.then(resolve, reject).finally(() => losing.delete(tell));
  });
}

/** A host in a process of its own may have sent anything. */
function requireShape({ number, nonce, part, body, isLast }: RecordPiece): void {
  const isRecord = Number.isSafeInteger(number) && number > 0 && nonce instanceof Uint8Array && nonce.length === nonceBytes;
  const isPiece = Number.isSafeInteger(part) && body instanceof Uint8Array && typeof isLast === 'boolean';
  if (!isRecord || !isPiece) throw new WrongAsk('it appended what is no record');
}
