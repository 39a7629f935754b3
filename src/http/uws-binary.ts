// The native binary of uWebSockets.js, which is installed apart: which build of it there is, and what we use of it.
// The binary is loaded directly: the registry package's own entry prints warnings and falls back to another implementation where it does
// not load.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';

/** What we use of it. */
export interface Uws {
  App(): UwsApp;
  us_socket_local_port(socket: object): number;
  /** Not documented; `silent` leaves out the header that names the server. */
  _cfg?(key: string): void;
}
export interface UwsApp {
  any(pattern: string, handler: (response: UwsResponse, request: UwsRequest) => void): UwsApp;
  listen(host: string, port: number, options: number, callback: (socket: object | false) => void): UwsApp;
  /** Of later builds: asked for each connection that comes (1) and goes (-1). */
  filter?(handler: (response: Pick<UwsResponse, 'close' | 'getRemoteAddressAsText'>, change: number) => void): UwsApp;
  close(): void;
}
export interface UwsRequest {
  getMethod(): string;
  getUrl(): string;
  getQuery(): string | undefined;
  forEach(callback: (name: string, value: string) => void): void;
}
export interface UwsResponse {
  writeStatus(status: string): void;
  writeHeader(name: string, value: string): void;
  end(body: string | Uint8Array, closeConnection: boolean): void;
  /** False where the client is slower than we are. */
  write(chunk: string | Uint8Array): boolean;
  /** Whether all of it has left, and whether the reply is over. */
  tryEnd(chunk: string | Uint8Array, totalBytes: number): [boolean, boolean];
  onWritable(handler: (offset: number) => boolean): void;
  /** Bytes of the body that the system has taken. */
  getWriteOffset(): number;
  close(): void;
  pause(): void;
  resume(): void;
  getRemoteAddressAsText(): ArrayBuffer;
  onAborted(callback: () => void): void;
  onData(callback: (chunk: ArrayBuffer, isLast: boolean) => void): void;
  cork(callback: () => void): void;
}

export interface UwsBuild {
  uws: Uws;
  /** Its makers' own package; else what the registry has under another name. */
  isOfficial: boolean;
}

/** For this Node.js, platform and processor; undefined where there is none or it does not load. */
export function loadUws(): UwsBuild | undefined {
  const require = createRequire(import.meta.url);
  // Above this file, and nowhere that the environment names.
  const modules = (require.resolve.paths('uWebSockets.js') ?? []).filter((folder) => basename(folder) === 'node_modules');
  const folders = modules.map((folder) => join(folder, 'uWebSockets.js'));
  for (const { file, isOfficial } of uwsBinaries(folders)) {
    try {
      const uws = require(file) as Uws;
      uws._cfg?.('silent');
      return { uws, isOfficial };
    } catch {
      // Of another C library, or broken: the next one.
    }
  }
  return undefined;
}

/** Those that fit in package folders, the official ones first, as one beside us may be older than one further up. */
export function uwsBinaries(folders: readonly string[]): { file: string; isOfficial: boolean }[] {
  const name = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
  const found = folders.flatMap((folder) => {
    const file = [join(folder, name), join(folder, 'binaries', name)].find((one) => existsSync(one));
    return file === undefined ? [] : [{ file, isOfficial: nameOf(folder) === 'uWebSockets.js' }];
  });
  return [...found.filter(({ isOfficial }) => isOfficial), ...found.filter(({ isOfficial }) => !isOfficial)];
}

function nameOf(folder: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name?: string }).name;
  } catch {
    return undefined;
  }
}
