// Which dialect a package or a project is in, by its marker: the field of its package.json, the name of its root file. This is the one file
// that other modules take from here.
import { isJsonObject, type JsonValue } from '../contract/json.js';
import {
  ownRunDialect,
  ownSourceDialect,
  type ReadShape,
  type RunDialect,
  type SourceDialect,
  type SourceKind,
} from '../contract/run/dialect.js';
import { adviceOn } from './adapted-lines.js';
import { otherAgentDialect } from './agent-words.js';
import { brandOfRootFile, domainsOf, isSdkName, otherRootFiles } from './brand.js';
import { readDrill } from './drill-file.js';
import { readPackageField } from './package-field.js';
import { readRootFile } from './root-file.js';
import { readTarget } from './target-file.js';
import { otherTargetDialect } from './target-words.js';
import { readToolFile } from './tool-file.js';

/** What describes a package of ours in its package.json. */
export const ownPackageField = 'drillyard';

/** Of a package that this field of its package.json describes. */
export function packageDialect(field: string): SourceDialect {
  return field === ownPackageField ? ownSourceDialect : otherDialect(field);
}

/** Of a project: one whose root file has our name is ours, whatever packages it reads. */
export function projectDialect({ rootFile, document, packageField }: ProjectMarks): SourceDialect {
  if (rootFile === ownRootFile) return ownSourceDialect;
  const said = (document as { compat?: { packageField?: unknown } | null } | null)?.compat?.packageField;
  const marker = typeof said === 'string' ? said : (brandOfRootFile(rootFile) ?? packageField);
  return marker === undefined ? ownSourceDialect : packageDialect(marker);
}
interface ProjectMarks {
  /** Its name. */
  rootFile: string;
  document: JsonValue;
  /** Of the package that names the project as its own. */
  packageField?: string | undefined;
}

const ownRootFile = `${ownPackageField}.json`;
/** Names of root files, where none is named: the first that is there. */
export const rootFileNames: readonly string[] = [ownRootFile, ...otherRootFiles];

/** Of a build, by the name that it carries. */
export function runDialect(name: string | undefined): RunDialect {
  return name === undefined ? ownRunDialect : { agents: otherAgentDialect(name), targets: otherTargetDialect };
}

function otherDialect(brand: string): SourceDialect {
  return {
    name: brand,
    isOwnEngine: false,
    hasOwnTypes: false,
    read: (kind, value) => readers[kind](withoutSchemaPlace(value), brand),
    adviceOn,
    isSdk: isSdkName,
    behaviorKit: {
      file: 'compat/behavior.js',
      wrap: 'withOtherContext',
      settings: { failureBrands: domainsOf(brand).map((domain) => `${domain}.tool-failure`) },
    },
  };
}

/** Where an editor finds the JSON Schema of a document. */
function withoutSchemaPlace(value: JsonValue): JsonValue {
  if (!isJsonObject(value) || typeof value.$schema !== 'string') return value;
  const { $schema: _, ...document } = value;
  return document;
}

const asItIs = (value: JsonValue): ReadShape => ({ value, refusals: [] });
const readers: { readonly [K in SourceKind]: (value: JsonValue, brand: string) => ReadShape } = {
  root: readRootFile,
  package: readPackageField,
  tool: readToolFile,
  world: asItIs,
  starter: asItIs,
  scenario: asItIs,
  target: readTarget,
  drill: readDrill,
  suite: asItIs,
};
