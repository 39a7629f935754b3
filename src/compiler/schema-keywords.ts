// A misspelled keyword of a JSON Schema says nothing and is no error by the standard, so it is the mistake nobody sees. Unknown keywords
// that look like a known one are reported; others are annotations, which the standard allows.
import type { JsonValue } from '../contract/json.js';
import type { JsonSchema } from '../contract/world/tool-manifest.js';
import { nearest } from '../text/nearest.js';

const schemaOf = [
  'additionalProperties',
  'propertyNames',
  'items',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'unevaluatedItems',
  'unevaluatedProperties',
  'contentSchema',
];
const schemaListOf = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const schemaMapOf = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'];
const others = [
  ...[
    '$schema',
    '$id',
    '$ref',
    '$anchor',
    '$dynamicRef',
    '$dynamicAnchor',
    '$comment',
    '$vocabulary',
    'type',
    'enum',
    'const',
    'multipleOf',
    'maximum',
    'exclusiveMaximum',
  ],
  ...[
    'minimum',
    'exclusiveMinimum',
    'maxLength',
    'minLength',
    'pattern',
    'maxItems',
    'minItems',
    'uniqueItems',
    'maxContains',
    'minContains',
    'maxProperties',
    'minProperties',
  ],
  ...[
    'required',
    'dependentRequired',
    'format',
    'contentEncoding',
    'contentMediaType',
    'title',
    'description',
    'default',
    'deprecated',
    'readOnly',
    'writeOnly',
    'examples',
  ],
];
const known = [...schemaOf, ...schemaListOf, ...schemaMapOf, ...others];

export interface KeywordFinding {
  code: 'DY5014';
  path: string;
  message: string;
  suggestion: string;
}

export function schemaKeywordFindings(schema: JsonSchema, path: string): KeywordFinding[] {
  if (typeof schema !== 'object') return [];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const at = `${path}/${keyword.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (known.includes(keyword)) return inside(keyword, value, at);
    const meant = nearest(keyword, known);
    if (meant === undefined) return [];
    return [
      {
        code: 'DY5014' as const,
        path: at,
        message: `JSON Schema has no keyword '${keyword}', so this says nothing`,
        suggestion: `Did you mean '${meant}'?`,
      },
    ];
  });
}

function inside(keyword: string, value: JsonValue, path: string): KeywordFinding[] {
  const nested = (entries: [string, JsonValue][]) =>
    entries.flatMap(([name, schema]) =>
      schemaKeywordFindings(schema as JsonSchema, `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
    );
  if (schemaOf.includes(keyword)) return schemaKeywordFindings(value as JsonSchema, path);
  if (typeof value !== 'object' || value === null) return [];
  return schemaListOf.includes(keyword) || schemaMapOf.includes(keyword) ? nested(Object.entries(value) as [string, JsonValue][]) : [];
}
