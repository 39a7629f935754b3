// Reading files below a declared root: no symbolic link on the way, no path that leaves it, UTF-8 only, sizes bounded.
// The root itself may be a link (npm links packages); it is resolved once.
import {
  closeSync,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { isAbsolute, join, normalize, sep } from 'node:path';
import { limits } from '../contract/limits.js';
import { plainFlags } from '../files/plain-file.js';

export type FileFault = 'missing' | 'unreadable' | 'symlink' | 'escape' | 'not_a_file' | 'too_large' | 'invalid_text';
export type FileText = { kind: 'text'; text: string; bytes: Uint8Array } | { kind: 'fault'; fault: FileFault; message: string };

const faultMessages: { [fault in FileFault]: string } = {
  missing: 'does not exist',
  unreadable: 'cannot be reached: permission is denied, or the path is too long',
  symlink: 'is, or lies behind, a symbolic link; links below a declared root are not followed',
  escape: 'leads out of its root',
  not_a_file: 'is not a regular file',
  too_large: 'is too large',
  invalid_text: 'is not UTF-8 text',
};

/** Why what stands at a path is no file that is read: what follows "the file" or "it". */
export function faultText(kind: FileFault | 'folder'): string {
  return faultMessages[kind === 'folder' ? 'not_a_file' : kind];
}

/** Undefined when there is no such folder. */
export function realRoot(path: string): string | undefined {
  try {
    const root = realpathSync(path);
    return statSync(root).isDirectory() ? root : undefined;
  } catch {
    return undefined;
  }
}

/** A path below the root with forward slashes, normalized; undefined when it leaves the root or is absolute. */
export function pathBelow(relative: string): string | undefined {
  if (isAbsolute(relative) || relative.includes('\0') || /^[A-Za-z]:/.test(relative)) return undefined;
  const clean = normalize(relative).split(sep).join('/');
  if (clean === '..' || clean.startsWith('../')) return undefined;
  return clean.endsWith('/') ? clean.slice(0, -1) : clean;
}

/** Both as `pathBelow` gives them. */
export function isInside(path: string, folder: string): boolean {
  return folder === '.' ? path !== '.' : path.startsWith(`${folder}/`);
}

/** What stands at a path below the root, checked step by step so that no link is followed. */
export function entryKind(root: string, relative: string): 'file' | 'folder' | FileFault {
  const clean = pathBelow(relative);
  if (clean === undefined) return 'escape';
  let path = root;
  let kind: 'file' | 'folder' | FileFault = 'folder';
  for (const name of clean === '.' ? [] : clean.split('/')) {
    if (kind !== 'folder') return 'missing';
    path = join(path, name);
    const stat = look(path);
    if (typeof stat === 'string') return stat;
    if (stat.isSymbolicLink()) return 'symlink';
    kind = stat.isDirectory() ? 'folder' : stat.isFile() ? 'file' : 'not_a_file';
  }
  return kind;
}

function look(path: string): Stats | 'missing' | 'unreadable' {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? 'missing';
  } catch {
    return 'unreadable';
  }
}

export function readFileBelow(root: string, relative: string, bytesMax: number): FileText {
  const kind = entryKind(root, relative);
  if (kind === 'folder') return fault('not_a_file');
  if (kind !== 'file') return fault(kind);
  let file: number;
  try {
    file = openSync(join(root, relative), plainFlags);
  } catch (error) {
    return { kind: 'fault', fault: 'missing', message: `cannot be opened (${(error as NodeJS.ErrnoException).code})` };
  }
  try {
    if (fstatSync(file).size > bytesMax) return { kind: 'fault', fault: 'too_large', message: `is larger than ${bytesMax} bytes` };
    const bytes = readFileSync(file);
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes), bytes };
  } catch {
    return fault('invalid_text');
  } finally {
    closeSync(file);
  }
}

function fault(kind: FileFault): FileText {
  return { kind: 'fault', fault: kind, message: faultMessages[kind] };
}

export interface FoundFiles {
  /** Relative to the folder walked, sorted by UTF-16. */
  files: string[];
  links: string[];
  /** Folders that could not be read. */
  unreadable: string[];
  /** True when the walk stopped at limits.projectFilesMax. */
  truncated: boolean;
}

/** Every file below a folder, special ones too, but for node_modules and names that begin with a dot. */
export function listFilesBelow(folder: string): FoundFiles {
  const found: FoundFiles = { files: [], links: [], unreadable: [], truncated: false };
  const waiting = [''];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const entries = entriesOf(join(folder, next));
    if (entries === undefined) found.unreadable.push(next);
    for (const entry of entries ?? []) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      const path = next === '' ? entry.name : `${next}/${entry.name}`;
      if (found.files.length + waiting.length > limits.projectFilesMax) return { ...found, truncated: true };
      if (entry.isSymbolicLink()) found.links.push(path);
      else if (entry.isDirectory()) waiting.push(path);
      else found.files.push(path);
    }
  }
  found.files.sort();
  found.links.sort();
  return found;
}

function entriesOf(folder: string): Dirent[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return undefined;
  }
}
