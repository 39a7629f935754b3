// A control plane with everything between source and build, and the small sound project of the compiler's tests as files of a draft.
import type { TestContext } from 'node:test';
import type { LongRunningOperation } from '../../src/contract/hosted/operation.js';
import type { Build, BuildAttempt, SourceDraft, SourceFileInput } from '../../src/contract/hosted/source.js';
import { authoringEndpoints, defineAuthoringRunners } from '../../src/control/authoring/authoring-endpoints.js';
import { baselineEndpoints } from '../../src/control/authoring/baseline-endpoints.js';
import { datasetEndpoints } from '../../src/control/authoring/dataset-endpoints.js';
import { datasetUploadEndpoints } from '../../src/control/authoring/dataset-uploads.js';
import { libraryEndpoints } from '../../src/control/authoring/library-endpoints.js';
import { setupEndpoints } from '../../src/control/authoring/setup-endpoints.js';
import { buildEndpoints } from '../../src/control/builds/build-endpoints.js';
import { defineBuildRunners } from '../../src/control/builds/build-runner.js';
import { environmentEndpoints } from '../../src/control/builds/environment-endpoints.js';
import { dataChoiceEndpoints } from '../../src/control/source/data-choice-endpoints.js';
import { sourceEndpoints } from '../../src/control/source/source-endpoints.js';
import { CompileWorkers } from '../../src/control/tasks/compile-port.js';
import { sound } from '../compiler/repository.js';
import { type ControlKit, type ControlKitOptions, openControlKit } from './control-kit.js';

export const soundFiles: SourceFileInput[] = Object.entries(sound).map(([path, content]) => ({ path, content }));
export const noHash = `sha256:${'0'.repeat(64)}`;

export interface SourceKit extends ControlKit {
  draftOf(files?: SourceFileInput[]): Promise<SourceDraft>;
  /** Waits for the end of the newest build of the current revision. */
  buildOf(draft: SourceDraft): Promise<{ operation: LongRunningOperation; attempt: BuildAttempt }>;
  /** A build that succeeded. */
  builtFrom(files?: SourceFileInput[]): Promise<{ draft: SourceDraft; build: Build }>;
}

/** One pool of compile workers for the tests of a file: threads take a while to start. */
export const compiler = new CompileWorkers({ workers: 1 });

export async function openSourceKit(t: TestContext, options: ControlKitOptions = {}): Promise<SourceKit> {
  const kit = await openControlKit({
    endpoints: (services) => ({
      ...libraryEndpoints(services),
      ...setupEndpoints(services),
      ...authoringEndpoints(services),
      ...sourceEndpoints(services),
      ...buildEndpoints(services),
      ...baselineEndpoints(services),
      ...dataChoiceEndpoints(),
      ...datasetEndpoints(services),
      ...datasetUploadEndpoints(services),
      ...environmentEndpoints(services),
    }),
    runners: (services) => {
      defineBuildRunners(services);
      defineAuthoringRunners(services);
    },
    ...options,
    services: { compiler, ...options.services },
  });
  t.after(() => kit.close());
  const draftOf: SourceKit['draftOf'] = async (files = soundFiles) =>
    (await kit.call('createSourceDraft', { body: { name: 'shop', files } })).sourceDraft;
  const buildOf: SourceKit['buildOf'] = async ({ sourceDraftId, currentRevision: revision }) => {
    const { operation } = await kit.call('createBuild', { path: { sourceDraftId, revision }, body: {} });
    const ended = await kit.services.operations.whenEnded(operation.operationId);
    return { operation: ended, attempt: (ended.result as { attempt?: BuildAttempt } | undefined)?.attempt as BuildAttempt };
  };
  return {
    ...kit,
    draftOf,
    buildOf,
    builtFrom: async (files) => {
      const draft = await draftOf(files);
      const { operation, attempt } = await buildOf(draft);
      if (attempt?.buildHash === undefined) throw new Error(JSON.stringify(operation.error));
      return { draft, build: (await kit.call('getBuild', { path: { buildHash: attempt.buildHash } })).build };
    },
  };
}
