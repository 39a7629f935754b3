// Requests on the control path that are not answered yet. Comlink never settles a call whose other side is gone, so this does.
import { ServiceError } from '../contract/errors.js';

export class ControlAsks {
  readonly #pending = new Set<(error: ServiceError) => void>();

  run<T>(request: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#pending.add(reject);
      request()
        .then(resolve, (cause) =>
          reject(new ServiceError('control.INVALID_REQUEST', { message: 'A request or its answer cannot be cloned.', cause })),
        )
        .finally(() => this.#pending.delete(reject));
    });
  }

  rejectAll(error: ServiceError): void {
    for (const reject of this.#pending) reject(error);
    this.#pending.clear();
  }
}
