// Colors of terminal text. report.txt is written with `plain`.
import picocolors from 'picocolors';
import type { AssertionStatus, TargetStatus, Verdict } from '../contract/run/run.js';

type Paint = (text: string) => string;
export interface Palette {
  bold: Paint;
  dim: Paint;
  red: Paint;
  green: Paint;
  yellow: Paint;
  cyan: Paint;
  /** The text as a link, where the terminal may follow one. */
  link: (text: string, url: string) => string;
}

export const plain: Palette = paletteOf(false);
export const colored: Palette = paletteOf(true);

/** The same with links, as OSC 8: terminals that do not know it leave it out. */
export function withLinks(palette: Palette): Palette {
  return { ...palette, link: (text, url) => `\u001b]8;;${url}\u001b\\${text}\u001b]8;;\u001b\\` };
}

/** Whether a stream gets color: FORCE_COLOR and NO_COLOR decide, else whether it is a terminal. */
export function wantsColor({ isTTY, environment }: { isTTY: boolean; environment: NodeJS.ProcessEnv }): boolean {
  const force = environment.FORCE_COLOR;
  if (force !== undefined && force !== '') return force !== '0' && force !== 'false';
  if (environment.NO_COLOR !== undefined && environment.NO_COLOR !== '') return false;
  return isTTY && environment.TERM !== 'dumb';
}

/** Whether lines may be redrawn: on a terminal that can move its cursor. What a CI system calls a terminal is a log. */
export function movesCursor({ isTTY, environment }: { isTTY: boolean; environment: NodeJS.ProcessEnv }): boolean {
  const isCi = environment.CI !== undefined && environment.CI !== '' && environment.CI !== 'false';
  return isTTY && environment.TERM !== 'dumb' && !isCi;
}

/** A mark that says the status without its color, too. */
export function statusMark(status: Verdict | AssertionStatus | TargetStatus, palette: Palette): string {
  switch (status) {
    case 'passed':
    case 'completed':
      return palette.green('✓');
    case 'inconclusive':
    case 'cancelled':
      return palette.yellow('?');
    case 'failed':
    case 'timed_out':
      return palette.red('✗');
    case 'invalid':
      return palette.red('!');
    default:
      return status satisfies never;
  }
}

export function paintVerdict(verdict: Verdict, text: string, palette: Palette): string {
  if (verdict === 'passed') return palette.green(text);
  return verdict === 'failed' ? palette.red(text) : palette.yellow(text);
}

function paletteOf(enabled: boolean): Palette {
  const { bold, dim, red, green, yellow, cyan } = picocolors.createColors(enabled);
  return { bold, dim, red, green, yellow, cyan, link: (text) => text };
}
