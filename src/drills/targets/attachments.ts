// What an agent attaches in one interaction: checked and bounded before anything is kept of it. Used on both sides of a module's host:
// inside, so that the agent learns where it stands; outside, because what comes from there may be anything. Its name stays as it was given
// until it has been searched for secrets (redaction.ts).
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { limits } from '../../contract/limits.js';
import { plainFlags } from '../../files/plain-file.js';
import { beginningOf } from '../../text/cut-text.js';
import { linkFreePath } from './repository-path.js';
import type { AttachedFile, AttachmentRefusal } from './target-run.js';

export interface Attaching {
  name: string;
  content: string | Uint8Array | { path: string };
  /** Default: what the name's ending says; else plain text of a string, and bytes. */
  mediaType?: string | undefined;
}

export class AttachmentRefused extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'AttachmentRefused';
    this.code = code;
  }
}

export class Attachments {
  readonly files: AttachedFile[] = [];
  readonly refusals: AttachmentRefusal[] = [];
  readonly #folder: string | undefined;
  #count = 0;
  #bytes = 0;

  /** Paths lie below `folder`; without one there are no paths. */
  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  /** Keeps it, or notes why not. */
  keep(attaching: Attaching): void {
    try {
      this.files.push(this.admit(attaching));
    } catch (error) {
      this.refuse(error);
    }
  }

  /** Throws AttachmentRefused. */
  admit({ name, content, mediaType }: Attaching): AttachedFile {
    this.#count += 1;
    if (this.#count > limits.attachmentsMax) {
      throw new AttachmentRefused('target.ATTACHMENTS_TOO_MANY', `An interaction has at most ${limits.attachmentsMax} attachments.`);
    }
    const given = String(name).slice(0, limits.attachmentNameReadCharsMax);
    const shown = JSON.stringify(given);
    const bytes = this.#bytesOf(shown, content);
    if (bytes.length > limits.attachmentBytesMax) throw tooLarge(shown);
    if (this.#bytes + bytes.length > limits.interactionAttachmentBytesMax) {
      const message = `Attachment ${shown} does not fit: those of an interaction have at most ${limits.interactionAttachmentBytesMax} bytes together.`;
      throw new AttachmentRefused('target.ATTACHMENT_TOO_LARGE', message);
    }
    this.#bytes += bytes.length;
    return { name: given, mediaType: mediaTypeOf(attachmentName(given), mediaType, typeof content === 'string'), bytes };
  }

  refuse(error: unknown): void {
    if (!(error instanceof AttachmentRefused)) throw error;
    const { code, message } = error;
    this.note({ code, message });
  }

  note(refusal: AttachmentRefusal): void {
    if (this.refusals.length < limits.captureErrorsMax) this.refusals.push(refusal);
  }

  #bytesOf(shown: string, content: Attaching['content']): Uint8Array {
    if (typeof content === 'string') return Buffer.from(content);
    if (content instanceof Uint8Array) return content;
    if (typeof content?.path !== 'string') {
      throw new AttachmentRefused(
        'target.ATTACHMENT_REFUSED',
        `The content of attachment ${shown} is neither text, nor bytes, nor { path }.`,
      );
    }
    return this.#read(content.path);
  }

  #read(path: string): Uint8Array {
    const file = this.#folder === undefined ? undefined : linkFreePath(this.#folder, path);
    const shown = JSON.stringify(path);
    if (file === undefined) {
      throw new AttachmentRefused(
        'target.ATTACHMENT_REFUSED',
        `${shown} is no file below the folder that may be attached from, or a link is on the way.`,
      );
    }
    try {
      return readBounded(file);
    } catch (error) {
      if (error instanceof AttachmentRefused) throw error;
      throw new AttachmentRefused('target.ATTACHMENT_UNREADABLE', `${shown} cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
    }
  }
}

/** A regular file, at most as large as an attachment may be, whatever it becomes meanwhile. */
function readBounded(file: string): Uint8Array {
  const descriptor = openSync(file, plainFlags);
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw new AttachmentRefused('target.ATTACHMENT_REFUSED', `"${basename(file)}" is no regular file.`);
    if (stat.size > limits.attachmentBytesMax) throw tooLarge(JSON.stringify(basename(file)));
    const bytes = Buffer.alloc(stat.size);
    let done = 0;
    while (done < bytes.length) {
      const read = readSync(descriptor, bytes, done, bytes.length - done, null);
      if (read === 0) break;
      done += read;
    }
    return bytes.subarray(0, done);
  } finally {
    closeSync(descriptor);
  }
}

function tooLarge(shown: string): AttachmentRefused {
  return new AttachmentRefused('target.ATTACHMENT_TOO_LARGE', `Attachment ${shown} is larger than ${limits.attachmentBytesMax} bytes.`);
}

/** For people, and never a path: no separators, no controls, no leading dots. */
export function attachmentName(name: string): string {
  const plain = wellFormed(name)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    .replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, '')
    .replace(/[\\/]+/g, '_')
    .replace(/^[._\s]+/, '');
  return plain === '' ? 'unnamed' : nameWithin(plain, limits.attachmentNameCharsMax);
}

/** Of a name that is too long the ending stays: it says what the file is. */
export function nameWithin(name: string, charsMax: number): string {
  if (name.length <= charsMax) return name.toWellFormed();
  const [ending = ''] = /\.[A-Za-z0-9]{1,16}$/.exec(name) ?? [];
  return beginningOf(name.slice(0, name.length - ending.length), charsMax - ending.length) + ending;
}

/** Without halves of surrogate pairs. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString('utf8');
}

const mediaTypes: { [ending: string]: string } = {
  '.txt': 'text/plain',
  '.log': 'text/plain',
  '.md': 'text/markdown',
  '.csv': 'text/csv',
  '.html': 'text/html',
  '.json': 'application/json',
  '.jsonl': 'application/x-ndjson',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
  '.xml': 'application/xml',
  '.pdf': 'application/pdf',
  '.zip': 'application/zip',
  '.gz': 'application/gzip',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.svg': 'image/svg+xml',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
};

function mediaTypeOf(name: string, given: string | undefined, isText: boolean): string {
  const wellFormed = given !== undefined && given.length <= 127 && /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+( *; *[\w-]+="?[\w.+-]+"?)*$/.test(given);
  if (wellFormed) return given.toLowerCase();
  return mediaTypes[extname(name).toLowerCase()] ?? (isText ? 'text/plain' : 'application/octet-stream');
}
