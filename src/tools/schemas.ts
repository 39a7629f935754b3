// JSON Schema 2020-12, known only at run time: Ajv, spelled out. Compiles in the host's realm; the values it checks may be of any realm.
import { createRequire } from 'node:module';
import type { Format } from 'ajv';
import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020.js';
import { canonicalJson } from '../contract/canonical-json.js';
import type { Issue } from '../contract/errors.js';
import type { JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import type { JsonSchema } from '../contract/tool-manifest.js';
import type { Validate } from './loaded-tool.js';
import { isPlainSchema } from './plain-schema.js';

export interface SchemaFault {
  /** JSON Pointer into the schema, as near as Ajv says. */
  path: string;
  message: string;
}

/** Compiles at the first use: a tool has many schemas, and a run needs few. `schema` is known to compile (`schemaFault`). */
export function lazyValidator(schema: JsonSchema): Validate {
  let compiled: ValidateFunction | undefined;
  return (value) => {
    compiled ??= compileSchema(schema);
    return compiled(value) ? null : issuesOf(compiled);
  };
}

/** What is wrong with a schema itself: its shape, its patterns, its references. Null when it compiles. */
export function schemaFault(schema: JsonSchema): SchemaFault | null {
  if (isPlainSchema(schema) || compiledByText.has(JSON.stringify(schema))) return null;
  const ajv = threadAjv(false);
  try {
    if (!ajv.validateSchema(schema)) {
      const [worst] = (ajv.errors ?? []).toSorted((one, other) => other.instancePath.length - one.instancePath.length);
      return { path: worst?.instancePath ?? '', message: worst ? messageOf(worst) : 'is no JSON Schema' };
    }
    compileSchema(schema);
    return null;
  } catch (error) {
    return { path: '', message: (error as Error).message };
  }
}

// Loaded at the first need, as it takes some 50 ms: a host that calls no tool, or a command that compiles nothing, has none.
const require = createRequire(import.meta.url);
const ajvs = new Map<boolean, Ajv2020>();
/** Names that every object inherits. A schema that speaks of one needs the slower look at own properties only. */
const inheritedNames =
  /"(?:constructor|__proto__|prototype|toString|toLocaleString|valueOf|hasOwnProperty|isPrototypeOf|propertyIsEnumerable|__\w+__)"/;

/** By text: packages repeat small schemas, and a project is compiled again and again. Oldest first. */
const compiledByText = new Map<string, ValidateFunction>();

function compileSchema(schema: JsonSchema): ValidateFunction {
  const text = JSON.stringify(schema);
  const known = compiledByText.get(text);
  if (known !== undefined) return known;
  const ajv = threadAjv(inheritedNames.test(text));
  try {
    const compiled = ajv.compile(schema);
    compiledByText.set(text, compiled);
    if (compiledByText.size > limits.compiledSchemasMax) compiledByText.delete(compiledByText.keys().next().value as string);
    return compiled;
  } finally {
    // Ajv would keep it by the schema's identity, for ever.
    if (typeof schema === 'object') ajv.removeSchema(schema);
  }
}

function threadAjv(ownProperties: boolean): Ajv2020 {
  let ajv = ajvs.get(ownProperties);
  if (ajv === undefined) {
    const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
    ajv = new Ajv2020({
      ownProperties,
      strict: false,
      allErrors: true,
      validateFormats: true,
      addUsedSchema: false,
      inlineRefs: true,
      logger: false,
      messages: true,
      coerceTypes: false,
      useDefaults: false,
      removeAdditional: false,
      unicodeRegExp: true,
      // V8 does the same to what runs often; here it would be a third of the time that compiling takes.
      code: { optimize: false },
      // What is compiled is known to be sound (schemaFault); Ajv's own look would compile the schema of schemas first.
      validateSchema: false,
    });
    addFormats(ajv);
    replaceEquality(ajv);
    ajvs.set(ownProperties, ajv);
  }
  return ajv;
}

function addFormats(ajv: Ajv2020): void {
  const formats = require('ajv-formats') as (ajv: Ajv2020) => void;
  formats(ajv);
  // Formats of the standard that ajv-formats leaves out: annotations only.
  const unchecked: Format = { type: 'string', validate: () => true };
  for (const name of ['idn-email', 'idn-hostname', 'iri', 'iri-reference']) ajv.addFormat(name, unchecked);
}

/**
 * Ajv's own `const` and `enum` compare the constructors of objects, which differ from realm to realm, and trip over a member named
 * `constructor`. These compare canonical texts where the schema has an object or array, and else by identity.
 */
function replaceEquality(ajv: Ajv2020): void {
  for (const keyword of ['const', 'enum']) ajv.removeKeyword(keyword);
  ajv.addKeyword({ keyword: 'const', errors: 'full', compile: (wanted: JsonValue) => equality('const', [wanted]) });
  ajv.addKeyword({ keyword: 'enum', schemaType: 'array', errors: 'full', compile: (wanted: JsonValue[]) => equality('enum', wanted) });
}

function equality(keyword: 'const' | 'enum', wanted: readonly JsonValue[]) {
  const simple = new Set(wanted.filter((value) => typeof value !== 'object' || value === null));
  const texts = new Set(wanted.filter((value) => typeof value === 'object' && value !== null).map(canonicalJson));
  const message =
    keyword === 'const' ? `must be ${preview(wanted[0] as JsonValue)}` : `must be one of ${wanted.map(preview).join(', ').slice(0, 500)}`;
  const check = (value: JsonValue): boolean => {
    if (typeof value !== 'object' || value === null ? simple.has(value) : texts.size > 0 && texts.has(canonicalJson(value))) return true;
    check.errors = [{ keyword, message }];
    return false;
  };
  check.errors = [] as { keyword: string; message: string }[];
  return check;
}

function preview(value: JsonValue): string {
  return JSON.stringify(value).slice(0, 100);
}

type AjvError = NonNullable<ValidateFunction['errors']>[number];

function issuesOf({ errors }: ValidateFunction): Issue[] {
  const issues: Issue[] = [];
  for (const error of errors ?? []) {
    if (issues.length === limits.issuesMax) break;
    issues.push({ path: pathOf(error), code: error.keyword, message: messageOf(error) });
  }
  return issues;
}

/** Of a missing or extra property its own path, which is where an author looks. */
function pathOf({ keyword, instancePath, params }: AjvError): string {
  const name: unknown =
    keyword === 'additionalProperties' || keyword === 'unevaluatedProperties' ? (params.additionalProperty ?? params.unevaluatedProperty) : undefined;
  return typeof name === 'string' ? `${instancePath}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` : instancePath;
}

function messageOf({ keyword, message, params }: AjvError): string {
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') return 'is not a known property';
  return message ?? `breaks ${keyword} ${JSON.stringify(params).slice(0, 200)}`;
}
