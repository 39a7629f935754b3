// What owners of homes must have seen of the catalog before a change of it is answered: all that decides who may use a world, and who hears
// of it. A credential that was given opens its world at once, on each machine, and one that was taken back opens none.
import { accessTable } from './catalog/access-records.js';
import { credentialTable, memberTable, organizationTable, projectTable } from './catalog/organization-records.js';
import { quarantineTable } from './guard/quarantine-records.js';
import { callbackReceiverTable } from './organizations/callback-receiver-records.js';

export const ownerTables: ReadonlySet<string> = new Set(
  [accessTable, credentialTable, memberTable, organizationTable, projectTable, quarantineTable, callbackReceiverTable].map(
    ({ name }) => name,
  ),
);
