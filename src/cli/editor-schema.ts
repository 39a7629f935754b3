// The line of a new file by which an editor finds the JSON Schema that completes and checks it (docs/schemas of this package).
import { existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

const schemas = join('docs', 'schemas');
const installed = join('node_modules', 'drillyard', schemas);

/** `content` of the file at `path` below `folder`, with that line where the file is of a kind that has a schema. */
export function withSchemaLine({ folder }: { folder: string }, path: string, content: string): string {
  const kind = /^(?:.*\/)?(drillyard)\.json$|^(?:.*\/)?(world)\.yaml$|\.(drill|scenario|suite|target|tool)\.yaml$/.exec(path);
  const name = kind?.slice(1).find((word) => word !== undefined);
  const schemaFolder = name === undefined ? undefined : schemaFolderOf(folder);
  if (schemaFolder === undefined) return content;
  const url = relativeUrl(dirname(join(folder, path)), join(schemaFolder, `${name}.schema.json`));
  return path.endsWith('.json')
    ? content.replace(/^\{\n/, `{\n  "$schema": ${JSON.stringify(url)},\n`)
    : `# yaml-language-server: $schema=${url}\n${content}`;
}

/**
 * In the nearest node_modules with Drillyard; in those of `folder` itself where there are none, as there will be. Plug'n'Play has none:
 * undefined, as yarn keeps Drillyard in an archive, or in a folder whose name changes with its dependencies.
 */
function schemaFolderOf(folder: string): string | undefined {
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    if (existsSync(join(at, installed))) return join(at, installed);
    if (existsSync(join(at, '.pnp.cjs'))) return undefined;
  }
  return join(folder, installed);
}

function relativeUrl(from: string, to: string): string {
  const path = relative(from, to).split(sep).join('/');
  return path.startsWith('.') ? path : `./${path}`;
}
