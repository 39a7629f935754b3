// Secrets that an agent was given, redacted from what it writes: as it is, and as JSON, URLs, forms, HTML, base64 and hex write it, in
// whichever language.
//   REDACTION-1. A text is searched whole, so that a secret is found however its pieces arrived.
//   REDACTION-2. What is shorter than `redactedCharsMin` is no secret: redacting `1` or `true` would only make things unreadable.
//   REDACTION-3. Of secrets that overlap no part is left.
import { isUtf8 } from 'node:buffer';
import type { JsonObject, JsonValue } from '../../contract/json.js';
import { limits } from '../../contract/limits.js';
import type { AttachmentDescriptor, RunError } from '../../contract/run/run.js';
import { beginningOf } from '../../text/cut-text.js';
import { attachmentName } from './attachments.js';
import type { AttachedFile, TargetRun } from './target-run.js';

const mark = '[redacted]';

export class Redactor {
  readonly #pattern: RegExp | undefined;
  /** Of the longest form of a secret: how far beyond a cut one may reach. */
  readonly reachChars: number;
  readonly #secrets: readonly string[];

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
    const forms = new Set(secrets.filter(({ length }) => length >= limits.redactedCharsMin).flatMap(formsOf));
    // The longest first: one secret may be the beginning of another.
    const ordered = [...forms].sort((left, right) => right.length - left.length);
    this.reachChars = ordered[0]?.length ?? 0;
    this.#pattern =
      ordered.length === 0 ? undefined : new RegExp(ordered.map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g');
  }

