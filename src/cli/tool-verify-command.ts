// `drillyard tool verify <folder | library:id>`: the proof of a package against its vendor's own client.
import { relative, resolve } from 'node:path';
import { type VerifyPackageResult, verifyToolPackage } from '../compat-kit/verify.js';
import { defined } from '../contract/defined.js';
import { counted } from '../text/counted.js';
import type { LocalIsolation } from '../worlds/local-worlds.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { sayFailures } from './failure.js';
import { abortOnInterrupt } from './interrupt.js';
import type { Output } from './output.js';
import { conformanceConfig, packageFolder } from './package-folder.js';

export interface ToolVerifyFlags {
  tool: string;
  config?: string;
  json: boolean;
  write: boolean;
  date?: string;
  isolate?: LocalIsolation;
  concurrency?: number;
}

export function toolVerifyCommand(flags: ToolVerifyFlags): Promise<ExitCode> {
  return sayFailures(flags, resolve(flags.tool), (output) => verifyTool(flags, output));
}

async function verifyTool({ tool, config, json: _, ...options }: ToolVerifyFlags, output: Output): Promise<ExitCode> {
  const folder = packageFolder(tool);
  const interrupt = abortOnInterrupt((text) => output.warn(text));
  try {
    const result = await verifyToolPackage({
      ...options,
      folder,
      ...defined({ config: conformanceConfig(config) }),
      signal: interrupt.signal,
    });
    tell(result, output);
    if (result.cancelled) return exitCodes.interrupted;
    return result.verdict === 'passed' ? exitCodes.passed : exitCodes.failed;
  } finally {
    interrupt.stop();
  }
}

function tell({ findings, page, noticed: _noticed, unnoticed: _unnoticed, ...result }: VerifyPackageResult, output: Output): void {
  for (const finding of findings) output.line({ event: 'finding', ...finding });
  const { verdict, packageId, version, clients, routes, operations, responses, members, cancelled } = result;
  output.line({ event: 'summary', ...result, findings: findings.length, page: page.path, pageIsWritten: page.isWritten });
  if (output.json) return;
  for (const { kind, message } of findings) output.say(`${kind}: ${message}`);
  if (findings.length > 0) output.say('');
  if (page.isWritten) output.say(`Written: ${relative(process.cwd(), page.path)}`);
  if (cancelled) return;
  const driven = clients.map(({ name, version: installed }) => `${name} ${installed}`).join(', ');
  output.say(`${verdict === 'passed' ? 'PROVED' : 'NOT PROVED'}  ${packageId} ${version} with ${driven}`);
  output.say(`  routes driven      ${routes.driven} of ${routes.declared}`);
  output.say(`  vendor operations  ${operations.here} of ${operations.listed}, ${operations.unsupported} unsupported`);
  output.say(`  responses          ${responses} checked, ${counted(members, 'member')} in them`);
  if (findings.length > 0) output.say(`  findings           ${counted(findings.length, 'finding')}`);
}
