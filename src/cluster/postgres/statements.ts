// Who runs statements: a session of its own, or the transaction of another's work.
import type { Row, Statement } from './connection.js';

export type RunStatement = (statement: Statement) => Promise<Row[]>;
export interface Statements {
  run: RunStatement;
  /** The work as one transaction. */
  transaction<T>(work: (run: RunStatement) => Promise<T>): Promise<T>;
}

/** What is done by these is part of a transaction that has begun. */
export const partOf = (run: RunStatement): Statements => ({ run, transaction: (work) => work(run) });
