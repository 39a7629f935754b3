// A box: a child process inside bubblewrap. It has a root of its own with the runtime read only, its data folders and nothing else; no
// network, no environment, no capability, no other process in sight, no way to the terminal.
//   BUBBLEWRAP-1. What a box can write to is its data folders, and two folders in memory of bounded size: /tmp and /dev/shm.
//   BUBBLEWRAP-2. Nothing in a box gets a capability by a user namespace of its own, where bubblewrap can forbid it (0.8 and later).
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { limits } from '../contract/limits.js';
import { plugNPlayPlaces } from './plug-n-play.js';
import { tuning } from './tuning.js';

/** Unprivileged in every system; the box's own user namespace maps it. */
const boxUserId = 0xfffe;
/** Where the dynamic linker and its libraries lie, beside /usr. On merged systems these are links. */
const systemFolders = ['/lib', '/lib64', '/lib32', '/bin', '/sbin'];

export interface BoxFolder {
  outside: string;
  inside: string;
  writable: boolean;
}

export interface Command {
  file: string;
  args: string[];
}

export interface BoxOptions {
  folders: readonly BoxFolder[];
  /** Places of which nothing is seen, wherever in `folders` they lie: a folder is empty there, and a file cannot be opened. */
  hidden?: readonly string[];
  /** The whole of it; absent: none. */
  environment?: NodeJS.ProcessEnv;
  /** For a program of the operator that has to reach a service. */
  openNetwork?: boolean;
  /** It is started as the first of a session, whose process group then holds all of it. Default: the box makes a session. */
  leadsSession?: boolean;
}

/** The command line that runs `command` in a box. */
export function boxed(command: Command, options: BoxOptions): Command {
  return commandLine(command, options, canBox().forbidsNamespaces);
}

function commandLine(command: Command, options: BoxOptions, forbidsNamespaces: boolean): Command {
  const { folders, hidden = [], environment = {}, openNetwork = false, leadsSession = false } = options;
  const args = [
    '--unshare-all',
    ...(forbidsNamespaces ? ['--unshare-user', '--disable-userns'] : []),
    ...(openNetwork ? ['--share-net', ...readOnly('/etc/resolv.conf'), ...readOnly('/etc/ssl'), ...readOnly('/etc/hosts')] : []),
    '--die-with-parent',
    ...(leadsSession ? [] : ['--new-session']),
    '--clearenv',
    ...['--uid', String(boxUserId), '--gid', String(boxUserId), '--cap-drop', 'ALL', '--hostname', 'box'],
    ...readOnly('/usr'),
    ...systemFolders.flatMap(systemFolder),
    ...['--proc', '/proc', '--dev', '/dev', ...temporary('/dev/shm'), ...temporary('/tmp')],
    ...folders.flatMap(({ outside, inside, writable }) => [writable ? '--bind' : '--ro-bind', outside, inside]),
    ...folders.flatMap((folder) => hidden.flatMap((place) => hide(place, folder))),
    // They are folders in memory that may take half of the machine's: made read only once every other place lies in them.
    ...['--remount-ro', '/dev', '--remount-ro', '/'],
    ...Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : ['--setenv', name, value])),
    ...['--chdir', '/', '--'],
    command.file,
    ...command.args,
  ];
  return { file: 'bwrap', args };
}

/** What a child of our own code reads: the runtime, this package and the packages that it uses, each where it is outside. */
export function runtimeFolders(): BoxFolder[] {
  const folders = new Set([realpathSync(dirname(process.execPath)), dirname(process.execPath), ...codeFolders()]);
  // What lies in /usr is there already, and so is what lies in a folder that is there.
  const kept = [...folders].filter(
    (folder) => !below(folder, '/usr') && ![...folders].some((other) => other !== folder && below(folder, other)),
  );
  return kept.map((folder) => ({ outside: folder, inside: folder, writable: false }));
}

/** What the code of a child asks for, binaries included: LMDB's lies in a package of the platform. */
const packages = [
  ...['comlink', 'piscina', 'esbuild', 'yaml', '@bufbuild/re2', '@bufbuild/cel'],
  ...['node-gyp-build-optional-packages', `@lmdb/lmdb-${process.platform}-${process.arch}`, 'msgpackr-extract'],
];

