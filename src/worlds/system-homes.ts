// Which homes are open in one actor system, the way to open and close them on its hosts, and what these append.
//   SYSTEM-HOMES-1. A host that starts serves the homes that are open at that moment, whatever an earlier incarnation of it served.
//   SYSTEM-HOMES-2. When a home is closed, no incarnation of a host has a file of it open.
//   SYSTEM-HOMES-3. A host appends to the homes that are open or closing there and no others, one record at a time; once a home is lost,
//     each append of it is answered so, also those that are open.
import { WrongAsk } from '../actors/ask-answers.js';
import type { ActorSystem } from '../actors/system.js';
import { isServiceError, ServiceError } from '../contract/errors.js';
import type { FolderLog, HomedWorlds, HostChildren, WorldHomes } from './api.js';
import { homeFileName, hostOfHome } from './homes.js';
import type {
  AppendAnswer,
  CloseHomeRequest,
  OpenHomeRequest,
  OpenHomesAnswer,
  PieceAnswer,
  RecordPiece,
  SentRecord,
  StreamEndAnswer,
  WrittenAsk,
} from './host-requests.js';
import { nonceBytes } from './kv/group-record.js';
import type { StreamRecord } from './kv/stream-log.js';
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

/** What becomes of one piece: one of them is called, once. */
interface Answering {
  answered(answer: PieceAnswer): void;
  failed(error: unknown): void;
}

export class SystemHomes implements HomedWorlds {
  readonly count: number;
  readonly #hosts: number;
  readonly #log: FolderLog | undefined;
  readonly #children: HostChildren | undefined;
  readonly #open = new Set<number>();
  readonly #served = new Map<number, Served>();
  #system: ActorSystem | undefined;

  constructor({ count, open, log }: WorldHomes, { hosts, children }: { hosts: number; children?: HostChildren | undefined }) {
    this.count = count;
    this.#hosts = hosts;
    this.#log = log;
    this.#children = children;
    for (const home of open) this.#serve(this.#known(home));
  }

  /** Of the system that answers its hosts with `answer`. */
  use(system: ActorSystem): void {
    this.#system = system;
  }

  async answer(host: number, request: unknown): Promise<OpenHomesAnswer | AppendAnswer | StreamEndAnswer | undefined> {
    const ask = request as { kind?: unknown; home?: unknown; pieces?: unknown } | null;
    if (ask?.kind === 'openHomes') return this.#openOf(host);
    if (this.#log === undefined) throw new ServiceError('control.INVALID_REQUEST', { message: 'There is no such ask.' });
    switch (ask?.kind) {
      case 'append':
        return await this.#appendAll(this.#log, host, ask.pieces);
      case 'streamEnd':
        return await this.#endOf(this.#log, this.#homeOf(host, ask.home));
      case 'written':
        return this.#written(this.#log, this.#homeOf(host, ask.home), request as WrittenAsk);
      default:
        throw new ServiceError('control.INVALID_REQUEST', { message: 'There is no such ask.' });
    }
  }

  #openOf(host: number): OpenHomesAnswer {
    const homes = [...this.#open].filter((home) => hostOfHome(home, this.#hosts) === host);
    for (const home of homes) this.#children?.admitHome?.(homeFileName(home));
    return { homes };
  }

  #homeOf(host: number, home: unknown): number {
    if (Number.isInteger(home) && hostOfHome(home as number, this.#hosts) === host) return home as number;
    throw new WrongAsk('it asked of a home of another host');
  }

  async openHome(home: number): Promise<void> {
    this.#serve(this.#known(home));
    this.#children?.admitHome?.(homeFileName(home));
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
    await this.#children?.releaseHome?.(homeFileName(home));
    leave();
  }

  #serve(home: number): void {
    this.#open.add(home);
    if (this.#served.has(home)) return;
    this.#served.set(home, { pieces: new RecordPieces(), appending: undefined, isLost: false, losing: new Set() });
  }

  /** What stops one stops none of the others; each is handed over before this returns. A wrong one ends the host. */
  #appendAll(log: FolderLog, host: number, pieces: unknown): Promise<AppendAnswer> {
    if (!Array.isArray(pieces)) throw new WrongAsk('it appended what is no record');
    return new Promise((resolve, reject) => {
      const answers: PieceAnswer[] = new Array(pieces.length);
      let left = pieces.length;
      const answered = (index: number, answer: PieceAnswer): void => {
        answers[index] = answer;
        left -= 1;
        if (left === 0) resolve(answers);
      };
      const failed = (index: number, error: unknown): void => {
        if (error instanceof WrongAsk) reject(error);
        else console.error(`drillyard: a record of a host was not appended: ${(error as Error).message}`);
        answered(index, 'lost');
      };
      if (left === 0) resolve(answers);
      pieces.forEach((piece: RecordPiece | null, index) => {
        try {
          this.#append(log, host, piece, { answered: (answer) => answered(index, answer), failed: (error) => failed(index, error) });
        } catch (error) {
          failed(index, error);
        }
      });
    });
  }

  /** Without a promise for each of what is asked in one moment but that of the log. */
  #append(log: FolderLog, host: number, piece: RecordPiece | null, { answered, failed }: Answering): void {
    const home = this.#homeOf(host, piece?.home);
    requireShape(piece as RecordPiece);
    const served = this.#served.get(home);
    if (served === undefined) {
      answered('lost');
      return;
    }
    if (served.appending !== undefined) throw new WrongAsk('it appended two records of a home at once');
    const record = served.pieces.join(piece as RecordPiece);
    if (record === undefined) {
      answered('taken');
      return;
    }
    const appending = log.append(home, record);
    served.appending = appending;
    const isOpen = whileOpen(served, () => answered('lost'));
    const over = (): boolean => {
      served.appending = undefined;
      return isOpen();
    };
    appending.then(
      (outcome) => {
        if (over()) answered(outcome);
      },
      (error: unknown) => {
        if (over()) failed(error);
      },
    );
  }

