// Source trees: files by path, their bytes in the blobs, one digest for the whole. Immutable, and safe to lay out on any file system.
//   SOURCE-TREES-1. A path is relative, with forward slashes, and cannot leave its root; no two paths differ only by case or by how Unicode
//     spells them, and none is both a file and a folder. So a tree extracted is the tree, and it has no links.
//   SOURCE-TREES-2. The digest covers every path with the digest and size of its content; the text it is made of is itself a blob under
//     that digest.
import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { batchesOf } from '../../async/batches.js';
import { sha256Digest } from '../../contract/digest.js';
import { ServiceError } from '../../contract/errors.js';
import type { SourceChange, SourceFileInput } from '../../contract/hosted/source.js';
import type { IssueCode } from '../../contract/issue-codes.js';
import { limits } from '../../contract/limits.js';
import { sourceTreeDigest, sourceTreeText } from '../../contract/source-digest.js';
import type { Blobs, ControlServices } from '../core/services.js';

export interface SourceFile {
  digest: string;
  bytes: number;
}
export type SourceTree = ReadonlyMap<string, SourceFile>;

/** control.INVALID_REQUEST at `pointer` for a path that a tree does not have. */
export function requireSourcePath(path: string, pointer: string): void {
  const fault = pathFault(path);
  if (fault !== undefined) throw invalid(pointer, 'format', fault);
}

function pathFault(path: string): string | undefined {
  if (path === '' || path.length > limits.sourcePathCharsMax) return `expected 1 to ${limits.sourcePathCharsMax} characters`;
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'expected a path relative to the root of the source';
  if (path.includes('\\')) return 'expected forward slashes';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(path) || !path.isWellFormed()) return 'expected no control characters';
  for (const name of path.split('/')) {
    if (name === '') return 'expected no empty segment';
    if (name === '.' || name === '..') return `expected no segment '${name}'`;
    if (Buffer.byteLength(name) > 255) return 'expected segments of at most 255 bytes';
  }
  return undefined;
}

/** A whole tree from its files, their content kept. `pointer` leads to the list in the request. */
export async function treeOfFiles(files: readonly SourceFileInput[], blobs: Blobs, pointer = '/files'): Promise<SourceTree> {
  const seen = new Set<string>();
  for (const [index, { path }] of files.entries()) {
    if (seen.has(path)) throw invalid(`${pointer}/${index}/path`, 'duplicate', `'${path}' is given twice`);
    seen.add(path);
  }
  return applyChanges(
    new Map(),
    files.map((file) => ({ action: 'put', ...file })),
    blobs,
    pointer,
  );
}

/** The tree after these changes, in order; what they put is kept in the blobs when this resolves. The given tree stays as it is. */
export async function applyChanges(
  tree: SourceTree,
  changes: readonly SourceChange[],
  blobs: Blobs,
  pointer = '/changes',
): Promise<SourceTree> {
  const after = new Map(tree);
  const contents = new Map<string, Uint8Array>();
  for (const [index, change] of changes.entries()) {
    requireSourcePath(change.path, `${pointer}/${index}/path`);
    if (change.action === 'delete') {
      if (!after.delete(change.path))
        throw invalid(`${pointer}/${index}/path`, 'not_one_of', `there is no file '${change.path}' to delete`);
      continue;
    }
    if (!change.content.isWellFormed())
      throw invalid(`${pointer}/${index}/content`, 'not_json', 'expected text without half of a surrogate pair');
    const bytes = Buffer.from(change.content);
    const digest = sha256Digest(bytes);
    contents.set(digest, bytes);
    after.set(change.path, { digest, bytes: bytes.length });
  }
  requireSound(after, pointer);
  const kept = new Set([...after.values()].map(({ digest }) => digest));
  await Promise.all([...contents].filter(([digest]) => kept.has(digest)).map(([, bytes]) => blobs.put(bytes)));
  return after;
}

