// An abort of something that there are many of and that hardly anybody waits for: its signal is made when somebody asks for it.

export class LateAbort {
  #controller: AbortController | undefined;
  #isAborted = false;

  get isAborted(): boolean {
    return this.#isAborted;
  }
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isAborted) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  abort(): void {
    this.#isAborted = true;
    this.#controller?.abort();
  }
}
