// The fenced blocks of the pages that people read. The info string of a block says its language, then how a test takes it:
//   ```yaml assertions      a part of a file, by the name of the frame that makes a file of it (snippets.test.ts)
//   ```sh not run: why      a block that no test can run, and the reason
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const projectRoot = fileURLToPath(new URL('../../..', import.meta.url));

export interface Fence {
  /** `docs/drills.md:15`. */
  at: string;
  page: string;
  language: string;
  /** The words after the language, without a reason. */
  frame: string;
  /** Undefined for a block that is to run. */
  notRun: string | undefined;
  text: string;
}

/** Paths of every page, relative to the project. */
export function listPages(): string[] {
  const markdown = (folder: string): string[] =>
    readdirSync(join(projectRoot, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => (folder === '.' ? name : `${folder}/${name}`));
  const readmes = ['examples', 'library'].flatMap((folder) =>
    readdirSync(join(projectRoot, folder))
      .map((name) => `${folder}/${name}/README.md`)
      .filter((page) => existsSync(join(projectRoot, page))),
  );
  return [...markdown('.'), ...markdown('docs'), ...markdown('bench'), ...readmes].sort();
}

export function readPage(page: string): string {
  return readFileSync(join(projectRoot, page), 'utf8');
}

export function fencesOf(page: string): Fence[] {
  const fences: Fence[] = [];
  let open: { fence: Fence; indent: string; lines: string[] } | undefined;
  for (const [index, line] of readPage(page).split('\n').entries()) {
    const marker = /^( *)```(.*)$/.exec(line);
    if (marker === null) open?.lines.push(line.slice(open.indent.length));
    else if (open === undefined)
      open = { fence: opened(`${page}:${index + 1}`, page, marker[2] ?? ''), indent: marker[1] ?? '', lines: [] };
    else {
      fences.push({ ...open.fence, text: open.lines.map((text) => `${text}\n`).join('') });
      open = undefined;
    }
  }
  if (open !== undefined) throw new Error(`${open.fence.at}: the block has no end`);
  return fences;
}

function opened(at: string, page: string, info: string): Fence {
  const [words = '', notRun] = info.split(/\bnot run: ?/);
  const [language = '', ...frame] = words.trim().split(/\s+/);
  return { at, page, language, frame: frame.join(' '), notRun: notRun?.trim(), text: '' };
}