  async #endOf(log: FolderLog, home: number): Promise<StreamEndAnswer> {
    const served = this.#served.get(home);
    // Pieces that an incarnation before has sent are never followed by the rest.
    served?.pieces.reset();
    const decided = Promise.resolve(served?.appending).catch(() => {});
    if (served === undefined || (await unlessLost(served, decided)) === 'lost') return 'lost';
    const end = await unlessLost(served, log.endOf(home));
    return end === 'lost' ? 'lost' : { number: end.number, nonce: end.nonce, unwritten: log.unwritten(home).map(sent) };
  }

  #written(log: FolderLog, home: number, { number }: WrittenAsk): undefined {
    if (!Number.isSafeInteger(number) || number < 1) throw new WrongAsk('it wrote what is no record');
    if (this.#served.has(home)) log.written(home, number);
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
/** Calls `lost` once the home is, or at once; what this returns says whether it was not called, and no longer calls it. */
function whileOpen({ isLost, losing }: Served, lost: () => void): () => boolean {
  let isOpen = !isLost;
  const tell = (): void => {
    isOpen = false;
    lost();
  };
  if (isOpen) losing.add(tell);
  else lost();
  return () => {
    losing.delete(tell);
    return isOpen;
  };
}
/** What comes first. */
function unlessLost<T>(served: Served, work: Promise<T>): Promise<T | 'lost'> {
  return new Promise((resolve, reject) => {
    const isOpen = whileOpen(served, () => resolve('lost'));
    work.then(resolve, reject).finally(isOpen);
  });
}

/** Copies: with a view of memory all of that memory is sent. */
const sent = ({ number, nonce, body }: StreamRecord): SentRecord => ({ number, nonce: new Uint8Array(nonce), body: new Uint8Array(body) });

/** A host in a process of its own may have sent anything. */
function requireShape({ number, nonce, part, body, isLast }: RecordPiece): void {
  const isRecord = Number.isSafeInteger(number) && number > 0 && nonce instanceof Uint8Array && nonce.length === nonceBytes;
  const isPiece = Number.isSafeInteger(part) && body instanceof Uint8Array && typeof isLast === 'boolean';
  if (!isRecord || !isPiece) throw new WrongAsk('it appended what is no record');
}
