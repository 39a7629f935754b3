// The file of the server key: its generations, the present one first, as JSON; or one key alone, as 64 hexadecimal digits or more.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import { dataDamaged } from '../../files/database.js';
import { type PrivateFile, readPrivateFile, writePrivateFile } from './private-file.js';

export interface StoredKey {
  generation: number;
  /** At least 32 bytes. */
  key: Buffer;
  createdAtMs: number;
  /** Of an earlier generation: what derives from it works until then. */
  acceptedUntilMs?: number;
  /** The request that made it, so that one asked twice makes one. */
  rotationId?: string;
  /** Fingerprints of the generations before it, the latest first; at most limits.keyFingerprintsKept. */
  earlier?: string[];
}

export interface KeyPlace {
  dataDirectory: string;
  /** Instead of the file in the data directory. It must exist. */
  keyFile?: string;
}

export class KeyFile {
  readonly #place: PrivateFile;
  readonly #isOwn: boolean;

  constructor({ dataDirectory, keyFile }: KeyPlace) {
    this.#isOwn = keyFile === undefined;
    this.#place = { file: keyFile ?? join(dataDirectory, keyFileName), what: 'key file', groupMayRead: keyFile !== undefined };
  }

  get path(): string {
    return this.#place.file;
  }

  /** Made at the first start where it lies in the data directory. control.INVALID_REQUEST or control.DATA_DAMAGED, with what to do, for one
   * that cannot be used. */
  read(nowMs: number): StoredKey[] {
    const { file } = this.#place;
    const text = readPrivateFile(this.#place);
    if (text !== undefined) return keysIn(text) ?? this.#damaged();
    if (!this.#isOwn) {
      throw new ServiceError('control.INVALID_REQUEST', {
        message: `There is no key file ${file}. Move the server.key of the data directory there, or make one: (umask 077; openssl rand -hex 32 > ${file})`,
      });
    }
    const first = [newKey(1, nowMs)];
    this.write(first);
    return first;
  }

  write(keys: readonly StoredKey[]): void {
    const generations = keys.map(({ key, ...rest }) => ({ ...rest, key: key.toString('hex') }));
    writePrivateFile(this.#place, `${JSON.stringify({ schemaVersion: 1, generations })}\n`);
  }

  #damaged(): never {
    throw dataDamaged(this.#place.file, 'it holds neither generations nor a key of at least 32 bytes in hexadecimal digits', keyAdvice);
  }
}

/** In the data directory. */
export const keyFileName = 'server.key';
export const keyAdvice =
  'Put it back from a backup. If it is lost for good, move it away and start once with --rotate-key: what derives from it is void then.';

export function newKey(generation: number, createdAtMs: number): StoredKey {
  return { generation, key: randomBytes(32), createdAtMs };
}

const hexKey = /^(?:[0-9a-f]{2}){32,1024}$/i;

function keysIn(text: string): StoredKey[] | undefined {
  if (hexKey.test(text)) return [{ generation: 1, key: Buffer.from(text, 'hex'), createdAtMs: 0 }];
  try {
    const { schemaVersion, generations } = JSON.parse(text) as { schemaVersion: unknown; generations: unknown };
    if (schemaVersion !== 1 || !Array.isArray(generations) || generations.length === 0) return undefined;
    if (generations.length > limits.keyGenerationsMax + 1) return undefined;
    const keys = generations.map(storedKey);
    const isOrdered = keys.every((key, place) => key !== undefined && (place === 0 || key.generation < keys[place - 1]!.generation));
    return isOrdered ? (keys as StoredKey[]) : undefined;
  } catch {
    return undefined;
  }
}

function storedKey(value: unknown): StoredKey | undefined {
  const { generation, key, createdAtMs, acceptedUntilMs, rotationId, earlier } = (value ?? {}) as { [name: string]: unknown };
  if (!isCount(generation) || generation === 0 || !isCount(createdAtMs) || typeof key !== 'string' || !hexKey.test(key)) return undefined;
  if (acceptedUntilMs !== undefined && !isCount(acceptedUntilMs)) return undefined;
  return {
    generation,
    key: Buffer.from(key, 'hex'),
    createdAtMs,
    ...defined({ acceptedUntilMs }),
    ...(typeof rotationId === 'string' ? { rotationId } : {}),
    ...(Array.isArray(earlier) ? { earlier: earlier.map(String).slice(0, limits.keyFingerprintsKept) } : {}),
  };
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
