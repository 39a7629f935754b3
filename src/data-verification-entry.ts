// Where the process begins that reads a data directory (data-verification.ts).
import { limits } from './contract/limits.js';
import { verifyData } from './control/verify-data.js';
import type { VerificationMessage, VerificationTask } from './data-verification.js';
import { openParentChannel } from './processes/parent-channel.js';
import { verifyReport } from './reports/verify-report.js';

const channel = openParentChannel(() => {});
const tell = (message: VerificationMessage): void => channel.send(message);
const task = JSON.parse(process.argv[2] as string) as VerificationTask;

void verify();

/** What it throws ends the process, as nobody waits for it. */
async function verify(): Promise<void> {
  let findings = 0;
  const counts = await verifyData({
    ...task,
    nowMs: Date.now(),
    begin: (file) => tell({ begin: file }),
    report: (finding) => {
      findings += 1;
      if (findings <= limits.verificationFindingsMax) tell({ finding });
    },
    verifyBundle: async (folder) => (await verifyReport(folder)).problems.map(({ file, message }) => `${file} ${message}`),
  });
  tell({ done: counts, findings });
}