/** The manifest says that the code is a module; of the rest of the package nothing is needed. */
function codeFolders(): string[] {
  const code = fileURLToPath(new URL('../..', import.meta.url));
  return [stripSlash(code), join(code, '..', 'package.json'), ...(plugNPlayPlaces() ?? packageFolders())];
}

/** Every node_modules that a package of ours is found in: hoisted, nested or linked. */
function packageFolders(): string[] {
  const require = createRequire(import.meta.url);
  const found = packages.flatMap((name) => {
    const place = (require.resolve.paths(name) ?? []).map((folder) => join(folder, name)).find((folder) => existsSync(folder));
    return place === undefined ? [] : [place, realpathSync(place)];
  });
  return found.map((place) => {
    const parts = place.split(sep);
    return parts.slice(0, parts.indexOf('node_modules') + 1).join(sep);
  });
}

const stripSlash = (folder: string): string => (folder.length > 1 && folder.endsWith(sep) ? folder.slice(0, -1) : folder);
const below = (folder: string, root: string): boolean => folder === root || folder.startsWith(root + sep);
/** Whether every box has it anyway. */
export const inEveryBox = (place: string): boolean => ['/usr', ...systemFolders].some((folder) => below(place, folder));
const temporary = (folder: string): string[] => ['--size', String(limits.boxTemporaryBytesMax), '--tmpfs', folder];
const readOnly = (folder: string): string[] => (existsSync(folder) ? ['--ro-bind', folder, folder] : []);

function hide(place: string, { outside, inside }: BoxFolder): string[] {
  const entry = statSync(place, { throwIfNoEntry: false });
  if (entry === undefined) return [];
  const [real, root] = [realpathSync(place), realpathSync(outside)];
  if (!below(real, root)) return [];
  const shown = join(inside, relative(root, real));
  return entry.isDirectory() ? ['--tmpfs', shown, '--remount-ro', shown] : ['--ro-bind', '/dev/null', shown];
}

function systemFolder(folder: string): string[] {
  const entry = lstatSync(folder, { throwIfNoEntry: false });
  if (entry === undefined) return [];
  return entry.isSymbolicLink() ? ['--symlink', readlinkSync(folder), folder] : readOnly(folder);
}

export interface BoxSupport {
  works: boolean;
  /** In words, where it does not work. */
  reason: string;
  /** Whether code in a box can make no user namespace: in one of its own it would have every capability. */
  forbidsNamespaces: boolean;
}
let probed: BoxSupport | undefined;

/** Whether boxes are available on this machine. Probed once. */
export function canBox(): BoxSupport {
  probed ??= probe();
  return probed;
}

function probe(): BoxSupport {
  if (process.platform !== 'linux') return unavailable(`bubblewrap is for Linux, and this is ${process.platform}`);
  const strict = tryBox(true);
  if (strict.status === 0) return { works: true, reason: '', forbidsNamespaces: true };
  if (strict.error?.code === 'ENOENT') return unavailable('bubblewrap (bwrap) is not installed');
  // An earlier bubblewrap does not know the option. One that did not answer in time is not asked for less.
  const { status, stderr, error } = strict.status === null ? strict : tryBox(false);
  if (status === 0) return { works: true, reason: '', forbidsNamespaces: false };
  return unavailable(`bubblewrap does not work here: ${(error?.message ?? stderr).trim().split('\n')[0]}`);
}
const unavailable = (reason: string): BoxSupport => ({ works: false, reason, forbidsNamespaces: false });

function tryBox(forbidsNamespaces: boolean): { status: number | null; stderr: string; error?: NodeJS.ErrnoException } {
  const { file, args } = commandLine({ file: process.execPath, args: ['--version'] }, { folders: runtimeFolders() }, forbidsNamespaces);
  return spawnSync(file, args, { encoding: 'utf8', timeout: tuning.probeTimeoutMs, env: { PATH: process.env.PATH } });
}