  /** One that knows these too. */
  and(secrets: readonly string[]): Redactor {
    return secrets.length === 0 ? this : new Redactor([...this.#secrets, ...secrets]);
  }

  /** One that knows the lines of a secret of several: for what is published before all of it is there. */
  byLine(): Redactor {
    return this.and(this.#secrets.flatMap((secret) => (secret.includes('\n') ? secret.split(/\r?\n/) : [])));
  }

  text(text: string): string {
    let redacted = '';
    let done = 0;
    for (const { start, end } of this.#places(text)) {
      redacted += text.slice(done, start) + mark;
      done = end;
    }
    return done === 0 ? text : redacted + text.slice(done);
  }

  /** Where secrets lie, in order; those that overlap are one place. */
  *#places(text: string): Generator<{ start: number; end: number }> {
    if (this.#pattern === undefined) return;
    const pattern = new RegExp(this.#pattern);
    let place: { start: number; end: number } | undefined;
    for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
      const { index: start } = found;
      const end = start + found[0].length;
      if (place !== undefined && start < place.end) place.end = Math.max(place.end, end);
      else {
        if (place !== undefined) yield place;
        place = { start, end };
      }
      // Another secret may begin within this one.
      pattern.lastIndex = start + 1;
    }
    if (place !== undefined) yield place;
  }

  /** The beginning of a text, redacted: no part of a secret that reaches over the cut is left. */
  beginning(text: string, charsMax: number): { text: string; places: number } {
    let redacted = '';
    let done = 0;
    let places = 0;
    for (const { start, end } of this.#places(text)) {
      if (start >= charsMax) break;
      redacted += text.slice(done, start) + mark;
      done = end;
      places += 1;
    }
    return { text: redacted.toWellFormed() + beginningOf(text.slice(done), Math.max(charsMax - done, 0)), places };
  }

  /** The end of a longer text, redacted: what a secret that began before it may reach into is left out. */
  ending(text: string): string {
    let redacted = '';
    let done = this.reachChars;
    for (const { start, end } of this.#places(text)) {
      if (start >= done) redacted += text.slice(done, start) + mark;
      done = Math.max(done, end);
    }
    return redacted + text.slice(done);
  }

  /** Every string of it, names included. */
  value<T extends JsonValue>(value: T): T {
    return this.#pattern === undefined ? value : (this.#redacted(value) as T);
  }

  error(error: RunError): RunError {
    const { message, issues, details } = error;
    const redacted = issues.map((issue) => ({ ...issue, path: this.text(issue.path), message: this.text(issue.message) }));
    return {
      ...error,
      message: this.beginning(message, limits.targetErrorCharsMax).text,
      issues: redacted,
      details: this.value(details as JsonObject),
    };
  }

  file(file: AttachedFile): AttachedFile & { redaction: AttachmentDescriptor['redaction'] } {
    const named = { ...file, name: attachmentName(this.text(file.name)) };
    if (this.#pattern === undefined) return { ...named, redaction: file.redaction ?? redactionOf(0) };
    if (!isText(file)) return { ...named, redaction: { status: 'not_applied', note: 'Not text, so it was not searched for secrets.' } };
    // Byte for byte, so that what is no UTF-8 comes out as it went in.
    const text = Buffer.from(file.bytes).toString('latin1');
    const places = [...this.#places(text)].length;
    // What was replaced before stays said.
    if (places === 0) return { ...named, redaction: file.redaction ?? redactionOf(0) };
    return { ...named, redaction: redactionOf(places), bytes: Buffer.from(this.text(text), 'latin1') };
  }

  /** All an agent's work brought along; its log has been redacted as it was kept. */
  run({ output, error, files, refusals, ...rest }: TargetRun): TargetRun {
    return {
      ...rest,
      ...(output === undefined ? {} : { output: this.value(output) }),
      ...(error === undefined ? {} : { error: this.error(error) }),
      files: files.map((file) => this.file(file)),
      refusals: refusals.map(({ code, message }) => ({ code, message: this.beginning(message, limits.targetErrorCharsMax).text })),
    };
  }

  #redacted(value: JsonValue): JsonValue {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item: JsonValue) => this.#redacted(item));
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [this.text(name), this.#redacted(member as JsonValue)]));
  }
}

/** Of a text that was searched. */
export function redactionOf(places: number): AttachmentDescriptor['redaction'] {
  if (places === 0) return { status: 'not_applied', note: null };
  return { status: 'applied', note: `A secret was replaced in ${places} ${places === 1 ? 'place' : 'places'}.` };
}

/** By what it is called, or by what it is: a trace with an ending that nobody knows holds secrets as well. */
function isText({ mediaType, bytes }: AttachedFile): boolean {
  if (isUtf8(bytes)) return true;
  return /^text\/|^application\/([\w.-]+\+)?(json|xml|yaml|x-yaml|x-ndjson|jsonl|javascript|x-www-form-urlencoded)\b|^image\/svg\+xml\b/.test(
    mediaType,
  );
}

/**
 * Those an agent or its tools are likely to write. In `latin1`, as texts of bytes are searched, a secret of other letters has forms of its
 * own.
 */
function formsOf(secret: string): string[] {
  const lines = secret.replaceAll('\r\n', '\n');
  return [...new Set([secret, lines, lines.replaceAll('\n', '\r\n')])].flatMap(formsOfLines);
}

/** Of a secret whose lines end in one way. */
function formsOfLines(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].flatMap((offset) => base64Within(bytes, offset));
  const plain = [secret, ...jsonForms(secret), ...urlForms(secret), ...markupForms(secret)];
  const hex = bytes.toString('hex');
  return [...plain, ...plain.map((form) => Buffer.from(form).toString('latin1')), ...base64, hex, hex.toUpperCase()];
}

/** JSON of JavaScript, of Python, which escapes all but ASCII, of PHP, which escapes slashes too, and with every character escaped. */
function jsonForms(secret: string): string[] {
  const text = JSON.stringify(secret).slice(1, -1);
  const code = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const upperCode = (letter: string) => `\\u${code(letter).slice(2).toUpperCase()}`;
  const written = [code, upperCode].map((codeOf) => text.replace(/[^\0-\x7f]/g, codeOf));
  const escaped = [code, upperCode].map((codeOf) => secret.replace(/./gs, codeOf));
  return [...[text, ...written].flatMap((form) => [form, form.replaceAll('/', '\\/')]), ...escaped];
}

/**
 * Of JavaScript, of those who encode all that RFC 3986 does not leave open, in paths and in forms, and of those who encode everything, with
 * codes of either case.
 */
function urlForms(secret: string): string[] {
  const url = encodeURIComponent(Buffer.from(secret).toString('utf8'));
  const strict = url.replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
  const form = new URLSearchParams([['', secret]]).toString().slice(1);
  const all = Buffer.from(secret).toString('hex').toUpperCase().replace(/../g, '%$&');
  const forms = [url, strict, strict.replaceAll('%2F', '/'), form, strict.replaceAll('%20', '+'), all];
  return forms.flatMap((text) => [text, text.replace(/%[\dA-F]{2}/g, (percent) => percent.toLowerCase())]);
}

/** HTML and XML: of texts, which leave quotes, and of attributes, as common libraries write them. */
function markupForms(secret: string): string[] {
  const text = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const quoted = ['"', '&quot;', '&#34;'].map((quote) => text.replaceAll('"', quote));
  return quoted.flatMap((form) => ["'", '&#39;', '&#x27;', '&apos;'].map((quote) => form.replaceAll("'", quote)));
}

/** The characters that are the secret's alone when it lies in longer data, `offset` bytes after a multiple of three. */
function base64Within(secret: Buffer, offset: number): string[] {
  const text = Buffer.concat([Buffer.alloc(offset), secret])
    .toString('base64')
    .replaceAll('=', '');
  const own = text.slice(offset === 0 ? 0 : offset + 1, (offset + secret.length) % 3 === 0 ? undefined : -1);
  return own.length < limits.redactedCharsMin ? [] : [own, own.replaceAll('+', '-').replaceAll('/', '_')];
}

/** Variables of a host whose values stand everywhere and are no secrets. */
const openVariables = new Set([
  'PATH',
  'HOME',
  'PWD',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TERM',
  'TMPDIR',
  'NODE_ENV',
  'CI',
]);

/**
 * The values that a target takes from its host: all of them, but for those that cannot be secret. Of `Bearer abc` the `abc` is one by
 * itself.
 */
export function hostSecrets(from: { [name: string]: string }, host: { readonly [name: string]: string | undefined }): string[] {
  return Object.values(from).flatMap((variable) => {
    const value = host[variable];
    if (value === undefined || openVariables.has(variable) || variable.startsWith('LC_')) return [];
    const last = value.trimEnd().split(/\s/).at(-1) as string;
    return [value, last];
  });
}
