// Sessions of PostgreSQL, and what their answers mean: done, not done, or not known.
//   CONNECTION-1. What may have been committed is never reported as not done: no answer, an answer with a warning (a commit that did not
//                 wait for its standby stays), and the end of a session are LogUnknown; LogUnavailable is a statement that was refused as a
//                 whole, or was never sent.
//   CONNECTION-2. No statement is ever cancelled: a session that answers too late is dropped, and its server ends what it does by itself.
//                 Each statement of a session with patience has a bound, `begin` and `commit` too: one that has gone silent holds
//                 nothing up for longer, and a transaction that it was in the middle of is not made.
import type { Duplex } from 'node:stream';
import type { Client } from 'pg';
import { within } from '../../async/deadline.js';
import { type DatabaseAddress, databaseAddress, databaseParameters } from '../../contract/cluster-database.js';
import { ServiceError } from '../../contract/errors.js';
import { type ClusterClock, steadyClock } from '../clock.js';
import { LogUnavailable, LogUnknown, StoreUnavailable } from '../log.js';
import { tuning } from '../tuning.js';
import type { BoundValue } from './bound-statement.js';
import type { Patience } from './patience.js';
import { RowlessStatement } from './rowless-statement.js';

export type Row = { [column: string]: unknown };
export interface Statement {
  text: string;
  values?: unknown[];
  /** Prepared once a session under this name. */
  name?: string;
  /** Default: as the session's patience says; without one, for as long as the session lasts. */
  answerMs?: number;
  /** It changes nothing, so nothing of it can be unknown. */
  isRead?: boolean;
  /** Default true. False of a statement with a name, whose values are texts and bytes. */
  hasRows?: boolean;
}

/** A statement that the server refused by a code of its own: nothing of it was done. */
export class Refused extends Error {
  readonly sqlState: string;

  constructor(sqlState: string, cause: unknown) {
    super((cause as Error).message, { cause });
    this.sqlState = sqlState;
  }
}

/** SQLSTATE (PostgreSQL, appendix A) of what can end a session while its commit is under way, or says so itself. */
const doubtful = /^(?:08|57|58|XX|40003)/;
/** What the caller decides by: division by zero, a key that is there already. */
export const sqlStates = { divisionByZero: '22012', uniqueViolation: '23505' };

export interface SessionOptions {
  url: string;
  /** The name of the session in the server; at most 63 characters. */
  name: string;
  clock?: ClusterClock;
  /** Its commits wait for no standby. */
  isLocal?: boolean;
  /** Of each of its statements that says nothing of it. */
  patience?: Patience;
}

/** One session, opened when it is needed and again after it was lost. Its statements run one at a time, in the order of their calls. */
export class PostgresSession {
  readonly #options: SessionOptions;
  readonly #address: DatabaseAddress;
  #client: Promise<Client> | undefined;
  #warning: string | undefined;
  #tail: Promise<unknown> = Promise.resolve();
  #closed = false;

  /** control.INVALID_REQUEST for a URL that names no database, or says what a session decides. */
  constructor(options: SessionOptions) {
    this.#options = options;
    const address = databaseAddress(options.url);
    if (address === undefined) {
      const message = `The URL of the cluster must begin with postgres://, and may have no other parameters than ${databaseParameters.join(', ')}.`;
      throw new ServiceError('control.INVALID_REQUEST', { message });
    }
    this.#address = address;
  }

  async run(statement: Statement): Promise<Row[]> {
    const rows = await this.runAll([statement]);
    if (statement.isRead !== true) this.#options.patience?.written();
    return rows;
  }

  /** In one session without another's statements between them; the rows of the last. */
  runAll(statements: readonly Statement[]): Promise<Row[]> {
    return this.alone(async (run) => {
      let rows: Row[] = [];
      for (const statement of statements) rows = await run(statement);
      return rows;
    });
  }

