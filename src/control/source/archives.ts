// A source tree as tar.gz. Equal trees are equal bytes: files by path, no times, no owners, no trace of the system that packed them.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { pack } from 'tar-stream';
import type { Blobs } from '../core/services.js';
import { filesOf, type SourceTree } from './source-trees.js';

const gzipLater = promisify(gzip);
const epoch = new Date(0);
/** RFC 1952 2.3.1: where the system that packed stands, 255 says it is unknown. */
const systemByte = 9;

export async function archiveOf(tree: SourceTree, blobs: Blobs): Promise<Uint8Array> {
  const archive = pack();
  const packed = collected(archive);
  for (const { path, digest } of filesOf(tree)) {
    const content = Buffer.from(await blobs.get(digest));
    archive.entry({ name: path, type: 'file', mode: 0o644, mtime: epoch, uid: 0, gid: 0, uname: '', gname: '' }, content);
  }
  archive.finalize();
  const bytes = await gzipLater(await packed, { level: 9 });
  bytes[systemByte] = 255;
  return bytes;
}

async function collected(pieces: AsyncIterable<unknown>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece as Buffer);
  return Buffer.concat(all);
}
