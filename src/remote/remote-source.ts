// The source of a repository as a hosted service takes it: the root file and what its build was made of, as text, with the digest that the
// service gives such a tree. In requests of a bounded size.
import { basename, dirname, resolve } from 'node:path';
import type { CompileResult } from '../compiler/compile.js';
import { parseSourceDocument } from '../compiler/source-document.js';
import { readFileBelow } from '../compiler/source-files.js';
import { sha256Digest } from '../contract/digest.js';
import { ServiceError } from '../contract/errors.js';
import type { SourceFileInput } from '../contract/hosted/source.js';
import { limits } from '../contract/limits.js';
import { sourceTreeDigest } from '../contract/source-digest.js';
import { compareTexts } from '../text/compare-texts.js';

export interface RemoteSource {
  /** Ordered by path. */
  files: SourceFileInput[];
  digest: string;
  bytes: number;
}

/** Where a service looks for the root file, whatever it is called here. */
export const rootFileName = 'drillyard.json';
/** Git's own way of keeping a folder. */
const folderMark = '.drillyard-keep';

export interface RemoteSourceOptions {
  root: string;
  /** The root file, relative to `root`, or anywhere else. */
  config?: string | undefined;
}

/** Of a repository that compiles. */
export function readRemoteSource(
  { root, config = rootFileName }: RemoteSourceOptions,
  { files, folders }: CompileResult['files'],
): RemoteSource {
  const read = new Map<string, string>([[rootFileName, rootFile(resolve(root, config))]]);
  for (const path of files) read.set(path, textOf(resolve(root), path));
  for (const folder of folders) {
    if (![...read.keys()].some((path) => path.startsWith(`${folder}/`))) read.set(`${folder}/${folderMark}`, '');
  }
  const ordered = [...read].map(([path, content]) => ({ path, content })).sort((a, b) => compareTexts(a.path, b.path));
  const tree = ordered.map(({ path, content }) => ({ path, digest: sha256Digest(content), bytes: Buffer.byteLength(content) }));
  return { files: ordered, digest: sourceTreeDigest(tree), bytes: tree.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** A service reads JSON there; a root file in YAML means the same as JSON. */
function rootFile(path: string): string {
  const text = textOf(dirname(path), basename(path));
  return path.endsWith('.json') ? text : `${JSON.stringify(parseSourceDocument(path, text).document?.value)}\n`;
}

function textOf(root: string, path: string): string {
  const read = readFileBelow(root, path, limits.projectFileBytesMax);
  if (read.kind === 'text') return read.text;
  throw new ServiceError('control.INVALID_REQUEST', { message: `The file '${path}' cannot be sent: it ${read.message}.` });
}

/** Each fits one request. control.PAYLOAD_TOO_LARGE for a file that fits none. */
export function inRequests(files: readonly SourceFileInput[]): SourceFileInput[][] {
  const bytesMax = limits.bodyBytesMax - limits.sourceRequestSpareBytes;
  const parts: SourceFileInput[][] = [];
  let bytesLeft = 0;
  for (const file of files) {
    const bytes = Buffer.byteLength(JSON.stringify({ action: 'put', ...file })) + 1;
    if (bytes > bytesMax) {
      throw new ServiceError('control.PAYLOAD_TOO_LARGE', {
        message: `The file '${file.path}' has ${bytes} bytes as JSON; a service takes files of at most ${bytesMax}. Cut it in two: rows of a scenario may lie in the world, in other scenarios, or in a dataset.`,
      });
    }
    const part = parts.at(-1);
    if (part === undefined || bytes > bytesLeft || part.length === limits.sourceRequestFilesMax) {
      parts.push([file]);
      bytesLeft = bytesMax - bytes;
    } else {
      part.push(file);
      bytesLeft -= bytes;
    }
  }
  return parts;
}
