// Where the references of a JSON Schema lead, and which of its parts have names. Only the schema itself is looked at: a client that reads
// it in a list has nothing else.
//   SCHEMA-REFERENCES-1. `$id` is taken out only where no reference needs it: what each reference leads to stays the same.
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.js';

/** Members that hold values, not schemas. */
const valued = ['const', 'enum', 'default', 'examples'];
/** Members that hold schemas by names that somebody chose. */
const named = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
/** Of a schema that has no name itself. */
const noName = 'schema:/';

export class SchemaReferences {
  /** Schemas by what names them: a URI without a fragment, or with the name of an anchor. */
  readonly #named = new Map<string, JsonValue>();
  readonly #references: { text: string; uri: string | undefined }[] = [];
  readonly #rootUri: string;
  /** Whether a schema inside of it has an `$id`, so that references there are of another document. */
  readonly hasInnerIds: boolean;
  readonly hasAnchors: boolean;

  /** `spend` hears of each part that is looked at, with the number of its members. */
  constructor(root: JsonObject, spend: (steps: number) => void = () => {}) {
    let [innerIds, anchors] = [0, 0];
    this.#rootUri = uriOf(root, noName);
    this.#named.set(this.#rootUri, root);
    walk(root, noName, (node, base) => {
      spend(1 + Object.keys(node).length);
      if (typeof node.$id === 'string') {
        this.#named.set(base, node);
        if (node !== root) innerIds++;
      }
      for (const anchor of [node.$anchor, node.$dynamicAnchor])
        if (typeof anchor === 'string') {
          this.#named.set(`${base}#${anchor}`, node);
          anchors++;
        }
      for (const text of [node.$ref, node.$dynamicRef])
        if (typeof text === 'string') this.#references.push({ text, uri: resolved(text, base) });
    });
    this.hasInnerIds = innerIds > 0;
    this.hasAnchors = anchors > 0;
  }

  get isEmpty(): boolean {
    return this.#references.length === 0;
  }
  /** Whether none has more than a fragment, so that none needs the name of the root. */
  get areLocal(): boolean {
    return this.#references.every(({ text }) => text.startsWith('#'));
  }
  /** Whether each leads to a schema of the same document. */
  get areWhole(): boolean {
    return this.#references.every(({ uri }) => uri !== undefined && this.#find(uri) !== undefined);
  }
  /** The schema that a reference of the root leads to. */
  at(reference: string): JsonValue | undefined {
    const uri = resolved(reference, this.#rootUri);
    return uri === undefined ? undefined : this.#find(uri);
  }

  #find(uri: string): JsonValue | undefined {
    const [document = '', fragment = ''] = uri.split('#', 2);
    if (fragment !== '' && !fragment.startsWith('/')) return this.#named.get(uri);
    const found = this.#named.get(document);
    return found === undefined || fragment === '' ? found : pointed(found, fragment);
  }
}

/** The schema without an `$id` that nothing needs: clients that keep schemas by it take the schema of one tool for that of another. */
export function withoutUnusedIds(schema: JsonObject): JsonObject {
  if (!JSON.stringify(schema).includes('"$id":"')) return schema;
  const references = new SchemaReferences(schema);
  if (!references.areLocal) return schema;
  if (references.isEmpty && !references.hasAnchors) return withoutIds(schema, false) as JsonObject;
  const { $id, ...rest } = schema;
  return typeof $id === 'string' ? rest : schema;
}

function withoutIds(value: JsonValue, hasNames: boolean): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withoutIds(item, false));
  const kept = Object.entries(value).filter(([name, member]) => hasNames || name !== '$id' || typeof member !== 'string');
  return Object.fromEntries(
    kept.map(([name, member]) => [
      name,
      !hasNames && valued.includes(name) ? member : withoutIds(member, !hasNames && named.includes(name)),
    ]),
  );
}

type Visit = (node: JsonObject, base: string) => void;

/** `visit` sees each schema, with the URI that its references begin at, and what else is an object: that has no member of a schema. */
function walk(value: JsonValue, base: string, visit: Visit): void {
  if (Array.isArray(value)) {
    for (const item of value) walk(item, base, visit);
    return;
  }
  if (!isJsonObject(value)) return;
  const own = uriOf(value, base);
  visit(value, own);
  for (const [name, member] of Object.entries(value)) {
    if (valued.includes(name)) continue;
    if (!named.includes(name) || !isJsonObject(member)) walk(member, own, visit);
    else for (const schema of Object.values(member)) walk(schema, own, visit);
  }
}

function uriOf({ $id }: JsonObject, base: string): string {
  const uri = typeof $id === 'string' ? resolved($id, base) : undefined;
  return uri === undefined ? base : (uri.split('#', 1)[0] as string);
}

function resolved(reference: string, base: string): string | undefined {
  if (reference.startsWith('#')) return base + reference;
  return URL.canParse(reference, base) ? new URL(reference, base).href : undefined;
}

/** By a JSON Pointer as a fragment: its tokens are decoded one by one, as Ajv does. */
function pointed(root: JsonValue, fragment: string): JsonValue | undefined {
  let at: JsonValue | undefined = root;
  for (const part of fragment.slice(1).split('/')) {
    const token = decoded(part)?.replaceAll('~1', '/').replaceAll('~0', '~');
    if (token === undefined || typeof at !== 'object' || at === null || !Object.hasOwn(at, token)) return undefined;
    at = (at as JsonObject)[token];
  }
  return isJsonObject(at) || typeof at === 'boolean' ? at : undefined;
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
