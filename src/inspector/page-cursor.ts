// A place in the list of saved runs: what the place is, not what lies there, so that it holds when its folder is gone.
//   PAGE-CURSOR-1. It is good for one report directory: it is sealed with a key made of that directory's path, and holds across refreshes
//     and restarts.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type CursorSeal, cursorOf, placeOf } from '../contract/list-cursor.js';
import { compareTexts } from '../text/compare-texts.js';

/** Of a report folder. */
export interface ListPlace {
  modifiedNs: bigint;
  name: string;
}

/** The latest first; of equal times the greater name first, so that ids made later come first. */
export function byPlace(left: ListPlace, right: ListPlace): number {
  if (left.modifiedNs !== right.modifiedNs) return left.modifiedNs > right.modifiedNs ? -1 : 1;
  return compareTexts(right.name, left.name);
}

const sealBytes = 16;
const purpose = 'drillyard saved runs';

export class PageCursors {
  readonly #seal: CursorSeal;

  constructor(reportDirectory: string) {
    const key = createHash('sha256').update(`${purpose}\n${reportDirectory}`).digest();
    const sealOf = (asked: string, text: string): string =>
      createHmac('sha256', key).update(`${asked}\n${text}`).digest().subarray(0, sealBytes).toString('base64url');
    this.#seal = {
      seal: sealOf,
      isSealed: (asked, text, given) => {
        const [own, other] = [Buffer.from(sealOf(asked, text)), Buffer.from(given)];
        return own.length === other.length && timingSafeEqual(own, other);
      },
    };
  }

  cursorOf({ modifiedNs, name }: ListPlace): string {
    return cursorOf(this.#seal, purpose, `${modifiedNs}:${name}`);
  }

  placeOf(cursor: string): ListPlace {
    // What is sealed is what was given out.
    const place = placeOf(this.#seal, purpose, cursor);
    const colon = place.indexOf(':');
    return { modifiedNs: BigInt(place.slice(0, colon)), name: place.slice(colon + 1) };
  }
}
