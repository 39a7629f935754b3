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
import { tuning } from './tuning.js';
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
      // Of a build that was made before patterns were bounded, and asynchronous schemas refused.
      if (error instanceof PatternRefused)
        return [{ path: '', code: 'pattern', message: `cannot be checked: a pattern of its schema ${error.message}` }];
      if (error instanceof AsyncRefused) return [{ path: '', code: '$async', message: `cannot be checked: its schema ${error.message}` }];
      throw error;
    }
  };
}

/** Compiles the schema of schemas alone. */
let judge: Ajv2020 | undefined;

/** What is wrong with a schema itself: its shape, its patterns, its references. Null when it compiles. */
export function schemaFault(schema: JsonSchema): SchemaFault | null {
  if (isPlainSchema(schema) || compiledByText.has(JSON.stringify(schema))) return null;
  judge ??= newAjv(false);
  try {
    beginSteps();
    if (!judge.validateSchema(schema)) {
      const [worst] = (judge.errors ?? []).toSorted((one, other) => other.instancePath.length - one.instancePath.length);
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

/** Names that every object inherits. A schema that mentions one needs the slower check of own properties only. */
const inheritedNames =
  /"(?:constructor|__proto__|prototype|toString|toLocaleString|valueOf|hasOwnProperty|isPrototypeOf|propertyIsEnumerable|__\w+__)"/;
/** What is known by a name beyond the schema that says so, or may take the name of another. */
const ownNames = /"\$(?:id|anchor|dynamicAnchor)"/;

/** By text: packages repeat small schemas, and a project is compiled again and again. */
const compiledByText = new LruMap<string, ValidateFunction>({
  entriesMax: limits.compiledSchemasMax,
  weightMax: tuning.compiledSchemaCharsMax,
});

function compileSchema(schema: JsonSchema): ValidateFunction {
  const text = JSON.stringify(schema);
  const known = compiledByText.get(text);
  if (known !== undefined) return known;
  const ownProperties = inheritedNames.test(text);
  const ajv = ownNames.test(text) ? newAjv(ownProperties) : threadAjv(ownProperties);
  const compiled = ajv.compile(schema);
  compiledByText.set(text, compiled, text.length);
  return compiled;
}

const ajvs = new Map<boolean, { ajv: Ajv2020; uses: number }>();

/** Of the thread, and for a number of schemas only: Ajv forgets none that it has compiled. */
function threadAjv(ownProperties: boolean): Ajv2020 {
  let known = ajvs.get(ownProperties);
  if (known === undefined || known.uses >= tuning.ajvSchemasMax) {
    known = { ajv: newAjv(ownProperties), uses: 0 };
    ajvs.set(ownProperties, known);
  }
  known.uses += 1;
  return known.ajv;
}

function newAjv(ownProperties: boolean): Ajv2020 {
  const { Ajv2020 } = loadAjv();
  const ajv = new Ajv2020({
    ownProperties,
    strict: false,
    allErrors: true,
    validateFormats: true,
    addUsedSchema: false,
    // Of any size, a schema of references to a large one would become as many copies of it.
    inlineRefs: tuning.inlinedKeywordsMax,
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
  refuseAsync(ajv);
  return ajv;
}

class AsyncRefused extends Error {}

/** A validator of such a schema returns a promise, which is never false. Ajv asks a keyword wherever it would obey it. */
function refuseAsync(ajv: Ajv2020): void {
  ajv.removeKeyword('$async');
  ajv.addKeyword({
    keyword: '$async',
    code: ({ schema }) => {
      if (schema) throw new AsyncRefused("asks for asynchronous checks with '$async'");
    },
  });
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
