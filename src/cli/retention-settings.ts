// The settings of `drillyard serve` that say how long what has ended stays as a record, in days.
import { type Retention, settingsDefaults } from '../control/settings.js';
import { type ServeSetting, setting } from './serve-setting.js';
import { integer } from './setting-values.js';

const dayMs = 86_400_000;

function days(flag: string, byDefaultMs: number, text: string): ServeSetting<number> {
  const inDays = integer(1, 36_500);
  return setting(`${flag}-retention-days`, '<n>', String(byDefaultMs / dayMs), text, (given) => inDays(given) * dayMs);
}

const { retention } = settingsDefaults;
export const retentionSettings = {
  closedAuthoringMs: days('closed-authoring', retention.closedAuthoringMs, 'How long closed conversations stay, with their turns and proposals.'),
  buildAttemptMs: days(
    'build-attempt',
    retention.buildAttemptMs,
    'How long build attempts stay that have ended, but for the newest of each revision.',
  ),
  buildMs: days('build', retention.buildMs, 'How long builds stay that nothing refers to, from when they were made.'),
  deletedDraftMs: days('deleted-draft', retention.deletedDraftMs, 'How long the records of deleted drafts stay.'),
  archivedDatasetMs: days('archived-dataset', retention.archivedDatasetMs, 'How long archived datasets stay that no draft has chosen.'),
  endedCredentialMs: days('ended-credential', retention.endedCredentialMs, 'How long credentials stay that were revoked or have expired.'),
} as const satisfies { [Name in keyof Retention]: ServeSetting<number> };

/** Those that were named. */
export function retentionOf(values: { [Name in keyof Retention]?: number | undefined }): Partial<Retention> {
  const names = Object.keys(retentionSettings) as (keyof Retention)[];
  return Object.fromEntries(names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])));
}
