// Two hosted runs compared from their sealed evidence.
import { compareSealed } from '../../drills/stored/compare-sealed.js';
import type { SealedReport } from '../../drills/stored/sealed-report.js';
import type { ReadEndpoint } from '../catalog/endpoint.js';
import type { ControlServices } from '../core/services.js';
import { sealedReport } from './evidence-bundles.js';
import { requireEvidence } from './evidence-records.js';
import { requireRun } from './records.js';

export function compareRuns(services: ControlServices): ReadEndpoint<'compareRuns'> {
  return {
    kind: 'read',
    run: async (view, { path, caller, query }) => {
      const find = async (hostedRunId: string): Promise<SealedReport> => {
        const { evidenceBundleId } = requireRun(view, { ...path, ...caller, hostedRunId }).run;
        return await sealedReport(services, requireEvidence(view, { ...path, ...caller, evidenceBundleId }));
      };
      // Existence and readiness of both come before either is read.
      const [left, right] = await Promise.all([find(query.left), find(query.right)]);
      return { comparison: await compareSealed(left, right, caller.organizationId) };
    },
  };
}
