// Where a tool package that is added comes from: a folder, a tarball, npm or git, as its files in memory. Nothing of it is run: no script
// of npm, no hook of git. npm's own client and git do the fetching, so that their configuration holds.
import { execFile } from 'node:child_process';
import { createReadStream, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { listFilesBelow, realRoot } from '../compiler/source-files.js';
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import { type UnpackBounds, type UnpackedTar, unpackTar } from '../files/unpack-tar.js';
import { tuning } from './tuning.js';

export type PackageSource =
  | { kind: 'library'; entry: string }
  | { kind: 'folder'; path: string }
  | { kind: 'tarball'; path: string }
  | { kind: 'npm'; spec: string }
  | { kind: 'git'; url: string; ref: string };
export interface FetchedPackage {
  files: Map<string, Buffer>;
  /** As a pin says it, with what a tag or a range was found to be; undefined where only this machine knows the place. */
  from?: string;
}

const npmSpec = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*(?:@[\w.^~<>=|*+ -]+)?$/i;
const bounds: UnpackBounds = { filesMax: limits.projectFilesMax, bytesMax: limits.projectBytesMax };

/** `here`: what paths are relative to. */
export function packageSource(given: string, here: string): PackageSource {
  if (given.startsWith('library:')) return { kind: 'library', entry: given };
  if (given.startsWith('npm:')) return { kind: 'npm', spec: requireSpec(given.slice('npm:'.length)) };
  const git = gitSource(given);
  if (git !== undefined) return git;
  const path = resolve(here, given);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() && /[\\/]|^\.+$/.test(given) && !given.startsWith('@')) return { kind: 'folder', path };
  if (found?.isFile() && /\.(?:tgz|tar|tar\.gz)$/.test(given)) return { kind: 'tarball', path };
  if (/^\.{0,2}\//.test(given) || /\.(?:tgz|tar|tar\.gz)$/.test(given))
    throw refused(`There is no folder and no tarball ${JSON.stringify(given)}.`, 'control.NOT_FOUND');
  return { kind: 'npm', spec: requireSpec(given) };
}

function requireSpec(spec: string): string {
  if (npmSpec.test(spec)) return spec;
  throw refused(
    `${JSON.stringify(spec)} is no package: name a folder ("./x"), a tarball ("x.tgz"), npm ("name@version"), git ("https://.../x.git#ref") or "library:<id>".`,
  );
}

function gitSource(given: string): PackageSource | undefined {
  const [, prefix, place = '', ref = 'HEAD'] = /^(git\+)?([^#]*)(?:#(.*))?$/s.exec(given) ?? [];
  const isUrl = /^(?:https?|ssh|git|file):\/\//.test(place) || /^[\w.-]+@[\w.-]+:/.test(place);
  if (!isUrl || (prefix === undefined && !/\.git\/?$/.test(place) && !/^(?:ssh|git):|^[\w.-]+@[\w.-]+:/.test(place))) {
    if (prefix !== undefined || isUrl) throw refused(`${JSON.stringify(given)} is no git repository: write git+https://<place>#<ref>.`);
    return undefined;
  }
  if (!/^[\w][\w./+-]*$/.test(ref)) throw refused(`${JSON.stringify(ref)} is no branch, tag or commit.`);
  return { kind: 'git', url: place, ref };
}

/** `folder`: of the package in what is fetched. Rejects with a ServiceError that says what npm or git said. */
export async function fetchPackage(
  source: Exclude<PackageSource, { kind: 'library' }>,
  { root, folder }: { root: string; folder: string | undefined },
): Promise<FetchedPackage> {
  switch (source.kind) {
    case 'folder':
      return { files: readFolder(folder === undefined ? source.path : join(source.path, folder)) };
    case 'tarball':
      return { files: below(await unpackFile(source.path, 1), folder) };
    case 'npm':
      return await inTemporary((temporary) => fetchFromNpm(source.spec, { root, folder, temporary }));
    case 'git':
      return await inTemporary((temporary) => fetchFromGit(source, { folder, temporary }));
    default:
      return source satisfies never;
  }
}

function readFolder(path: string): Map<string, Buffer> {
  const root = realRoot(path);
  if (root === undefined) throw refused(`There is no folder ${JSON.stringify(path)}.`, 'control.NOT_FOUND');
  const { files, links, truncated } = listFilesBelow(root);
  if (truncated) throw refused(`The package has more than ${limits.projectFilesMax} files.`);
  if (links.length > 0) throw refused(`The package has a symbolic link, '${links[0]}': put the file itself there.`);
  let bytes = 0;
  for (const file of files) bytes += statSync(join(root, file)).size;
  if (bytes > bounds.bytesMax) throw refused(`The package is larger than ${bounds.bytesMax} bytes.`);
  return new Map(files.map((file) => [file, readFileSync(join(root, file))]));
}

function unpackFile(path: string, strip: number): Promise<UnpackedTar> {
  return unpackTar(createReadStream(path), { ...bounds, strip, isZipped: !path.endsWith('.tar') });
}

/** As a repository has files: none of which the name, or that of a folder, begins with a dot, and nothing that is installed. */
function below({ files, others }: UnpackedTar, folder = '.'): Map<string, Buffer> {
  const parts = folder.split('/').filter((part) => part !== '' && part !== '.');
  const prefix = parts.map((part) => `${part}/`).join('');
  const ours = (path: string): boolean =>
    path.startsWith(prefix) &&
    !path
      .slice(prefix.length)
      .split('/')
      .some((name) => name.startsWith('.') || name === 'node_modules');
  const link = others.find(ours);
  if (link !== undefined) throw refused(`The package has something that is no file, '${link}': links are not followed.`);
  const found = [...files].filter(([path]) => ours(path));
  if (found.length === 0)
    throw refused(
      folder === '.' ? 'The package has no files.' : `There is no folder ${JSON.stringify(folder)} in it.`,
      'control.NOT_FOUND',
    );
  return new Map(found.map(([path, content]) => [path.slice(prefix.length), content]));
}

async function inTemporary<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const temporary = mkdtempSync(join(tmpdir(), 'drillyard-package-'));
  try {
    return await work(temporary);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

interface Fetching {
  folder: string | undefined;
  temporary: string;
}

/** From the repository, whose .npmrc so counts. */
async function fetchFromNpm(spec: string, { root, folder, temporary }: Fetching & { root: string }): Promise<FetchedPackage> {
  const args = ['pack', spec, '--ignore-scripts', '--loglevel=error', '--workspaces=false', '--pack-destination', temporary];
  const { file, first } = npmProgram();
  await run(file, [...first, ...args], { what: `npm has not given ${spec}`, cwd: root });
  const [packed] = readdirSync(temporary).filter((name) => name.endsWith('.tgz'));
  if (packed === undefined) throw refused(`npm has not given ${spec}.`);
  const unpacked = await unpackFile(join(temporary, packed), 1);
  const { name, version } = JSON.parse(unpacked.files.get('package.json')?.toString('utf8') ?? '{}') as { name?: string; version?: string };
  return { files: below(unpacked, folder), from: `npm:${name}@${version}` };
}

/** npm's script in Node where it lies beside it: Windows starts no command file without a shell. */
function npmProgram(): { file: string; first: string[] } {
  const script = join(dirname(process.execPath), 'node_modules', 'npm', 'bin', 'npm-cli.js');
  const isThere = process.platform === 'win32' && statSync(script, { throwIfNoEntry: false })?.isFile();
  return isThere ? { file: process.execPath, first: [script] } : { file: 'npm', first: [] };
}

/** One commit is fetched; where the server gives no single commit by its hash, all of its branches are. */
async function fetchFromGit(
  { url, ref }: Extract<PackageSource, { kind: 'git' }>,
  { folder, temporary }: Fetching,
): Promise<FetchedPackage> {
  const shown = url.replace(/\/\/[^/@]*@/, '//');
  const archive = join(temporary, 'package.tar');
  const repository = join(temporary, 'repository');
  const what = `git has not given ${shown}#${ref}`;
  const git = (...args: string[]): Promise<string> =>
    run('git', ['-c', 'core.hooksPath=/dev/null', ...args], { what, cwd: temporary, env: { GIT_TERMINAL_PROMPT: '0' } });
  const inside = (...args: string[]): Promise<string> => git('-C', repository, ...args);
  await git('init', '--quiet', '--bare', repository);
  const isCommit = /^[0-9a-f]{7,64}$/.test(ref);
  const found = await inside('fetch', '--quiet', '--depth=1', '--no-tags', '--', url, ref).then(
    () => 'FETCH_HEAD',
    async (error: unknown) => {
      if (!isCommit) throw error;
      await inside('fetch', '--quiet', '--no-tags', '--', url, 'refs/heads/*:refs/heads/*', 'refs/tags/*:refs/tags/*');
      return ref;
    },
  );
  const commit = (await inside('rev-parse', '--verify', '--quiet', `${found}^{commit}`)).trim();
  await inside('archive', '--format=tar', `--output=${archive}`, commit);
  return { files: below(await unpackFile(archive, 0), folder), from: `git+${shown}#${commit}` };
}

interface Running {
  /** What is said before the words of a program that fails. */
  what: string;
  cwd: string;
  env?: { [name: string]: string };
}

function run(file: string, args: readonly string[], { what, cwd, env }: Running): Promise<string> {
  return new Promise((done, failed) => {
    const options = {
      cwd,
      env: { ...process.env, ...env },
      timeout: tuning.fetchMsMax,
      maxBuffer: tuning.fetchOutputBytesMax,
      killSignal: 'SIGKILL',
    } as const;
    execFile(file, args, options, (error, stdout, stderr) => {
      if (error === null) return done(stdout);
      const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      const words = missing ? `there is no program '${file}'` : error.killed ? 'it took too long' : lastWords(stderr);
      return failed(refused(`${what}: ${words}.`));
    });
  });
}

/** The first words of an error say what it is; npm and git put their own mark before them. */
function lastWords(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '' && !/^npm (?:error|ERR!) (?:code|errno|A complete log)/.test(line));
  const [first = 'it says nothing'] = lines.filter((line) => /error|ERR!|fatal/.test(line)).concat(lines);
  return first.replace(/^(?:npm (?:error|ERR!)|fatal:|error:)\s*/, '').replace(/\.$/, '');
}

function refused(message: string, code: 'control.INVALID_REQUEST' | 'control.NOT_FOUND' = 'control.INVALID_REQUEST'): ServiceError {
  return new ServiceError(code, { message });
}
