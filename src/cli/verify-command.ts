// `drillyard admin verify`: a line for each finding, what was read, and whether all is well.
import pc from 'picocolors';
import { defined } from '../contract/defined.js';
import { settingsDefaults } from '../control/catalog/settings.js';
import { verifyDataDirectory } from '../data-verification.js';
import { counted, noun } from '../text/counted.js';
import { visibleLine } from '../text/visible-text.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { reportFailure } from './failure.js';
import { createOutput } from './output.js';

export interface VerifyFlags {
  dataDir?: string;
  keyFile?: string;
  json: boolean;
}

export async function verifyCommand({ dataDir, keyFile, json }: VerifyFlags): Promise<ExitCode> {
  const output = createOutput({ json });
  const { DRILLYARD_DATA_DIR, DRILLYARD_KEY_FILE } = process.env;
  const dataDirectory = dataDir ?? (DRILLYARD_DATA_DIR || settingsDefaults.dataDirectory);
  const key = keyFile ?? (DRILLYARD_KEY_FILE || undefined);
  try {
    const { findings, leftOut, counts } = await verifyDataDirectory({ dataDirectory, ...defined({ keyFile: key }) });
    for (const finding of findings) {
      output.line({ event: 'finding', ...finding });
      if (!json) output.say(`${pc.red('damaged')} ${visibleLine(`${finding.file}: ${finding.problem}. ${finding.advice}`)}`);
    }
    const total = findings.length + leftOut;
    output.line({ event: 'summary', ok: total === 0, findings: total, ...counts });
    const { records, worldFiles, worlds, blobs, bundles } = counts;
    const inFiles = `${counted(worlds, 'world')} in ${counted(worldFiles, 'file')}`;
    const read = [counted(records, 'record'), inFiles, counted(blobs, 'blob'), counted(bundles, 'bundle')].join(', ');
    const unshown = leftOut === 0 ? '' : `, of which ${leftOut} ${noun(leftOut, 'is', 'are')} not shown`;
    const verdict = total === 0 ? 'nothing is damaged' : `${counted(total, 'finding')}${unshown}`;
    if (!json)
      output.say(`${total === 0 ? pc.green('whole') : pc.red('damaged')} ${visibleLine(dataDirectory)}: ${verdict}; ${read} were read.`);
    return total === 0 ? exitCodes.passed : exitCodes.failed;
  } catch (error) {
    return reportFailure(error, output, process.cwd());
  }
}
