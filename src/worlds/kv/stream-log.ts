// What a data file needs of a log that other machines read: the port of the writer. Why: docs/decisions/020.

/** A place in the stream of records of a data file. */
export interface StreamPosition {
  /** From 1, without gaps; 0: there is no record yet. */
  readonly number: number;
  /** 16 bytes that tell a record from another one at the same place; zeros at 0. */
  readonly nonce: Buffer;
}
/** What one or several transactions of a data file have changed, as group-record.ts writes it. */
export interface StreamRecord extends StreamPosition {
  readonly body: Buffer;
}

export interface StreamLog {
  /** 16 bytes that were never given before, on any machine. */
  mintNonce(): Buffer;
  /**
   * Takes as long as it needs; one is in flight at a time. `lost`: the file has another owner, and the record is not in the log, or
   * nobody can say. A rejection is a bug, and counts as `lost`.
   */
  append(record: StreamRecord): Promise<'appended' | 'lost'>;
  /**
   * Hears up to which record the file has everything, whenever more was written to it. Where it is there, a file may be written later than
   * its log: what was appended since is kept beside it, for who opens it again (stream-tail.ts). Absent: nobody keeps anything.
   */
  written?(number: number): void;
}