  /** The work has the session for itself, and one connection for all of it: when that is lost, the rest of the work fails. */
  alone<T>(work: (run: (statement: Statement) => Promise<Row[]>) => Promise<T>): Promise<T> {
    const done = this.#tail.then(async () => {
      const client = await this.#connect();
      return work((statement) => this.#run(client, statement));
    });
    this.#tail = done.catch(() => undefined);
    return done;
  }

  /** The work as one transaction. */
  transaction<T>(work: (run: (statement: Statement) => Promise<Row[]>) => Promise<T>): Promise<T> {
    return this.alone(async (run) => {
      try {
        await run({ text: 'begin' });
        const result = await work(run);
        await run({ text: 'commit' });
        this.#options.patience?.written();
        return result;
      } catch (error) {
        // Its transaction ends with it.
        await this.drop();
        throw error;
      }
    });
  }

  /** The next statement gets a connection of its own. */
  async drop(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    this.#client = undefined;
    if (client !== undefined) destroy(client);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const client = await this.#client?.catch(() => undefined);
    this.#client = undefined;
    if (client === undefined) return;
    await within(tuning.connectMs, client.end()).catch(() => undefined);
    destroy(client);
  }

  async #run(client: Client, statement: Statement): Promise<Row[]> {
    const { patience, clock = steadyClock } = this.#options;
    const { answerMs = patience?.ms, isRead = false } = statement;
    this.#warning = undefined;
    let cancelTimer = (): void => {};
    const late = new Promise<never>((_, reject) => {
      if (answerMs === undefined) return;
      cancelTimer = clock.after(answerMs, () => {
        patience?.lost();
        reject(new LogUnknown(`no answer within ${answerMs} ms`));
        void this.drop();
      });
    });
    try {
      const rows = await Promise.race([asked(client, statement), late]);
      if (this.#warning !== undefined && !isRead) throw new LogUnknown(this.#warning);
      return rows;
    } catch (error) {
      throw meaningOf(error, isRead, this.#warning);
    } finally {
      cancelTimer();
    }
  }

  #connect(): Promise<Client> {
    if (this.#closed) throw new LogUnavailable('the session is closed');
    this.#client ??= this.#open().catch((error: unknown) => {
      this.#client = undefined;
      throw new LogUnavailable(reasonOf(error as Error), { cause: error });
    });
    return this.#client;
  }

  async #open(): Promise<Client> {
    const { default: pg } = await import('pg');
    const client = new pg.Client({
      connectionString: this.#address.url,
      application_name: this.#options.name,
      connectionTimeoutMillis: tuning.connectMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: tuning.peerGoneMs,
      options: [this.#address.options, ...this.#settings.map((setting) => `-c ${setting}`)].join(' ').trim(),
    });
    client.on('error', () => this.#forget(client));
    client.on('end', () => this.#forget(client));
    client.on('notice', ({ severity, message }: { severity?: string | undefined; message?: string | undefined }) => {
      if (severity === 'WARNING') this.#warning = message ?? 'a warning';
    });
    await client.connect();
    return client;
  }

  /** Behind those of the URL: of two with one name the last holds. */
  get #settings(): string[] {
    return [
      // A timeout of the server's would cancel a commit that waits for its standby, and the commit would stay.
      'statement_timeout=0',
      `tcp_user_timeout=${tuning.peerGoneMs}`,
      'tcp_keepalives_idle=1',
      'tcp_keepalives_interval=1',
      ...(this.#options.isLocal === true ? ['synchronous_commit=local'] : []),
    ];
  }

  #forget(lost: Client): void {
    const present = this.#client;
    void present?.then(
      (client) => {
        if (client === lost && this.#client === present) this.#client = undefined;
      },
      () => undefined,
    );
  }
}

async function asked(client: Client, { text, values, name, hasRows = true }: Statement): Promise<Row[]> {
  if (hasRows) return (await client.query<Row>({ text, ...(values && { values }), ...(name !== undefined && { name }) })).rows;
  await client.query(new RowlessStatement({ text, values: values as BoundValue[], name: name as string })).done;
  return [];
}

/** Of a name with several addresses, none of which answers, Node.js has an error with a code and no message. */
const reasonOf = ({ message, code }: NodeJS.ErrnoException): string => (message === '' ? (code ?? 'nobody answers') : message);

/** Also of one that waits for an answer, which `end` would wait for too. */
const destroy = (client: Client): void => void (client as unknown as { connection: { stream: Duplex } }).connection.stream.destroy();

function meaningOf(error: unknown, isRead: boolean, warning: string | undefined): Error {
  if (error instanceof LogUnknown) return isRead ? new LogUnavailable(error.message) : error;
  const { code, message } = error as { code?: unknown; message: string };
  const isState = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && (error as { severity?: unknown }).severity !== undefined;
  if (isRead) return isState && !doubtful.test(code) ? new Refused(code, error) : new LogUnavailable(message, { cause: error });
  if (!isState || doubtful.test(code) || warning !== undefined) return new LogUnknown(message, { cause: error });
  return new Refused(code, error);
}

/** For statements of which each refusal means: not now. */
export function unavailable(error: unknown): Error {
  return error instanceof Refused ? new LogUnavailable(error.message, { cause: error }) : (error as Error);
}

/** SQLSTATE of what a server says while it starts, ends, or has too many sessions, and of what was in the way of another transaction. */
const passing = /^(?:08|40|53|55|57)/;
/** What the client says of its configuration: a file that is not there, TLS that the server has not, a certificate that is not right. */
const isOfConfiguration = ({ code, syscall, message }: NodeJS.ErrnoException): boolean =>
  syscall === 'open' || /CERT|^UNABLE_TO_|^ERR_(?:TLS|SSL|OSSL)/.test(code ?? '') || /support SSL/.test(message);

/**
 * Whether it may be otherwise in a moment: nobody answered, or a server that will. A wrong password, a missing database or a store that is
 * not there will not.
 */
export function mayPass(error: unknown): boolean {
  if (!(error instanceof LogUnavailable || error instanceof LogUnknown) || error instanceof StoreUnavailable) return false;
  const { cause } = error;
  if (cause instanceof Error && isOfConfiguration(cause)) return false;
  const { code, severity } = (cause ?? {}) as { code?: unknown; severity?: unknown };
  const said = cause instanceof Refused ? cause.sqlState : severity === undefined ? undefined : code;
  return said === undefined || (typeof said === 'string' && passing.test(said));
}
