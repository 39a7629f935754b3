// What was held against tools and found sound is not held against them again: a command that changes nothing of it loads no checker. Only
// that nothing was found is kept, so what is wrong is found each time, with its place.
//   SOUND-VALUES-1. An answer is that of the same tools, down to each manifest's hash, with none missing or broken (of what refers to those
//     nothing is found), and of the same text of what is checked.
import type { JsonValue } from '../contract/json.js';
import type { CompiledTool } from '../contract/run/build.js';
import type { ContentCache } from '../files/content-cache.js';

export interface SoundAnswer {
  /** Nothing was found before. */
  isKnown: boolean;
  /** Nothing was found now. */
  keep(): void;
}

export class SoundValues {
  readonly #cache: ContentCache | undefined;
  readonly #tools: string;

  /** `areAll`: every tool that the project names is there and whole. */
  constructor(cache: ContentCache, tools: readonly CompiledTool[], areAll: boolean) {
    this.#cache = areAll ? cache : undefined;
    this.#tools = tools.map(({ packageId, manifestHash }) => `${packageId} ${manifestHash}`).join(' ');
  }

  /** `kind`: which check, a plain name; `subject`: all that it looks at besides tools, plain data. */
  of(kind: string, subject: unknown): SoundAnswer {
    const key = `${this.#tools} ${JSON.stringify(subject as JsonValue)}`;
    const isKnown = this.#cache?.read(kind, key) === true;
    return { isKnown, keep: () => isKnown || this.#cache?.keep(kind, key, true) };
  }
}
