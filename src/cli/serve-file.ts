// The configuration file of `drillyard serve`: settings by the names of their flags in camel case, as YAML or JSON. A value becomes the
// text that a flag would have, so that a file, a variable and a flag are read by one rule.
import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseSourceDocument, type SourceDocument } from '../compiler/source-document.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import { causeOf } from '../files/file-faults.js';
import { nearest } from '../text/nearest.js';
import type { ServeSetting } from './serve-setting.js';
import { fileName, serveSettings } from './serve-settings.js';
import { faultOf, NotTaken } from './setting-values.js';

export interface FileText {
  text: string;
  /** `serve.yaml:3`. */
  where: string;
}
/** By the flag's name. */
export type FileTexts = { readonly [flag: string]: FileText };

const settingOf = new Map(serveSettings.map((setting) => [fileName(setting), setting]));
export const configSchemaVersion = 1;

/** Every problem at once, each a sentence with its place. */
export function readServeFile(file: string): { texts: FileTexts; problems: string[] } {
  const content = contentOf(file);
  if ('problem' in content) return { texts: {}, problems: [content.problem] };
  const { document, faults } = parseSourceDocument(file, content.text);
  if (faults.length > 0 || document === undefined) {
    const problems = faults.map(({ place: { line, column }, message, suggestion = '' }) =>
      `${file}:${line}:${column}: ${message}. ${suggestion}`.trim(),
    );
    return { texts: {}, problems };
  }
  if (!isJsonObject(document.value))
    return { texts: {}, problems: [`${file}: it must be an object of settings, such as "schemaVersion: 1".`] };
  return readMembers(document, document.value);
}

function readMembers(
  document: SourceDocument,
  { $schema: _, schemaVersion, ...members }: JsonObject,
): { texts: FileTexts; problems: string[] } {
  const { file } = document;
  const texts: { [flag: string]: FileText } = {};
  const problems: string[] = [];
  if (schemaVersion !== configSchemaVersion)
    problems.push(`${file}: schemaVersion must be ${configSchemaVersion}, the version of the format.`);
  for (const [name, value] of Object.entries(members)) {
    const { line } = document.place(`/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, 'key');
    const where = `${file}:${line}`;
    const setting = settingOf.get(name);
    if (setting === undefined) {
      problems.push(`${where}: ${unknownWords(name)}`);
      continue;
    }
    const text = textOf(setting, value, dirname(file));
    if (text === undefined) problems.push(`${where}: ${name} ${faultOf(setting.kind, value, takesOf(setting))}`);
    else texts[setting.flag] = { text, where };
  }
  return { texts, problems };
}

function unknownWords(name: string): string {
  const near = nearest(name, [...settingOf.keys()]);
  const hint = near === undefined ? 'drillyard serve --print-config shows every name.' : `Did you mean "${near}"?`;
  return `There is no setting "${name.slice(0, limits.quotedNameCharsMax)}". ${hint}`;
}

/** Undefined for a value that the setting does not take. */
function textOf({ kind }: ServeSetting, value: JsonValue, folder: string): string | undefined {
  const text = kind.textOf(value);
  if (text === undefined) return undefined;
  try {
    kind.parse(text);
    return kind.isPath === true ? resolve(folder, text) : text;
  } catch (error) {
    if (error instanceof NotTaken) return undefined;
    throw error;
  }
}
const takesOf = ({ kind: { takes, takesInFile = takes } }: ServeSetting): string => takesInFile;

function contentOf(file: string): { text: string } | { problem: string } {
  try {
    const { size } = statSync(file);
    if (size > limits.sourceFileBytesMax) return { problem: `${file} has more than ${limits.sourceFileBytesMax} bytes.` };
    return { text: readFileSync(file, 'utf8') };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const cause = code === 'ENOENT' ? 'there is no such file' : causeOf(code);
    return { problem: `The configuration file ${file} cannot be read: ${cause}.` };
  }
}
