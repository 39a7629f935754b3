// `drillyard tool create <id>`: a tool package that compiles and answers, to be made into the service that is wanted.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ServiceError } from '../contract/errors.js';
import { SourceInvalidError } from '../drills/source-invalid.js';
import { writeAllFiles } from '../files/write-all-files.js';
import { compileShown, type ShownPlace } from './compile-shown.js';
import { withSchemaLine } from './editor-schema.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { reportFailure } from './failure.js';
import { fromHere } from './from-here.js';
import { createOutput } from './output.js';
import { ownCommand } from './own-command.js';
import { sourceRootOf } from './root-file.js';

export interface ToolNewFlags extends ShownPlace {
  id: string;
}

export async function toolNewCommand({ id, ...place }: ToolNewFlags): Promise<ExitCode> {
  const output = createOutput({ json: false });
  const root = resolve(place.root);
  try {
    if (!/^[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*$/.test(id))
      throw refused(`"${id}" is no id: lower-case letters and digits, a letter first, joined by single hyphens or underscores.`);
    const { view, build, diagnostics } = await compileShown(place);
    if (build === undefined) throw new SourceInvalidError(diagnostics);
    if (view.tools.some(({ definition }) => definition.id === id)) throw refused(`The repository has a tool '${id}' already.`);
    const folder = join(sourceRootOf(root, place.config) ?? '.', 'tools', id);
    if (existsSync(join(root, folder))) throw refused(`${fromHere(join(root, folder))} is there already; nothing was written.`);
    const manifest = `${folder}/${id}.tool.yaml`;
    writeAllFiles(root, {
      [manifest]: withSchemaLine({ folder: root }, manifest, template('tool.yaml').replace('TOOL_ID', id)),
      [`${folder}/behavior.ts`]: template('behavior.ts.txt'),
    });
    const own = ownCommand(root);
    output.say(`2 files written to ${fromHere(join(root, folder))}. Next:`);
    output.say(`  ${own} validate`);
    output.say(`Then grant its operations to an actor of the world, such as { packageId: ${id}, operationId: item.get }.`);
    output.say(`'${own} tool types --tool ${id}' makes TypeScript types of what its manifest becomes.`);
    return exitCodes.passed;
  } catch (error) {
    return reportFailure(error, output, root);
  }
}

function refused(message: string): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', { message });
}

function template(name: string): string {
  return readFileSync(new URL(`./template/tool/${name}`, import.meta.url), 'utf8');
}
