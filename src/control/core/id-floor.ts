// Ids sort as they were made as long as one clock makes them. The catalog outlives its process, and in a cluster moves between machines,
// whose clocks differ; operations are taken up again, and events of the trail are shown, in the order of their ids.
//   ID-FLOOR-1. What is recorded here sorts after all that an earlier owner of the catalog has recorded, whatever the clocks say.
import { keepIdsAfter } from '../../contract/ids.js';
import { auditTable } from '../catalog/audit-records.js';
import type { View } from '../catalog/tables.js';
import { operationTable } from './operation-records.js';

/** Each change has an operation or an event of the trail, and what it makes beside them is made at the same time. */
export function keepIdsAfterCatalog(view: View): void {
  for (const id of [view.lastId(operationTable), view.lastId(auditTable)]) if (id !== undefined) keepIdsAfter(id);
}
