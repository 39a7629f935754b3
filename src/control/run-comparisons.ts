// Two hosted runs compared from their sealed evidence.
import { compareRuns as compareSealed } from '../drills/compare-runs.js';
import type { SealedReport } from '../drills/sealed-report.js';
import type { ReadEndpoint } from './endpoint.js';
import { sealedReport } from './evidence-bundles.js';
import { requireEvidence } from './evidence-records.js';
import { requireRun } from './run-records.js';
import type { ControlServices } from './services.js';

export function compareRuns(services: ControlServices): ReadEndpoint<'compareRuns'> {
  return {
    kind: 'read',
    run: async (view, { path, caller, query }) => {
      const find = (hostedRunId: string): SealedReport => {
        const { evidenceBundleId } = requireRun(view, { ...path, ...caller, hostedRunId }).run;
        return sealedReport(services, requireEvidence(view, { ...path, ...caller, evidenceBundleId }));
      };
      // Existence and readiness of both come before either is read.
      const [left, right] = [find(query.left), find(query.right)];
      return { comparison: await compareSealed(await left.run(), await right.run()) };
    },
  };
}
