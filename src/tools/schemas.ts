// JSON Schema 2020-12, known only at run time: Ajv, spelled out. Compiles in the host's realm; the values it checks may be of any realm.
import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020.js';
import { LruMap } from '../collections/lru-map.js';
import type { Issue } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import type { JsonSchema } from '../contract/world/tool-manifest.js';
import { beginningOf } from '../text/cut-text.js';
import { loadAjv } from './ajv.js';
import type { Validate } from './loaded-tool.js';
import { patternRefused } from './patterns/pattern-places.js';
import { schemaPattern } from './patterns/schema-pattern.js';
import { PatternRefused } from './patterns/syntax.js';
import { isPlainSchema } from './plain-schema.js';
import { replaceEquality } from './schema-equality.js';
import { addFormats } from './schema-formats.js';
import { beginSteps, countReferences, TooManySteps } from './validation-steps.js';

export interface SchemaFault {
  /** JSON Pointer into the schema, as near as Ajv says. */
  path: string;
  message: string;
  /** It is sound, and has a pattern or a size that is not taken. */
  refused?: true;
}

/** Compiles at the first use: a tool has many schemas, and a run needs few. `schema` is known to compile (`schemaFault`). */
export function lazyValidator(schema: JsonSchema): Validate {
  let compiled: ValidateFunction | undefined;
  return (value) => {
    try {
      compiled ??= compileSchema(schema);
      beginSteps();
      return compiled(value) ? null : issuesOf(compiled);
    } catch (error) {
      if (error instanceof TooManySteps) return [{ path: '', code: 'too_much', message: error.message }];
      // Of a build that was made before patterns were bounded.
      if (error instanceof PatternRefused)
        return [{ path: '', code: 'pattern', message: `cannot be checked: a pattern of its schema ${error.message}` }];
      throw error;
    }
  };
}

/** What is wrong with a schema itself: its shape, its patterns, its references. Null when it compiles. */
export function schemaFault(schema: JsonSchema): SchemaFault | null {
  if (isPlainSchema(schema) || compiledByText.has(JSON.stringify(schema))) return null;
  const ajv = threadAjv(false);
  try {
    beginSteps();
    if (!ajv.validateSchema(schema)) {
      const [worst] = (ajv.errors ?? []).toSorted((one, other) => other.instancePath.length - one.instancePath.length);
      return { path: worst?.instancePath ?? '', message: worst ? messageOf(worst) : 'is no JSON Schema' };
    }
    const refused = patternRefused(schema);
    if (refused !== undefined) return { path: refused.path, message: `the pattern ${refused.message}`, refused: true };
    compileSchema(schema);
    return null;
  } catch (error) {
    return { path: '', message: (error as Error).message };
  }
}

const ajvs = new Map<boolean, Ajv2020>();
/** Names that every object inherits. A schema that mentions one needs the slower check of own properties only. */
const inheritedNames =
  /"(?:constructor|__proto__|prototype|toString|toLocaleString|valueOf|hasOwnProperty|isPrototypeOf|propertyIsEnumerable|__\w+__)"/;

/** By text: packages repeat small schemas, and a project is compiled again and again. */
const compiledByText = new LruMap<string, ValidateFunction>({ entriesMax: limits.compiledSchemasMax });

function compileSchema(schema: JsonSchema): ValidateFunction {
  const text = JSON.stringify(schema);
  const known = compiledByText.get(text);
  if (known !== undefined) return known;
  const ajv = threadAjv(inheritedNames.test(text));
  try {
    const compiled = ajv.compile(schema);
    compiledByText.set(text, compiled);
    return compiled;
  } finally {
    // Ajv would keep it by the schema's identity, for ever.
    if (typeof schema === 'object') ajv.removeSchema(schema);
  }
}

function threadAjv(ownProperties: boolean): Ajv2020 {
  let ajv = ajvs.get(ownProperties);
  if (ajv === undefined) {
    const { Ajv2020 } = loadAjv();
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
      code: { optimize: false, regExp: Object.assign(schemaPattern, { code: 'schemaPattern' }) },
      // What is compiled is known to be sound (schemaFault); Ajv's own look would compile the schema of schemas first.
      validateSchema: false,
    });
    addFormats(ajv);
    replaceEquality(ajv);
    countReferences(ajv);
    ajvs.set(ownProperties, ajv);
  }
  return ajv;
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
    keyword === 'additionalProperties' || keyword === 'unevaluatedProperties'
      ? (params.additionalProperty ?? params.unevaluatedProperty)
      : undefined;
  return typeof name === 'string' ? `${instancePath}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` : instancePath;
}

function messageOf({ keyword, message, params }: AjvError): string {
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') return 'is not a known property';
  return message ?? `breaks ${keyword} ${beginningOf(JSON.stringify(params), limits.quotedKeywordCharsMax)}`;
}
