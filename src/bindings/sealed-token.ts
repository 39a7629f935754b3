// Tokens that a tool mints in a world, as its clients hold them: the tool's text, then the id of the access that asked, then a seal that
// only this access's token makes. So nothing is stored, evidence holds no credential, and no text that somebody makes up opens anything.
//   SEALED-TOKEN-1. A seal is compared in constant time, and opens the access that it was made for alone.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { limits } from '../contract/limits.js';
import { mintedShape, mintedText } from '../contract/world/minted-tokens.js';
import type { TokenKey } from './token-table.js';

const mark = '~';
const digest = '[A-Za-z0-9_-]{43}';
const mintedChar = /[A-Za-z0-9._-]/;
const sealedShape = new RegExp(`^(${mintedText})${mark}(${digest})${mark}(${digest})$`);
const sealsAnywhere = new RegExp(`${mark}(${digest})${mark}(${digest})(?![\\w-])`, 'g');

export interface SealedToken {
  /** As the tool minted it. */
  minted: string;
  /** Of the token of the access (token-table.ts). */
  tokenHash: string;
  seal: string;
}

export function sealToken(minted: string, { token, tokenHash }: TokenKey): string {
  return [minted, tokenHash, sealOf(minted, token)].join(mark);
}

/** Its parts, not checked; undefined for any other text. */
export function sealedToken(text: string): SealedToken | undefined {
  const [, minted, tokenHash, seal] = sealedShape.exec(text) ?? [];
  return minted === undefined || tokenHash === undefined || seal === undefined ? undefined : { minted, tokenHash, seal };
}

export function isSealedBy(token: string, { minted, seal }: SealedToken): boolean {
  return timingSafeEqual(Buffer.from(sealOf(minted, token)), Buffer.from(seal));
}

/** The text with each token that the access has sealed as the tool minted it; `found` hears of them. */
export function unsealed(text: string, keys: readonly TokenKey[], found: (minted: string) => void): string {
  if (!text.includes(mark)) return text;
  let clear = '';
  let end = 0;
  for (const match of text.matchAll(sealsAnywhere)) {
    const [seals, tokenHash = '', seal = ''] = match;
    const key = keys.find((one) => one.tokenHash === tokenHash);
    if (key === undefined) continue;
    const minted = mintedBefore(text.slice(end, match.index));
    if (minted === undefined || !isSealedBy(key.token, { minted, tokenHash, seal })) continue;
    found(minted);
    clear += text.slice(end, match.index);
    end = match.index + seals.length;
  }
  return clear + text.slice(end);
}

/** What may have been minted at the end of a text. Counted back, so that a text of many false seals costs no more than its length. */
function mintedBefore(text: string): string | undefined {
  const least = Math.max(0, text.length - limits.mintedTokenCharsMax);
  let begin = text.length;
  while (begin > least && mintedChar.test(text.charAt(begin - 1))) begin--;
  const found = text.slice(begin);
  return mintedShape.test(found) ? found : undefined;
}

function sealOf(minted: string, token: string): string {
  return createHmac('sha256', token).update(`drillyard minted token\n${minted}`).digest('base64url');
}

/** Hashes of the tokens that the seals in a text are said to be made with. */
export function sealsIn(text: string): string[] {
  return text.includes(mark) || text.includes('%7E')
    ? [...text.replaceAll('%7E', mark).matchAll(sealsAnywhere)].map(([, tokenHash]) => tokenHash as string)
    : [];
}
