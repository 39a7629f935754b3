// What `drillyard serve --print-config` shows: every setting as it holds, as a configuration file that may be used again. What is left to
// its default is a comment. Nothing secret is in it.
import type { JsonValue } from '../contract/json.js';
import type { ServeSettings } from './read-serve-settings.js';
import { configSchemaVersion } from './serve-file.js';
import { ratesOf } from './serve-options.js';
import type { ServeSetting } from './serve-setting.js';
import { fileName, namedSettings, type ServeValues } from './serve-settings.js';

export interface ShownSetting {
  name: string;
  /** Absent for a default that is no one value. */
  value?: JsonValue;
  /** The flag, the variable, the place in the file, or `default`. */
  source: string;
  /** Some of the value is not shown. */
  isRedacted?: boolean;
  /** The default in words. */
  words?: string;
}

export function shownSettings({ values, sources }: ServeSettings): ShownSetting[] {
  const rates: ServeValues = ratesOf(values);
  return namedSettings.map(([name, setting]) => {
    const source = sources[setting.flag] ?? 'default';
    const value = values[name] ?? rates[name];
    if (value === undefined) return { name: fileName(setting), source, ...byDefault(setting) };
    const shown = setting.kind.shown?.(value) ?? value;
    const isRedacted = JSON.stringify(shown) !== JSON.stringify(value);
    return { name: fileName(setting), value: shown, source, ...(isRedacted ? { isRedacted } : {}) };
  });
}

function byDefault({ default: text, isFixed, kind }: ServeSetting): Pick<ShownSetting, 'value' | 'words'> {
  return isFixed ? { value: kind.parse(text) as JsonValue } : { words: text };
}

/** Without one of them the others of its group are refused. */
const groups: readonly (readonly (keyof ServeValues)[])[] = [
  ['cluster', 'node', 'nodeAddress', 'homes', 'clusterStore'],
  ['oidcIssuer', 'oidcAudience', 'oidcJwksUrl', 'oidcOrganizationClaim', 'oidcRoleClaim'],
];

/** YAML. A value that is not shown whole is a comment too: it is not what holds. So is what the file would be refused for without it. */
export function settingsText(settings: readonly ShownSetting[]): string {
  const redacted = settings.flatMap(({ name, isRedacted }) => (isRedacted ? [name] : []));
  const lines = settings.map(({ name, value, words, source, isRedacted = false }) => {
    const shown = `${name}: ${value === undefined ? words : JSON.stringify(value)}`;
    if (source === 'default') return `# ${shown}`;
    if (isRedacted) return `# ${shown} # ${source}, a part of it is not shown`;
    const group: readonly string[] = groups.find((names) => names.some((one) => one === name)) ?? [];
    const needed = redacted.find((other) => group.includes(other));
    return needed === undefined ? `${shown} # ${source}` : `# ${shown} # ${source}, needs ${needed}`;
  });
  return [`schemaVersion: ${configSchemaVersion}`, '# What is set has its source behind it; the other lines are defaults.', ...lines].join(
    '\n',
  );
}