/** SOURCE-TREES-1, and within its bounds. */
function requireSound(tree: SourceTree, pointer: string): void {
  const { projectFilesMax, projectBytesMax } = limits;
  if (tree.size === 0) throw invalid(pointer, 'too_few', 'expected at least one file to be left');
  if (tree.size > projectFilesMax) throw invalid(pointer, 'too_many', `expected at most ${projectFilesMax} files in a source tree`);
  let bytes = 0;
  for (const file of tree.values()) bytes += file.bytes;
  if (bytes > projectBytesMax) throw invalid(pointer, 'too_large', `expected at most ${projectBytesMax} bytes in a source tree`);
  const places = new Map<string, string>();
  for (const path of tree.keys()) {
    const twin = places.get(foldedName(path));
    if (twin !== undefined) throw invalid(pointer, 'conflict', `'${path}' and '${twin}' are one name to some file systems`);
    places.set(foldedName(path), path);
  }
  for (const path of tree.keys()) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const file = places.get(foldedName(path.slice(0, end)));
      if (file !== undefined) throw invalid(pointer, 'conflict', `'${file}' is a file, so '${path}' cannot lie below it`);
    }
  }
}

function foldedName(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

function invalid(path: string, code: IssueCode, message: string): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', { message: 'The source tree is not acceptable.', issues: [{ path, code, message }] });
}

/** Every file, ordered by path. */
export function filesOf(tree: SourceTree): { path: string; digest: string; bytes: number }[] {
  return [...tree].map(([path, file]) => ({ path, ...file })).sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Of the files that a request brings. */
export function bytesSent({ files = [], changes = [] }: { files?: readonly SourceFileInput[]; changes?: readonly SourceChange[] }): number {
  const puts = [...files, ...changes.filter((change) => change.action === 'put')];
  return puts.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
}

export function bytesOfTree(tree: SourceTree): number {
  return [...tree.values()].reduce((sum, { bytes }) => sum + bytes, 0);
}

export function treeDigest(tree: SourceTree): string {
  return sourceTreeDigest(filesOf(tree));
}

/** Keeps what the tree's digest stands for, so that `loadTree` finds it; the content of its files is kept already. */
export function keepTree(tree: SourceTree, blobs: Blobs): Promise<string> {
  return blobs.put(Buffer.from(sourceTreeText(filesOf(tree))));
}

export async function loadTree(sourceDigest: string, blobs: Blobs): Promise<SourceTree> {
  const files = JSON.parse(Buffer.from(await blobs.get(sourceDigest)).toString()) as ReturnType<typeof filesOf>;
  return new Map(files.map(({ path, digest, bytes }) => [path, { digest, bytes }]));
}

export async function readSourceFile(tree: SourceTree, path: string, blobs: Blobs): Promise<string | undefined> {
  const file = tree.get(path);
  return file === undefined ? undefined : Buffer.from(await blobs.get(file.digest)).toString();
}

type Place = Pick<ControlServices, 'blobs'> & { settings: Pick<ControlServices['settings'], 'dataDirectory'> };

/** Lays the tree out in a folder of its own for as long as `work` runs. */
export async function withMaterialized<T>({ blobs, settings }: Place, tree: SourceTree, work: (root: string) => Promise<T>): Promise<T> {
  const root = join(workFolder(settings.dataDirectory), randomUUID());
  try {
    const folders = new Set([...tree.keys()].map((path) => dirname(path)));
    for (const folder of folders) await mkdir(join(root, folder), { recursive: true });
    // Files are read and written a few at a time: descriptors are bounded.
    for (const files of batchesOf([...tree], limits.blobWritesAtOnceMax)) {
      await Promise.all(files.map(async ([path, { digest }]) => writeFile(join(root, path), await blobs.get(digest), { flag: 'wx' })));
    }
    return await work(root);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** Removes what an earlier incarnation had extracted. */
export async function clearMaterialized(dataDirectory: string): Promise<void> {
  await rm(workFolder(dataDirectory), { recursive: true, force: true });
}
/** Each tree that is written out has a folder directly in it. */
export const workFolder = (dataDirectory: string): string => join(dataDirectory, 'work');
