// What the tools of a repository declare, for everybody who refers to them.
import type { Issue } from '../contract/errors.js';
import type { JsonValue } from '../contract/json.js';
import type { JsonSchema, ToolManifest } from '../contract/world/tool-manifest.js';
import { lazyValidator, schemaFault } from '../tools/schemas.js';
import type { DiagnosticCode } from './diagnostic-table.js';
import type { Diagnostics } from './diagnostics.js';
import { didYouMean } from './did-you-mean.js';
import type { SourceDocument } from './source-document.js';

type Check = (value: JsonValue) => Issue[] | null;
export interface CatalogTool {
  operations: ReadonlyMap<string, { output: Check; errors: ReadonlySet<string> }>;
  namespaces: ReadonlyMap<string, Check>;
  events: ReadonlyMap<string, Check>;
  /** What each may happen to. */
  faults: ReadonlyMap<string, ReadonlySet<string>>;
  callbacks: ReadonlySet<string>;
  /** What the arguments and the output of an operation, the rows of a namespace, the payload of an event are. */
  schemas: { readonly [part in DescribedMember]: ReadonlyMap<string, JsonSchema> };
}
export type DescribedMember = 'operations' | 'outputs' | 'namespaces' | 'events';
/** What one package declares. */
export interface DescribedPart {
  packageId: string;
  id: string;
  schema: JsonSchema;
}
const closed = (properties: { [name: string]: { type: string } }): JsonSchema => ({
  type: 'object',
  properties,
  additionalProperties: false,
});
/** A reference by its place in a file. */
export interface Reference {
  document: SourceDocument;
  /** JSON Pointer of the object that holds packageId and the member named `member`. */
  path: string;
}
/** Packages that are there but do not fit, or that nobody knows because they are missing: what refers to them is not judged. */
export interface BrokenPackages {
  ids: ReadonlySet<string>;
  /** Any package that is not known may be one that is missing. */
  anyOther: boolean;
}
type Part = 'operations' | 'namespaces' | 'events' | 'faults' | 'callbacks';
const parts: { readonly [part in Part]: { code: DiagnosticCode; what: string; member: string } } = {
  operations: { code: 'DY3006', what: 'operation', member: 'operationId' },
  namespaces: { code: 'DY3009', what: 'namespace', member: 'namespace' },
  events: { code: 'DY3007', what: 'event', member: 'eventId' },
  faults: { code: 'DY3008', what: 'fault', member: 'faultId' },
  callbacks: { code: 'DY3011', what: 'callback', member: 'callbackId' },
};

export class ToolCatalog {
  readonly #tools = new Map<string, CatalogTool>();
  readonly #broken: BrokenPackages;
  readonly #diagnostics: Diagnostics;

  constructor(diagnostics: Diagnostics, manifests: readonly ToolManifest[], broken: BrokenPackages) {
    this.#diagnostics = diagnostics;
    this.#broken = broken;
    for (const manifest of manifests) if (!this.#tools.has(manifest.id)) this.#tools.set(manifest.id, catalogTool(manifest));
    // Reserved: the world itself, whose one operation is waiting.
    const none: ReadonlyMap<string, Check> = new Map();
    this.#tools.set('world', {
      operations: new Map([['clock.wait', { output: () => null, errors: new Set() }]]),
      namespaces: none,
      events: none,
      faults: new Map(),
      callbacks: new Set(),
      schemas: {
        operations: new Map([['clock.wait', closed({ untilUs: { type: 'integer' } })]]),
        outputs: new Map([['clock.wait', closed({ virtualTimeUs: { type: 'integer' }, reached: { type: 'boolean' } })]]),
        namespaces: new Map(),
        events: new Map(),
      },
    });
  }

  has(packageId: string): boolean {
    return this.#tools.has(packageId) || this.#isBroken(packageId);
  }

  /** The tool, when both it and the named part of it exist; reports what does not. */
  find(part: Part, { packageId, id }: { packageId: string; id: string }, { document, path }: Reference): CatalogTool | undefined {
    const tool = this.findPackage(packageId, { document, path });
    if (tool === undefined || tool[part].has(id)) return tool;
    const { code, what, member } = parts[part];
    this.#diagnostics.report(code, document.place(`${path}/${member}`), `package '${packageId}' declares no ${what} '${id}'`, {
      suggestion: didYouMean(id, [...tool[part].keys()]),
    });
    return undefined;
  }

  /** Of every package. Undefined where a package is not known, which may have any. */
  ids(part: Part): readonly string[] | undefined {
    return this.#hasBroken() ? undefined : [...new Set([...this.#tools.values()].flatMap((tool) => [...tool[part].keys()]))];
  }
  packageIds(): readonly string[] | undefined {
    return this.#hasBroken() ? undefined : [...this.#tools.keys()];
  }

  /** Undefined for what is not declared; `find` reports that. */
  schemaOf(part: DescribedMember, { packageId, id }: { packageId: string; id: string }): JsonSchema | undefined {
    return this.#tools.get(packageId)?.schemas[part].get(id);
  }

  /** Of every package; undefined as `ids`. */
  describedParts(part: DescribedMember): readonly DescribedPart[] | undefined {
    if (this.#hasBroken()) return undefined;
    return [...this.#tools].flatMap(([packageId, { schemas }]) => [...schemas[part]].map(([id, schema]) => ({ packageId, id, schema })));
  }

  /** As `find`, of the package alone. */
  findPackage(packageId: string, { document, path }: Reference): CatalogTool | undefined {
    const tool = this.#tools.get(packageId);
    if (tool !== undefined || this.#isBroken(packageId)) return tool;
    const known = [...this.#tools.keys()].filter((name) => name !== 'world');
    this.#diagnostics.report('DY3005', document.place(`${path}/packageId`), `there is no tool package '${packageId}'`, {
      suggestion: didYouMean(packageId, known),
    });
    return undefined;
  }

  #hasBroken(): boolean {
    return this.#broken.anyOther || this.#broken.ids.size > 0;
  }

  #isBroken(packageId: string): boolean {
    return this.#broken.anyOther || this.#broken.ids.has(packageId);
  }
}

function catalogTool({ state, operations, events, faults, callbacks }: ToolManifest): CatalogTool {
  return {
    operations: new Map(
      operations.map(({ id, outputSchema, declaredErrors = [] }) => [
        id,
        { output: checkOf(outputSchema), errors: new Set(declaredErrors.map(({ code }) => code)) },
      ]),
    ),
    namespaces: new Map(state.map(({ namespace, schema }) => [namespace, checkOf(schema)])),
    events: new Map(events.map(({ id, payloadSchema }) => [id, checkOf(payloadSchema)])),
    faults: new Map(faults.map(({ id, appliesTo }) => [id, new Set(appliesTo)])),
    callbacks: new Set(callbacks.map(({ id }) => id)),
    schemas: {
      operations: new Map(operations.map(({ id, inputSchema }) => [id, inputSchema])),
      outputs: new Map(operations.map(({ id, outputSchema }) => [id, outputSchema])),
      namespaces: new Map(state.map(({ namespace, schema }) => [namespace, schema])),
      events: new Map(events.map(({ id, payloadSchema }) => [id, payloadSchema])),
    },
  };
}

/** A schema that does not compile has its own diagnostic, and judges nothing. */
function checkOf(schema: JsonSchema): Check {
  let sound: boolean | undefined;
  const validate = lazyValidator(schema);
  return (value) => {
    sound ??= schemaFault(schema) === null;
    return sound ? validate(value) : null;
  };
}
