// Names inside of what an assertion speaks of: arguments of a call, members of a row or of a payload. A name that cannot be makes "never"
// true whatever happens, and so does a value that its member never has.
import type { JsonObject, JsonValue } from '../../contract/json.js';
import { limits } from '../../contract/limits.js';
import type { Comparison, OperationFilter } from '../../contract/run/assertion.js';
import type { JsonSchema } from '../../contract/world/tool-manifest.js';
import { lazyValidator, schemaFault } from '../../tools/schemas.js';
import type { Diagnostics } from '../diagnostics.js';
import { didYouMean } from '../did-you-mean.js';
import { schemaMember } from '../schema-members.js';
import type { SourceDocument } from '../source-document.js';
import type { ToolCatalog } from '../tool-catalog.js';

/** What the names are those of. */
interface Subject {
  what: string;
  schema: JsonSchema;
  /** A call may have been refused because of its arguments: then it may have any. */
  isLoose: boolean;
}

/** Of one assertion. `where` is a JSON Pointer below it, without its first slash. A subject that no tool has has no names: undefined. */
export class NameCheck {
  readonly #diagnostics: Diagnostics;
  readonly #catalog: ToolCatalog;
  readonly #at: { document: SourceDocument; path: string };

  constructor(
    { diagnostics, catalog }: { diagnostics: Diagnostics; catalog: ToolCatalog },
    at: { document: SourceDocument; path: string },
  ) {
    this.#diagnostics = diagnostics;
    this.#catalog = catalog;
    this.#at = at;
  }

  row({ packageId, namespace }: { packageId: string; namespace: string }): Subject | undefined {
    const schema = this.#catalog.schemaOf('namespaces', { packageId, id: namespace });
    return schema === undefined ? undefined : { what: `a row of ${packageId}/${namespace}`, schema, isLoose: false };
  }
  call({ packageId, operationId, outcome }: OperationFilter): Subject | undefined {
    const schema = this.#catalog.schemaOf('operations', { packageId, id: operationId });
    const isLoose = [outcome].flat().some((kind) => kind === 'invalid' || kind === 'denied');
    return schema === undefined ? undefined : { what: `the input of ${packageId}/${operationId}`, schema, isLoose };
  }
  payload({ packageId, eventId }: { packageId: string; eventId: string }): Subject | undefined {
    const schema = this.#catalog.schemaOf('events', { packageId, id: eventId });
    return schema === undefined ? undefined : { what: `the payload of ${packageId}/${eventId}`, schema, isLoose: false };
  }

  /** Members that are to be equal. */
  members(subject: Subject | undefined, where: string, members: JsonObject = {}): void {
    if (subject === undefined) return;
    for (const [name, value] of Object.entries(members)) {
      const pointer = `${where}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      const schemas = this.#step(subject, { schemas: [subject.schema], step: name, where: pointer, part: 'key' });
      if (schemas !== undefined) this.#value(subject, { schemas, value, where: pointer });
    }
  }

  name(subject: Subject | undefined, where: string, name: string): void {
    if (subject !== undefined) this.#step(subject, { schemas: [subject.schema], step: name, where });
  }

  /** The value at a path, and what it is compared with. */
  path(
    subject: Subject | undefined,
    where: string,
    { path, comparison, expected }: { path: readonly (string | number)[]; comparison?: Comparison; expected?: JsonValue },
  ): void {
    if (subject === undefined) return;
    let schemas: readonly JsonSchema[] | undefined = [subject.schema];
    for (const [index, step] of path.entries()) {
      schemas = this.#step(subject, { schemas, step, where: `${where}/${index}` });
      if (schemas === undefined) return;
    }
    if (path.length === 0 || expected === undefined) return;
    if (comparison === 'equals' || comparison === 'not_equals') this.#value(subject, { schemas, value: expected, where: 'expected' });
    else if (comparison === 'one_of' && Array.isArray(expected))
      for (const [index, value] of expected.entries()) this.#value(subject, { schemas, value, where: `expected/${index}` });
  }

  /** The schemas of what is there; undefined where nothing is known of it. */
  #step(
    { what, schema, isLoose }: Subject,
    { schemas, step, where, part }: { schemas: readonly JsonSchema[]; step: string | number; where: string; part?: 'key' },
  ): readonly JsonSchema[] | undefined {
    const member = schemaMember(schema, schemas, step);
    if (member.kind === 'declared') return member.schemas;
    const place = this.#at.document.place(`${this.#at.path}/${where}`, part);
    const advice = { suggestion: didYouMean(String(step), member.names) };
    if (member.kind === 'impossible' && !isLoose) this.#diagnostics.report('DY3020', place, `${what} has no '${step}' here`, advice);
    else if (member.names.length > 0)
      this.#diagnostics.report('DY3021', place, `the schema of ${what} does not declare '${step}', and allows it`, advice);
    return undefined;
  }

  #value({ what, isLoose }: Subject, { schemas, value, where }: { schemas: readonly JsonSchema[]; value: JsonValue; where: string }): void {
    const [schema] = schemas;
    // A reference is known to the whole schema only.
    if (isLoose || schema === undefined || schemas.length > 1 || /"\$(?:ref|dynamicRef)":/.test(JSON.stringify(schema))) return;
    const issue = schemaFault(schema) === null ? lazyValidator(schema)(value)?.[0] : undefined;
    if (issue === undefined) return;
    const place = this.#at.document.place(`${this.#at.path}/${where}`);
    const suggestion =
      typeof value === 'string' && typeof schema === 'object' && Array.isArray(schema.enum)
        ? didYouMean(value, schema.enum.map(String))
        : undefined;
    this.#diagnostics.report(
      'DY4007',
      place,
      `it is never this in ${what}: ${JSON.stringify(value).slice(0, limits.quotedValueCharsMax)} ${issue.message}`,
      {
        suggestion,
      },
    );
  }
}
