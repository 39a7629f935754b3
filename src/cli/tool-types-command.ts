// `drillyard tool types`: TypeScript declarations made from the manifests of the repository's tools. Compiles; runs nothing.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { didYouMean } from '../compiler/did-you-mean.js';
import { toolDeclarations } from '../compiler/tool-types.js';
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import { SourceInvalidError } from '../drills/source-invalid.js';
import { counted } from '../text/counted.js';
import { compileShown, type ShownPlace } from './compile-shown.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { sayFailures } from './failure.js';
import { fromHere } from './from-here.js';
import type { Output } from './output.js';

export interface ToolTypesFlags extends ShownPlace {
  /** Package ids. None: every tool of the repository. */
  tools: readonly string[];
  out?: string;
  json: boolean;
}

export function toolTypesCommand(flags: ToolTypesFlags): Promise<ExitCode> {
  return sayFailures(flags, resolve(flags.root), (output) => writeTypes(flags, output));
}

async function writeTypes({ tools, out, root, config }: ToolTypesFlags, output: Output): Promise<ExitCode> {
  const { view, diagnostics } = await compileShown({ root, ...defined({ config }) });
  // The types come first, and the handlers that they describe after them.
  if (diagnostics.some(({ severity, code }) => severity === 'error' && code !== 'DY5021')) throw new SourceInvalidError(diagnostics);
  const known = view.tools.map(({ definition }) => definition);
  const ids = known.map(({ id }) => id);
  for (const id of tools) {
    if (ids.includes(id)) continue;
    throw new ServiceError('control.NOT_FOUND', { message: `The repository has no tool '${id}'. ${didYouMean(id, ids) ?? ''}`.trim() });
  }
  const text = toolDeclarations(tools.length === 0 ? known : known.filter(({ id }) => tools.includes(id)), known);
  if (out !== undefined) {
    const file = resolve(root, out);
    writeFileSync(file, text);
    output.line({ event: 'summary', file, tools: tools.length === 0 ? ids : tools });
    if (!output.json) output.say(`Types of ${counted(tools.length || ids.length, 'tool')} written to ${fromHere(file)}.`);
  } else if (output.json) output.line({ event: 'types', text });
  else output.say(text.trimEnd());
  return exitCodes.passed;
}
