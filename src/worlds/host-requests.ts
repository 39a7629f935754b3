// What worlds.ts asks of a host's kind, beside the messages of worlds: making, finding and deleting them.
import type { WorldProgram } from '../contract/run/build.js';
import type { BirthSettings } from './commands/birth.js';

/** What `createActorKind` is given. */
export interface HostOptions {
  directory: string;
  layout: 'run' | 'shared' | 'homes';
  /** How many homes there are, in the layout `homes`. */
  homes?: number | undefined;
  /** Each data file of a home is a stream of a log that the system appends to. Default false. */
  isLogged?: boolean | undefined;
  durability: 'committed' | 'flushed';
  /** Standing hosts: a host also serves the data files that had a host of their own when there were more. */
  hosts: number;
  freshModulePerTurn: boolean;
  /** To standard error. */
  printThrows: boolean;
  storedBytesMax?: number | undefined;
}

export interface CreateRequest extends BirthSettings {
  kind: 'create';
  worldId: string;
  buildHash: string;
  setupHash: string;
  /** Sent when the host has asked for it. */
  program?: WorldProgram;
  /** Of the program: its setup is known to fit its tools. Default false. */
  isChecked?: boolean;
}
/** `unknown_program`: the host has never seen it; ask again with `program`. */
export type CreateReply = { kind: 'created'; worldInstanceId: string } | { kind: 'unknown_program' };
export interface FindRequest {
  kind: 'find';
  worldId: string;
}
export type FindReply = { worldInstanceId: string } | undefined;
export interface DestroyRequest {
  kind: 'destroy';
  worldId: string;
}
/** Copies of the host's data files, each as it is at one moment from now on, with the worlds that are named. */
export interface CopyRequest {
  kind: 'copy';
  /** The folder for them, as the host sees it: `<name>.copy` for each. */
  to: string;
  /** Worlds that are in the files and not named are left out of the copies. */
  worldIds: string[];
}
/** From now on worlds of the home are served. */
export interface OpenHomeRequest {
  kind: 'openHome';
  home: number;
}
/** From now on they are not; answered when their data file is closed. */
export interface CloseHomeRequest {
  kind: 'closeHome';
  home: number;
  /** Somebody else has the home: nothing of it is committed or answered any more. */
  isLost: boolean;
}
/** The names of the data files: `host-<n>` or `home-<n>`. */
export type CopyReply = { names: string[] };
export type HostRequest = CreateRequest | FindRequest | DestroyRequest | CopyRequest | OpenHomeRequest | CloseHomeRequest;

/** What a host asks when it starts, in the layout `homes`: which of its homes are open. */
export interface OpenHomesAsk {
  kind: 'openHomes';
}
export interface OpenHomesAnswer {
  homes: number[];
}

/** What the host hands over in one moment. */
export interface AppendAsk {
  kind: 'append';
  /** In order. */
  pieces: readonly RecordPiece[];
}
/** A piece of a record of a home's data file. */
export interface RecordPiece {
  home: number;
  number: number;
  nonce: Uint8Array;
  /** From 0. */
  part: number;
  body: Uint8Array;
  isLast: boolean;
}
/** One a piece. That of the last piece of a record is what became of the record. */
export type AppendAnswer = readonly PieceAnswer[];
export type PieceAnswer = 'taken' | 'appended' | 'lost';
/** Which record of the home's data file the log has as its newest; answered when what an earlier incarnation appends is decided. */
export interface StreamEndAsk {
  kind: 'streamEnd';
  home: number;
}
export type StreamEndAnswer = (SentPosition & { unwritten: readonly SentRecord[] }) | 'lost';
interface SentPosition {
  number: number;
  nonce: Uint8Array;
}
export interface SentRecord extends SentPosition {
  body: Uint8Array;
}
/** The home's data file has everything up to the record; answered at once. */
export interface WrittenAsk {
  kind: 'written';
  home: number;
  number: number;
}
