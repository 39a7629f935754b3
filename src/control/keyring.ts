// The server's secret key and what is derived from it: bearer tokens and the MACs of cursors. Tokens are derived from the id of what they
// open, so that a replayed reply can tell one again although nothing but its hash is stored.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export class Keyring {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    if (key.length < 32) throw new Error('the server key has at least 32 bytes');
    this.#key = key;
  }

  /** The key file of a data directory, made at the first start, readable by its owner alone. */
  static open(directory: string): Keyring {
    const file = join(directory, 'server.key');
    if (!existsSync(file)) {
      const made = `${file}.new`;
      // Of a start that was cut short.
      rmSync(made, { force: true });
      const descriptor = openSync(made, 'wx', 0o600);
      writeSync(descriptor, randomBytes(32).toString('hex'));
      fsyncSync(descriptor);
      closeSync(descriptor);
      renameSync(made, file);
      // Before anything rests on the key, its name is on the disk too.
      const folder = openSync(directory, 'r');
      fsyncSync(folder);
      closeSync(folder);
    }
    return new Keyring(Buffer.from(readFileSync(file, 'utf8').trim(), 'hex'));
  }

  /** `dyc_...` opens the control API, `dyw_...` a world; `dys_...` signs callbacks. 256 bits. */
  token(kind: 'control' | 'world' | 'callback', id: string): string {
    return `${{ control: 'dyc', world: 'dyw', callback: 'dys' }[kind]}_${this.#mac(`token ${kind} ${id}`).toString('base64url')}`;
  }

  seal(purpose: string, text: string): string {
    return this.#mac(`seal ${purpose} ${text}`).subarray(0, 16).toString('base64url');
  }
  isSealed(purpose: string, text: string, seal: string): boolean {
    const [own, given] = [Buffer.from(this.seal(purpose, text)), Buffer.from(seal)];
    return own.length === given.length && timingSafeEqual(own, given);
  }

  #mac(text: string): Buffer {
    return createHmac('sha256', this.#key).update(text).digest();
  }
}

/** What is stored of a token. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
