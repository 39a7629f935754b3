// What worlds.ts asks of a host's kind, beside the messages of worlds: making, finding and deleting them.
import type { WorldProgram } from '../contract/run/build.js';
import type { BirthSettings } from './commands/birth.js';

/** What `createActorKind` is given. */
export interface HostOptions {
  directory: string;
  layout: 'run' | 'shared';
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
/** The names of the data files: `host-<n>`. */
export type CopyReply = { names: string[] };
export type HostRequest = CreateRequest | FindRequest | DestroyRequest | CopyRequest;
