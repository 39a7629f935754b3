// The files of a tar archive, gzipped or not, in memory: regular files below its root, within bounds. Nothing is written.
//   UNPACK-TAR-1. No name leads out, and no link is followed or kept: links are named, so that who wants their folder can refuse.
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import { tuning } from './tuning.js';

export interface UnpackedTar {
  /** By path with forward slashes. */
  files: Map<string, Buffer>;
  /** What is neither a file nor a folder: links, devices. */
  others: string[];
}
export interface UnpackBounds {
  filesMax: number;
  bytesMax: number;
}

/** `strip`: how many folders at the top of each name go, as packers put one there. Rejects with control.INVALID_REQUEST. */
export async function unpackTar(
  archive: Readable,
  { strip, isZipped, filesMax, bytesMax }: UnpackBounds & { strip: number; isZipped: boolean },
): Promise<UnpackedTar> {
  const unpacked: UnpackedTar = { files: new Map(), others: [] };
  const extraction = extract();
  const counted = bounded(bytesMax + filesMax * tuning.tarHeaderBytes);
  const source = isZipped ? pipeline(archive, createGunzip(), counted, extraction) : pipeline(archive, counted, extraction);
  const feeding = source.then(
    () => undefined,
    (error: unknown) => error,
  );
  let bytesLeft = bytesMax;
  try {
    for await (const entry of extraction) {
      const { name, type } = entry.header;
      const path = strippedPath(name, strip);
      if (path !== undefined && type !== 'file' && type !== 'directory') unpacked.others.push(path);
      const content = await contentOf(entry, bytesLeft);
      if (path === undefined || type !== 'file') continue;
      bytesLeft -= content.length;
      unpacked.files.set(path, content);
      if (unpacked.files.size + unpacked.others.length > filesMax) throw refused(`it has more than ${filesMax} files`);
    }
  } catch (error) {
    archive.destroy();
    throw error instanceof ServiceError ? error : refused('it is no tar archive, or is cut off');
  }
  const failure = await feeding;
  if (failure instanceof ServiceError) throw failure;
  if (failure !== undefined) throw refused('it is no tar archive, or is cut off');
  return unpacked;
}

async function contentOf(entry: AsyncIterable<unknown>, bytesMax: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of entry) {
    bytes += (piece as Buffer).length;
    if (bytes > bytesMax) throw refused('it is too large');
    pieces.push(piece as Buffer);
  }
  return Buffer.concat(pieces);
}

/** An archive of nothing but padding is as large as one of files. */
function bounded(bytesMax: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.length;
      done(bytes > bytesMax ? refused('it is too large') : null, piece);
    },
  });
}

/** Undefined for what has no name below those that go. */
function strippedPath(name: string, strip: number): string | undefined {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  const isOutside = name.startsWith('/') || name.includes('\0') || name.includes('\\') || /^[A-Za-z]:/.test(name) || parts.includes('..');
  if (isOutside) throw refused(`the name ${JSON.stringify(name.slice(0, limits.quotedPieceCharsMax))} leads out of it`);
  const kept = parts.slice(strip);
  return kept.length === 0 ? undefined : kept.join('/');
}

function refused(reason: string): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', { message: `The archive is refused: ${reason}.` });
}
