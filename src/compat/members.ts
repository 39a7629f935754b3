// Reading documents whose shape nobody has checked yet.
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.js';
import type { ReadShape, ShapeRefusal } from '../contract/run/dialect.js';

/** The members without those that are undefined. */
export function present(members: { [name: string]: JsonValue | undefined }): JsonObject {
  return Object.fromEntries(Object.entries(members).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined));
}

/** Collects what one document has that is not adapted. */
export class ShapeReader {
  readonly refusals: ShapeRefusal[] = [];

  /** `line`: of the table in docs/other-runner.md. */
  refuse(path: string, message: string, line: string): void {
    this.refusals.push({ path, message: `${message} is not adapted (${line})`, suggestion: 'docs/other-runner.md lists what is.' });
  }

  /** Each item of the list at the member, replaced; anything else stays for the validator to complain of. */
  each(
    members: JsonObject,
    name: string,
    { path, read }: { path: string; read: (item: JsonObject, path: string) => JsonValue },
  ): JsonValue | undefined {
    const list = members[name];
    if (!Array.isArray(list)) return list;
    return list.map((item, index) => (isJsonObject(item) ? read(item, `${path}/${name}/${index}`) : item));
  }

  done(value: JsonValue): ReadShape {
    return { value, refusals: this.refusals };
  }
}
