// A place in the list of saved runs: what the place is, not what lies there, so that it holds when its folder is gone.
//   PAGE-CURSOR-1. It is good for one report directory: it is sealed with a key made of that directory's path, and holds across refreshes
//     and restarts.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../contract/errors.js';

/** Of a report folder. */
export interface ListPlace {
  modifiedNs: bigint;
  name: string;
}

/** The latest first; of equal times the greater name first, so that ids made later come first. */
export function byPlace(left: ListPlace, right: ListPlace): number {
  if (left.modifiedNs !== right.modifiedNs) return left.modifiedNs > right.modifiedNs ? -1 : 1;
  return left.name === right.name ? 0 : left.name > right.name ? -1 : 1;
}

const sealBytes = 16;

export class PageCursors {
  readonly #key: Buffer;

  constructor(reportDirectory: string) {
    this.#key = createHash('sha256').update(`drillyard saved runs\n${reportDirectory}`).digest();
  }

  cursorOf({ modifiedNs, name }: ListPlace): string {
    const place = Buffer.from(`${modifiedNs}:${name}`);
    return Buffer.concat([this.#seal(place), place]).toString('base64url');
  }

  placeOf(cursor: string): ListPlace {
    const bytes = Buffer.from(cursor, 'base64url');
    const place = bytes.subarray(sealBytes);
    const isOurs =
      bytes.length > sealBytes &&
      bytes.toString('base64url') === cursor &&
      timingSafeEqual(bytes.subarray(0, sealBytes), this.#seal(place));
    const [, modified, name] = (isOurs && /^(\d{1,20}):(.*)$/s.exec(place.toString())) || [];
    if (modified === undefined || name === undefined)
      throw new ServiceError('control.CURSOR_INVALID', { message: 'The cursor does not belong to this list.' });
    return { modifiedNs: BigInt(modified), name };
  }

  #seal(place: Buffer): Buffer {
    return createHmac('sha256', this.#key).update(place).digest().subarray(0, sealBytes);
  }
}
