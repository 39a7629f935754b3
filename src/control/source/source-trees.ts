// Source trees: files by path, their bytes in the blobs, one digest for the whole. Immutable, and safe to lay out on any file system.
//   SOURCE-TREES-1. A path is relative, with forward slashes, and cannot leave its root; no two paths differ only by case or by how Unicode
//     spells them, and none is both a file and a folder. So a tree extracted is the tree, and it has no links.
//   SOURCE-TREES-2. The digest covers every path with the digest and size of its content; the text it is made of is itself a blob under
//     that digest.
//   SOURCE-TREES-3. A tree has at most so many files, bytes and folders, and a path so many names; what is beyond a bound costs no more
//     than what is at it, and is not written to the disk.
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { batchesOf } from '../../async/batches.js';
import { sha256Digest } from '../../contract/digest.js';
import { ServiceError } from '../../contract/errors.js';
import type { SourceChange, SourceFileInput } from '../../contract/hosted/source.js';
import type { IssueCode } from '../../contract/issue-codes.js';
import { limits } from '../../contract/limits.js';
import { sourceTreeDigest, sourceTreeText } from '../../contract/source-digest.js';
import { removeFolder } from '../../files/remove-folder.js';
import { compareTexts } from '../../text/compare-texts.js';
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

const tooDeep = `expected at most ${limits.sourcePathNamesMax} segments`;
function pathFault(path: string): string | undefined {
  if (path === '' || path.length > limits.sourcePathCharsMax) return `expected 1 to ${limits.sourcePathCharsMax} characters`;
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'expected a path relative to the root of the source';
  if (path.includes('\\')) return 'expected forward slashes';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(path) || !path.isWellFormed()) return 'expected no control characters';
  const names = path.split('/');
  if (names.length > limits.sourcePathNamesMax) return tooDeep;
  for (const name of names) {
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
    // What is there goes, though its path has become too long since it came.
    if (change.action === 'delete' && after.delete(change.path)) continue;
    requireSourcePath(change.path, `${pointer}/${index}/path`);
    if (change.action === 'delete') throw invalid(`${pointer}/${index}/path`, 'not_one_of', `there is no file '${change.path}' to delete`);
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
  const folders = foldersOf(tree, pointer);
  const places = new Map<string, string>();
  for (const path of tree.keys()) {
    const place = foldedName(path);
    const twin = places.get(place);
    if (twin !== undefined) throw invalid(pointer, 'conflict', `'${path}' and '${twin}' are one name to some file systems`);
    places.set(place, path);
  }
  for (const folder of folders) {
    const file = places.get(foldedName(folder));
    if (file !== undefined) throw invalid(pointer, 'conflict', `'${file}' is a file, so '${folder}' is no folder`);
  }
}

/** Each once, as it is written: a file system may tell two spellings apart. One that was seen was seen with all that it lies in. */
function foldersOf(tree: SourceTree, pointer: string): Set<string> {
  const { sourcePathNamesMax, sourceFoldersMax } = limits;
  const folders = new Set<string>();
  for (const path of tree.keys()) {
    // A tree of an earlier time may have such a path.
    if (path.split('/').length > sourcePathNamesMax) throw invalid(pointer, 'format', `${tooDeep} in '${path}'`);
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
    if (folders.size > sourceFoldersMax)
      throw invalid(pointer, 'too_many', `expected at most ${sourceFoldersMax} folders in a source tree`);
  }
  return folders;
}

function foldedName(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

function invalid(path: string, code: IssueCode, message: string): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', { message: 'The source tree is not acceptable.', issues: [{ path, code, message }] });
}

/** Every file, ordered by path. */
export function filesOf(tree: SourceTree): { path: string; digest: string; bytes: number }[] {
  return [...tree].map(([path, file]) => ({ path, ...file })).sort((a, b) => compareTexts(a.path, b.path));
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

/** Work with a tree in a folder of its own, which is there from when `work` asks for it until it ends. */
export async function withMaterialized<T>(
  place: Place,
  tree: SourceTree,
  signal: AbortSignal,
  work: (layOut: () => Promise<string>) => Promise<T>,
): Promise<T> {
  const root = join(workFolder(place.settings.dataDirectory), randomUUID());
  let laidOut: Promise<string> | undefined;
  try {
    return await work(() => {
      laidOut ??= layOut(place.blobs, tree, root, signal);
      return laidOut;
    });
  } finally {
    // Work that is aborted does not wait for what it has asked for.
    await laidOut?.catch(() => {});
    await removeFolder(root);
  }
}

async function layOut(blobs: Blobs, tree: SourceTree, root: string, signal: AbortSignal): Promise<string> {
  // A tree may have been kept before its bounds were these.
  requireSound(tree, '');
  await mkdir(root, { recursive: true });
  for (const folder of new Set([...tree.keys()].map((path) => dirname(path)))) {
    signal.throwIfAborted();
    await mkdir(join(root, folder), { recursive: true });
  }
  // Files are read and written a few at a time: descriptors are bounded.
  for (const files of batchesOf([...tree], limits.blobWritesAtOnceMax)) {
    signal.throwIfAborted();
    await Promise.all(files.map(async ([path, { digest }]) => writeFile(join(root, path), await blobs.get(digest), { flag: 'wx' })));
  }
  return root;
}

/** Removes what an earlier incarnation had extracted. */
export async function clearMaterialized(dataDirectory: string): Promise<void> {
  await removeFolder(workFolder(dataDirectory));
}
/** Each tree that is written out has a folder directly in it. */
export const workFolder = (dataDirectory: string): string => join(dataDirectory, 'work');
