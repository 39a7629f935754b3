// A prepared statement of which only the outcome counts: the client of PostgreSQL is asked neither to describe rows nor to gather any, and
// its values are sent as they are.
import type { Connection, Submittable } from 'pg';
import { type BoundValue, boundStatement } from './bound-statement.js';

export interface PreparedStatement {
  /** Prepared once a session under this name. */
  name: string;
  text: string;
  values: readonly BoundValue[];
}
/** What the client keeps on its connection: the texts of the statements that are prepared there, by name. */
interface StatementConnection {
  parsedStatements: { [name: string]: string };
  submittedNamedStatements: { [name: string]: string };
}

/** The client calls its members, as those of its own queries. */
export class RowlessStatement implements Submittable, PreparedStatement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly BoundValue[];
  readonly done: Promise<void>;
  #resolve = (): void => {};
  #reject = (_error: Error): void => {};

  constructor({ name, text, values }: PreparedStatement) {
    this.name = name;
    this.text = text;
    this.values = values;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** All of it leaves as one. */
  submit(connection: Connection): void {
    const { name, text, values } = this;
    const { parsedStatements, submittedNamedStatements } = connection as unknown as StatementConnection;
    const { stream } = connection;
    // As the client does: the end of the session is on its way.
    if (!stream.writable) return;
    if (parsedStatements[name] !== undefined) {
      stream.write(boundStatement(name, values));
      return;
    }
    stream.cork();
    try {
      connection.parse({ name, text, types: [] }, true);
      submittedNamedStatements[name] = text;
      stream.write(boundStatement(name, values));
    } finally {
      stream.uncork();
    }
  }

  handleReadyForQuery(): void {
    this.#resolve();
  }
  /** Also of the end of the session. */
  handleError(error: Error): void {
    this.#reject(error);
  }
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handlePortalSuspended(): void {}
}
