// The header fields of one request, gathered as they come: joined by name, and the values of a repeated one in a list as well.

export class HeaderMap {
  readonly joined = new Map<string, string>();
  #repeated: Map<string, string[]> | undefined;

  /** `name` is in lower case. */
  add(name: string, value: string): void {
    const earlier = this.joined.get(name);
    if (earlier === undefined) {
      this.joined.set(name, value);
      return;
    }
    this.joined.set(name, `${earlier}, ${value}`);
    this.#repeated ??= new Map();
    const values = this.#repeated.get(name);
    if (values === undefined) this.#repeated.set(name, [earlier, value]);
    else values.push(value);
  }

  get repeated(): ReadonlyMap<string, readonly string[]> {
    return this.#repeated ?? none;
  }
}

const none: ReadonlyMap<string, readonly string[]> = new Map();
