// The folder of one interaction into which a process puts what it wants attached: made for it, read when it has ended, removed.
import { type Dirent, lstatSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { limits } from '../../contract/limits.js';
import { compareTexts } from '../../text/compare-texts.js';
import { AttachmentRefused, Attachments } from './attachments.js';

/** Those that are there: they go with this process, however it ends itself. */
const folders = new Set<string>();
let watchesExit = false;

function removeFoldersOnExit(): void {
  if (watchesExit) return;
  watchesExit = true;
  process.on('exit', () => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
}

export class AttachmentFolder {
  /** Nobody but its owner may look into it. */
  readonly path = realpathSync(mkdtempSync(join(tmpdir(), 'drillyard-attachments-')));

  constructor() {
    removeFoldersOnExit();
    folders.add(this.path);
  }

  /** Every regular file, ordered by path; links and special files are refused. */
  collect(): Attachments {
    const attachments = new Attachments(this.path);
    if (lstatSync(this.path, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
      attachments.refuse(new AttachmentRefused('target.ATTACHMENT_REFUSED', 'A link is where the folder of attachments was.'));
      return attachments;
    }
    const budget = { entries: limits.attachmentFolderEntriesMax };
    for (const file of this.#filesBelow(this.path, { depth: 1, attachments, budget }))
      attachments.keep({ name: file, content: { path: file } });
    if (budget.entries < 0) {
      const message = `More than ${limits.attachmentFolderEntriesMax} entries lie in the folder; the rest was not read.`;
      attachments.note({ code: 'target.ATTACHMENTS_TOO_MANY', message });
    }
    return attachments;
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
    folders.delete(this.path);
  }

  *#filesBelow(folder: string, walk: { depth: number; attachments: Attachments; budget: { entries: number } }): Generator<string> {
    const { depth, attachments, budget } = walk;
    for (const entry of entriesOf(folder, attachments)) {
      if (--budget.entries < 0) return;
      const path = join(folder, entry.name);
      const shown = relative(this.path, path);
      if (entry.isFile()) yield shown;
      else if (entry.isDirectory() && depth < limits.attachmentFolderDepthMax) yield* this.#filesBelow(path, { ...walk, depth: depth + 1 });
      else {
        const what = entry.isSymbolicLink() ? 'is a link' : entry.isDirectory() ? 'lies too deep' : 'is no regular file';
        attachments.refuse(new AttachmentRefused('target.ATTACHMENT_REFUSED', `${JSON.stringify(shown)} ${what}.`));
      }
    }
  }
}

function entriesOf(folder: string, attachments: Attachments): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((left, right) => compareTexts(left.name, right.name));
  } catch (error) {
    const message = `A folder of attachments cannot be read: ${(error as NodeJS.ErrnoException).code}.`;
    attachments.note({ code: 'target.ATTACHMENT_UNREADABLE', message });
    return [];
  }
}
