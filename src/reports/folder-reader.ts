// Reads a report folder that may come from anywhere: only plain files at plain names, never through a link, never more than a bound.
import { createHash } from 'node:crypto';
import { type FileHandle, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { limits } from '../contract/limits.js';
import { openPlain } from '../files/plain-file.js';
import { attachmentFolder } from './report-folder.js';
import type { ReportProblems } from './report-problems.js';
import { tuning } from './tuning.js';

export class FolderReader {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The plain files in the folder and in attachments/, ordered; whatever else is there is a problem. null: there is no such folder. */
  async list(problems: ReportProblems): Promise<string[] | null> {
    try {
      if (!(await lstat(this.#folder)).isDirectory()) {
        problems.add('', 'FOLDER_UNREADABLE', 'is not a folder');
        return null;
      }
      return (await this.#listFolder('', problems)).sort();
    } catch (error) {
      problems.add('', 'FOLDER_UNREADABLE', (error as NodeJS.ErrnoException).code ?? 'cannot be read');
      return null;
    }
  }

  async #listFolder(below: string, problems: ReportProblems): Promise<string[]> {
    const files: string[] = [];
    for (const item of await readdir(join(this.#folder, below), { withFileTypes: true })) {
      const path = below === '' ? item.name : `${below}/${item.name}`;
      if (item.isFile()) files.push(path);
      else if (item.isDirectory() && path === attachmentFolder) files.push(...(await this.#listFolder(path, problems)));
      else problems.add(path, 'FILE_REFUSED', item.isSymbolicLink() ? 'is a link' : 'is no plain file');
      if (files.length > limits.reportFilesMax)
        throw Object.assign(new Error('too many files'), { code: `has more than ${limits.reportFilesMax} files` });
    }
    return files;
  }

  /** Size as the folder says: what has another one need not be read. */
  async bytes(path: string): Promise<number> {
    return (await lstat(join(this.#folder, path))).size;
  }

  /** Size and digest, streaming. */
  async digest(path: string): Promise<{ bytes: number; sha256: string }> {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const piece of this.pieces(path)) {
      hash.update(piece);
      bytes += piece.length;
    }
    return { bytes, sha256: `sha256:${hash.digest('hex')}` };
  }

  /** The whole file as text, or null if it is larger than `bytesMax` or no UTF-8. */
  async text(path: string, bytesMax: number): Promise<string | null> {
    const file = await this.#open(path);
    try {
      if ((await file.stat()).size > bytesMax) return null;
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await file.readFile());
    } catch (error) {
      if (error instanceof TypeError) return null;
      throw error;
    } finally {
      await file.close();
    }
  }

  /** The file's bytes, piece by piece. */
  async *pieces(path: string): AsyncGenerator<Buffer> {
    const file = await this.#open(path);
    try {
      for (;;) {
        // A new buffer each time: the one who takes a piece may keep it.
        const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(tuning.readPieceBytes), 0, tuning.readPieceBytes);
        if (bytesRead === 0) return;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      await file.close();
    }
  }

  path(file: string): string {
    return join(this.#folder, file);
  }

  /** Refuses a link, or a pipe, even if the file became one after it was listed. */
  #open(path: string): Promise<FileHandle> {
    return openPlain(join(this.#folder, path));
  }
}
