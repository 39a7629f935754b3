// Whether the disk of a node has space, as of its last beat, and of which homes it could not store something since it had some.
import type { SpaceWatch } from '../files/disk-full.js';

export class Shortage {
  hasSpace = true;
  readonly #space: SpaceWatch | undefined;
  readonly #unstored = new Set<number>();

  constructor(space: SpaceWatch | undefined) {
    this.#space = space;
  }

  look(): void {
    this.hasSpace = this.#space?.hasSpace() ?? true;
    if (this.hasSpace) this.#unstored.clear();
  }

  isReasonOf(error: unknown): boolean {
    return this.#space?.isShortage(error) === true;
  }

  /** True for the first time of each home since there was space. */
  isNewsOf(home: number): boolean {
    const isNews = !this.#unstored.has(home);
    this.#unstored.add(home);
    return isNews;
  }
}
