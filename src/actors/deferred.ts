// A promise settled from outside, once. Nobody has to listen to its rejection.
export class Deferred {
  readonly promise: Promise<void>;
  settled = false;
  #resolve!: () => void;
  #reject!: (error: unknown) => void;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.promise.catch(() => {});
  }

  resolve(): void {
    this.settled = true;
    this.#resolve();
  }
  reject(error: unknown): void {
    this.settled = true;
    this.#reject(error);
  }
}
