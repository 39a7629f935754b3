// The resources that a path names, found before a body is read: a client that names one that does not exist, or is another project's, would
// send it for nothing.
import { requireAuthoring } from './authoring/authoring-records.js';
import { requireEnvironment } from './builds/environment-records.js';
import { requireSession } from './catalog/session-records.js';
import type { View } from './catalog/tables.js';
import { requireCallbackReceiver } from './organizations/callback-receiver-records.js';
import { requireAttachment } from './runs/attachment-records.js';
import { requireRun } from './runs/records.js';
import { requireDataset } from './source/dataset-records.js';
import { requireUpload } from './source/dataset-upload-records.js';
import { requireDraft } from './source/source-records.js';

interface Place {
  organizationId: string;
  projectId: string;
}
type Values = { readonly [name: string]: string | number };
type Find = (view: View, place: Place, id: string, values: Values) => unknown;

const finders: { readonly [name: string]: Find } = {
  environmentId: (view, place, environmentId) => requireEnvironment(view, { ...place, environmentId }),
  sessionId: (view, place, sessionId) => requireSession(view, { ...place, sessionId }),
  hostedRunId: (view, place, hostedRunId) => requireRun(view, { ...place, hostedRunId }),
  attachmentId: (view, _, attachmentId, { hostedRunId }) => requireAttachment(view, { hostedRunId: String(hostedRunId), attachmentId }),
  sourceDraftId: (view, place, sourceDraftId) => requireDraft(view, { ...place, sourceDraftId }),
  datasetId: (view, place, datasetId) => requireDataset(view, { ...place, datasetId }),
  uploadId: (view, place, uploadId) => requireUpload(view, { ...place, uploadId }),
  authoringSessionId: (view, place, authoringSessionId) => requireAuthoring(view, { ...place, authoringSessionId }),
  callbackReceiverBindingId: (view, place, id) => requireCallbackReceiver(view, { ...place, id }),
};

/** control.NOT_FOUND for the first that is not there. What state they are in is the endpoint's affair, and a replay comes before it. */
export function requirePathResources(view: View, organizationId: string, values: Values): void {
  const { projectId } = values;
  if (projectId === undefined) return;
  const place = { organizationId, projectId: String(projectId) };
  for (const [name, find] of Object.entries(finders)) if (Object.hasOwn(values, name)) find(view, place, String(values[name]), values);
}
