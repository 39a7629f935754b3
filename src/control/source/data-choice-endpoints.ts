// Data choices of a source version: made once, then they are part of what the version is.
import { canonicalJson } from '../../contract/canonical-json.js';
import { ServiceError } from '../../contract/errors.js';
import type { SourceDataChoices } from '../../contract/hosted/resources.js';
import type { PutSourceDatasetsRequest } from '../../contract/hosted/source.js';
import type { JsonValue } from '../../contract/json.js';
import { compareTexts } from '../../text/compare-texts.js';
import type { EndpointSet } from '../catalog/endpoint.js';
import { addStorage, bytesOfRecord } from '../catalog/storage-use.js';
import type { View } from '../catalog/tables.js';
import { firstBeyondBound, tooManyChosen } from './chosen-rows.js';
import { requireAvailableDataset, requireDatasetRevision } from './dataset-records.js';
import { dataChoicesTable, requireRevision, revisionKey } from './source-records.js';

export function dataChoiceEndpoints(): EndpointSet<'getSourceDatasets' | 'putSourceDatasets'> {
  return {
    getSourceDatasets: {
      kind: 'read',
      run: (view, { caller, path }) => {
        requireRevision(view, { ...path, organizationId: caller.organizationId });
        const choices = view.get(dataChoicesTable, revisionKey(path.sourceDraftId, path.revision));
        if (choices === undefined) throw new ServiceError('control.NOT_FOUND', { message: 'No data was chosen for this source revision.' });
        return choices;
      },
    },
    putSourceDatasets: {
      kind: 'change',
      apply: (tx, { caller, path, body }) => {
        const place = { organizationId: caller.organizationId, projectId: path.projectId };
        const { record } = requireRevision(tx, { ...place, ...path });
        const { sourceDraftId, revision, sourceDigest } = record;
        if (body.sourceDigest !== sourceDigest) {
          throw new ServiceError('control.STATE_CONFLICT', {
            message: 'The source revision has another digest.',
            details: { sourceDigest },
          });
        }
        const choices = choicesOf(body, { sourceDraftId, sourceRevision: revision, sourceDigest });
        const resource = { type: 'source-data-choices', id: revisionKey(sourceDraftId, revision) };
        const made = tx.get(dataChoicesTable, resource.id);
        if (made !== undefined && canonical(made) !== canonical(choices)) {
          throw new ServiceError('control.STATE_CONFLICT', {
            message: 'Data was chosen for this source revision already; make another revision.',
          });
        }
        if (made === undefined) {
          for (const [index, selection] of body.selections.entries())
            requireSelection(tx, { ...place, ...selection }, `/selections/${index}`);
          const beyond = firstBeyondBound(tx, body.selections);
          if (beyond >= 0) throw invalid(`/selections/${beyond}`, 'too_large', tooManyChosen);
          tx.put(dataChoicesTable, choices);
          addStorage(tx, { ...place, ownerId: sourceDraftId, bytes: bytesOfRecord(choices) });
        }
        return { reply: choices, resource, isKnown: made !== undefined };
      },
    },
  };
}

const canonical = (choices: SourceDataChoices): string => canonicalJson(choices as unknown as JsonValue);

/** Selections in one order, so that the same choice is the same choice. */
function choicesOf(
  { target, selections }: PutSourceDatasetsRequest,
  source: Pick<SourceDataChoices, 'sourceDraftId' | 'sourceRevision' | 'sourceDigest'>,
): SourceDataChoices {
  const keyOf = ({ packageId, instanceId }: PutSourceDatasetsRequest['selections'][number]): string => `${packageId} ${instanceId}`;
  const keys = selections.map(keyOf);
  const twice = keys.findIndex((key, index) => keys.indexOf(key) < index);
  if (twice >= 0) throw invalid(`/selections/${twice}/instanceId`, 'duplicate', 'data is chosen for this instance already');
  return { schemaVersion: 1, ...source, target, selections: [...selections].sort((a, b) => compareTexts(keyOf(a), keyOf(b))) };
}

type Selection = PutSourceDatasetsRequest['selections'][number] & { organizationId: string; projectId: string };

function requireSelection(view: View, selection: Selection, pointer: string): void {
  const { datasetId, revision, digest, packageId } = selection;
  const dataset = requireAvailableDataset(view, selection);
  const { record } = requireDatasetRevision(view, selection);
  if (dataset.packageId !== packageId) throw invalid(`${pointer}/packageId`, 'conflict', `the dataset has rows of '${dataset.packageId}'`);
  if (record.digest !== digest) {
    throw new ServiceError('control.STATE_CONFLICT', {
      message: `Revision ${revision} of the dataset has another digest.`,
      details: { datasetId, revision, digest: record.digest },
    });
  }
}

function invalid(path: string, code: string, message: string): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', {
    message: 'The data choices are not acceptable.',
    issues: [{ path, code, message }],
  });
}
