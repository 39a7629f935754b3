// What a target says, kept up to a bound: the beginning, and a line that tells how much is missing.
import { limits } from '../../contract/limits.js';
import type { Access } from '../bindings-port.js';

export class TargetLog {
  #text = '';
  #dropped = 0;
  readonly #secrets: readonly string[];

  /** Secrets are blotted out of what is told. */
  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }

  append(text: string): void {
    const room = limits.targetLogBytesMax - this.#text.length;
    if (text.length <= room) {
      this.#text += text;
      return;
    }
    this.#text += text.slice(0, Math.max(0, room));
    this.#dropped += text.length - Math.max(0, room);
  }

  text(): string {
    const text = this.#redacted();
    if (this.#dropped === 0) return text;
    return `${text}${text.endsWith('\n') ? '' : '\n'}[the rest, at least ${this.#dropped} characters, was not kept]\n`;
  }

  /** The end of it, for an error message. */
  tail(): string {
    return this.#redacted().trimEnd().split('\n').slice(-10).join('\n').slice(-2000);
  }

  #redacted(): string {
    return this.#secrets.reduce((text, secret) => text.replaceAll(secret, '[redacted]'), this.#text);
  }
}

/** The tokens an agent was given. */
export function secretsOf({ endpoints }: Pick<Access, 'endpoints'>): string[] {
  return Object.values(endpoints).map(({ token }) => token);
}
