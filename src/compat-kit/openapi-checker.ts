// Responses against an OpenAPI document, 3.0 or 3.1: the status that it describes, and the body that it wants there.
//   OPENAPI-CHECKER-1. A success that the document does not describe is a finding; of an error it says nothing, unless it is given what all
//     errors are.
//   OPENAPI-CHECKER-2. Only the members are taken from the document that it has. What it leaves open is open.
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { counted } from '../text/counted.js';
import { loadAjv } from '../tools/ajv.js';
import type { RecordedExchange } from './definition.js';
import { at, type DescribedOperation, type OpenApiDocument, operationsOf } from './openapi-document.js';
import { type SchemaConversion, withJsonSchemas } from './openapi-schemas.js';
import { tuning } from './tuning.js';
import { VendorTable } from './vendor-operations.js';

export interface OpenApiCheckerOptions {
  document: unknown;
  /** JSON Schema of the body of each error (400 and above) that the document does not describe. Default: it is not looked at. */
  errors?: object;
  /**
   * `required`: the members that the document calls so. `declared`: each member of an object that the document lists, for documents that
   * call nothing required. Default: required.
   */
  presence?: SchemaConversion['presence'];
}

const documentId = 'openapi:document';

/** A checkResponse. */
export function openApiChecker({
  document,
  errors,
  presence = 'required',
}: OpenApiCheckerOptions): (exchange: RecordedExchange) => string[] {
  const described = operationsOf(document as OpenApiDocument);
  const table = new VendorTable([], described);
  const ajv = newAjv();
  ajv.addSchema({ $id: documentId, ...(withJsonSchemas(document, { presence, isOld: isOld(document) }) as object) });
  const validators = new Map<string, ValidateFunction>();
  const validatorAt = (pointer: string): ValidateFunction => {
    const known = validators.get(pointer) ?? ajv.compile({ $ref: `${documentId}${pointer}` });
    validators.set(pointer, known);
    return known;
  };
  const ofErrors = errors === undefined ? undefined : ajv.compile(errors);
  return (exchange) => {
    const { method, path, status } = exchange;
    const asked = exchange.operation ?? table.find(method, path).operation;
    const operation = asked && described.find((one) => one.id === asked.id && one.method === asked.method && one.path === asked.path);
    const found = operation && responseFor(operation, status);
    if (found === undefined) {
      if (status >= 400) return ofErrors === undefined ? [] : checkBody(exchange, ofErrors);
      return operation === undefined ? [] : [`the document has no response ${status} of ${operation.id}`];
    }
    if (method === 'HEAD') return [];
    const schema = schemaFor(found, document, exchange);
    if (schema.kind === 'none') return [];
    if (schema.kind === 'type') return [`the content type is ${schema.type || 'not said'}, not ${schema.wanted.join(' or ')}`];
    return checkBody(exchange, validatorAt(schema.pointer));
  };
}

type Described = DescribedOperation['responses'][string];
/** The exact status, then its class, then what holds for all others. */
function responseFor({ responses }: DescribedOperation, status: number): Described | undefined {
  const ofClass = `${Math.floor(status / 100)}XX`;
  return responses[String(status)] ?? responses[ofClass] ?? responses[ofClass.toLowerCase()] ?? responses.default;
}

type FoundSchema = { kind: 'none' } | { kind: 'type'; type: string; wanted: string[] } | { kind: 'schema'; pointer: string };
function schemaFor({ pointer, response }: Described, document: unknown, { headers, body }: RecordedExchange): FoundSchema {
  const contents = Object.entries((response?.content ?? {}) as { [type: string]: { schema?: unknown } });
  if (contents.length === 0) return { kind: 'none' };
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const fits = ([wanted]: [string, unknown]): boolean => {
    const range = wanted.split(';', 1)[0]?.trim().toLowerCase() ?? '';
    return range === type || range === '*/*' || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)));
  };
  const found = contents.find(fits);
  if (found === undefined)
    return body === '' && type === '' ? { kind: 'none' } : { kind: 'type', type, wanted: contents.map(([name]) => name) };
  const [name, content] = found;
  const place = `${pointer}/content/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}/schema`;
  const isJson = /[/+]json$/.test(type);
  return content.schema === undefined || !isJson || at(document, place) === undefined
    ? { kind: 'none' }
    : { kind: 'schema', pointer: place };
}

function checkBody({ body }: RecordedExchange, validate: ValidateFunction): string[] {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return ['the body is no JSON'];
  }
  if (validate(value)) return [];
  const faults = [...new Set((validate.errors ?? []).map(textOf))];
  const more = faults.length - tuning.faultsShown;
  return more <= 0 ? faults : [...faults.slice(0, tuning.faultsShown), `and ${counted(more, 'fault')} more`];
}

function textOf({ instancePath, message = 'does not fit', params }: ErrorObject): string {
  // Items of a list are alike: one complaint about all of them.
  const place = instancePath.replace(/\/\d+(?=\/|$)/g, '/*');
  const allowed = Array.isArray(params?.allowedValues) ? `: ${params.allowedValues.join(', ')}` : '';
  return `${place === '' ? 'the body' : place} ${message}${allowed}`;
}

function newAjv(): Ajv2020 {
  const { Ajv2020: Class, addFormats } = loadAjv();
  // Documents have members that are no JSON Schema, and formats of their own.
  const loose = { strict: false, validateSchema: false, logger: false } as const;
  // Each schema is compiled for a few bodies alone, and its references once for all: that takes longer than the checks.
  const quick = { inlineRefs: false, code: { optimize: false } } as const;
  const ajv = new Class({ ...loose, ...quick, allErrors: true, validateFormats: true });
  addFormats(ajv);
  return ajv;
}

function isOld(document: unknown): boolean {
  return !/^3\.[1-9]/.test((document as OpenApiDocument).openapi ?? '');
}
