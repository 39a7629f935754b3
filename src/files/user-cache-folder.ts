// Where this user keeps what can be made again. Loads next to nothing, as the command line asks before anything else is loaded.
import { lstatSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildId } from './installation.js';

/**
 * What this build of the program keeps, in a folder of its own; undefined where the user has no folder, or where the program was not built
 * whole.
 */
export function buildCacheFolder(): string | undefined {
  const [folder, id] = [userCacheFolder(), buildId()];
  return folder === undefined || id === undefined ? undefined : join(folder, 'builds', id);
}

/**
 * What came with this build: the library and the first example, compiled (scripts/build-shipped.mjs). It is as trusted as the program, and
 * nothing is written into it. Undefined where the program was not built whole.
 */
export function shippedCacheFolder(): string | undefined {
  const id = buildId();
  return id === undefined ? undefined : fileURLToPath(new URL(`../../shipped-cache/builds/${id}`, import.meta.url));
}

/**
 * DRILLYARD_CACHE_DIR, an absolute path, or `off` for none; otherwise `drillyard` in the folder that the system has for caches. Undefined
 * where there is none, or where it belongs to somebody else or others may write into it.
 */
export function userCacheFolder(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const given = environment.DRILLYARD_CACHE_DIR;
  const folder = given === undefined || given === '' ? systemFolder(environment) : given;
  return folder !== undefined && isAbsolute(folder) && isOwn(folder) ? folder : undefined;
}

function systemFolder({ LOCALAPPDATA, XDG_CACHE_HOME }: NodeJS.ProcessEnv): string | undefined {
  const named = process.platform === 'win32' ? LOCALAPPDATA : XDG_CACHE_HOME;
  if (named !== undefined && isAbsolute(named)) return join(named, 'drillyard');
  const below = { win32: ['AppData', 'Local'], darwin: ['Library', 'Caches'] }[process.platform as string] ?? ['.cache'];
  try {
    return join(homedir(), ...below, 'drillyard');
  } catch {
    // A user of no name, as in a box, has no home.
    return undefined;
  }
}

/** A folder that is not there yet will be made for the user alone. */
function isOwn(folder: string): boolean {
  try {
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (found === undefined || process.getuid === undefined) return found?.isDirectory() !== false;
    return found.isDirectory() && found.uid === process.getuid() && (found.mode & othersMayWrite) === 0;
  } catch {
    return false;
  }
}

const othersMayWrite = 0o022;
