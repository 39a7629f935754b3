// Texts that were found valid. What is asked for again and again, as clients do that put values into variables, is looked at once: of a
// small query the rules of GraphQL take nine tenths of the time. What is valid depends on the text and the schema alone, so nothing shows.
import { tuning } from './tuning.js';

export class ValidTexts {
  readonly #texts = new Set<string>();

  has(text: string): boolean {
    return this.#texts.has(text);
  }

  add(text: string): void {
    if (text.length > tuning.validTextCharsMax) return;
    const [oldest] = this.#texts;
    if (this.#texts.size >= tuning.validTextsMax && oldest !== undefined) this.#texts.delete(oldest);
    this.#texts.add(text);
  }
}
