// The settings of `drillyard serve` that say how long what has ended stays as a record, in days.
import { dayMs } from '../contract/units.js';
import { type Retention, settingsDefaults } from '../control/catalog/settings.js';
import { type ServeSetting, setting } from './serve-setting.js';
import { integer } from './setting-values.js';

function days(flag: string, byDefaultMs: number, text: string): ServeSetting<number> {
  return setting(`${flag}-retention-days`, '<n>', String(byDefaultMs / dayMs), text, integer(1, 36_500));
}

const { retention } = settingsDefaults;
export const retentionSettings = {
  closedAuthoringDays: days(
    'closed-authoring',
    retention.closedAuthoringMs,
    'How long closed conversations stay, with their turns and proposals.',
  ),
  buildAttemptDays: days(
    'build-attempt',
    retention.buildAttemptMs,
    'How long build attempts stay that have ended, but for the newest of each revision.',
  ),
  buildDays: days('build', retention.buildMs, 'How long builds stay that nothing refers to, from when they were made.'),
  deletedDraftDays: days('deleted-draft', retention.deletedDraftMs, 'How long the records of deleted drafts stay.'),
  archivedDatasetDays: days('archived-dataset', retention.archivedDatasetMs, 'How long archived datasets stay that no draft has chosen.'),
  endedCredentialDays: days(
    'ended-credential',
    retention.endedCredentialMs,
    'How long credentials stay that were revoked or have expired.',
  ),
} as const satisfies { [Name in keyof Retention as Name extends `${infer What}Ms` ? `${What}Days` : never]: ServeSetting<number> };

/** Those that were named, in days; returned in milliseconds. */
export function retentionOf(values: { [Name in keyof typeof retentionSettings]?: number | undefined }): Partial<Retention> {
  const kept = Object.keys(retention) as (keyof Retention)[];
  return Object.fromEntries(
    kept.flatMap((name) => {
      const named = values[name.replace(/Ms$/, 'Days') as keyof typeof retentionSettings];
      return named === undefined ? [] : [[name, named * dayMs]];
    }),
  );
}
