// The line of a new file by which an editor finds the JSON Schema that completes and checks it (docs/schemas of this package).
import { existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

const schemas = join('node_modules', 'drillyard', 'docs', 'schemas');

/** `content` of the file at `path` below `folder`, with that line where the file is of a kind that has a schema. */
export function withSchemaLine(folder: string, path: string, content: string): string {
  const kind = /^(?:.*\/)?(drillyard)\.json$|^(?:.*\/)?(world)\.yaml$|\.(drill|scenario|suite|target|tool)\.yaml$/.exec(path);
  const name = kind?.slice(1).find((word) => word !== undefined);
  if (name === undefined) return content;
  const url = relativeUrl(dirname(join(folder, path)), join(installedAbove(folder), schemas, `${name}.schema.json`));
  return path.endsWith('.json')
    ? content.replace(/^\{\n/, `{\n  "$schema": ${JSON.stringify(url)},\n`)
    : `# yaml-language-server: $schema=${url}\n${content}`;
}

/** The nearest folder in whose node_modules Drillyard is installed; `folder` itself where it is in none, as it will be. */
function installedAbove(folder: string): string {
  for (let at = folder; at !== dirname(at); at = dirname(at)) if (existsSync(join(at, schemas))) return at;
  return folder;
}

function relativeUrl(from: string, to: string): string {
  const path = relative(from, to).split(sep).join('/');
  return path.startsWith('.') ? path : `./${path}`;
}
