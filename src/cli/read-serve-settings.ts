// The settings of `drillyard serve` as they hold: a flag wins over its environment variable, that over the configuration file, that over
// the default.
import type { ControlServerOptions } from '../index.js';
import { type FileTexts, readServeFile } from './serve-file.js';
import { mismatches, optionsOf } from './serve-options.js';
import type { ServeSetting } from './serve-setting.js';
import { configFile, environmentName, namedSettings, type ServeValues } from './serve-settings.js';
import { faultOf, NotTaken } from './setting-values.js';

type Texts = { readonly [name: string]: string | undefined };
export interface SettingSources {
  /** As given, by flag name. */
  flags: Texts;
  environment: Texts;
  rotateKey?: boolean;
}
export interface ServeSettings {
  options: ControlServerOptions;
  values: ServeValues;
  /** Of each setting that is not left to its default, by flag: the flag, the variable or the place in the file. */
  sources: { readonly [flag: string]: string };
}

interface SettingSource {
  text: string;
  source: string;
}

/** Every problem at once, each a sentence that says what to do. */
export function readServeSettings({ flags, environment, rotateKey = false }: SettingSources): ServeSettings | { problems: string[] } {
  const file = givenIn({ flags, environment }, configFile)?.text;
  const { texts, problems } = file === undefined ? { texts: {}, problems: [] } : readServeFile(file);
  const values: { [name: string]: unknown } = {};
  const sources: { [flag: string]: string } = {};
  for (const [name, setting] of namedSettings) {
    const given = givenIn({ flags, environment, texts }, setting);
    if (given === undefined) continue;
    try {
      values[name] = setting.kind.parse(given.text);
      sources[setting.flag] = given.source;
    } catch (error) {
      if (!(error instanceof NotTaken)) throw error;
      problems.push(`${given.source} ${faultOf(setting.kind, given.text, error.message)}`);
    }
  }
  problems.push(...mismatches(values as ServeValues, rotateKey));
  // A variable or a file may hold it for the starts that rotate.
  if (flags['key-grace-ms'] !== undefined && !rotateKey)
    problems.push('--key-grace-ms says nothing without --rotate-key: add that, or leave it out.');
  if (problems.length > 0) return { problems };
  return {
    options: { ...optionsOf(values as ServeValues), ...rotation(values as ServeValues, rotateKey) },
    values: values as ServeValues,
    sources,
  };
}

/** An empty variable is none. */
function givenIn(
  { flags, environment, texts = {} }: Pick<SettingSources, 'flags' | 'environment'> & { texts?: FileTexts },
  setting: ServeSetting,
): SettingSource | undefined {
  const flagged = flags[setting.flag];
  if (flagged !== undefined) return { text: flagged, source: `--${setting.flag}` };
  const name = environmentName(setting);
  const text = environment[name];
  if (text !== undefined && text !== '') return { text, source: name };
  const filed = texts[setting.flag];
  return filed === undefined ? undefined : { text: filed.text, source: filed.where };
}

const rotation = ({ keyGraceMs: graceMs = 0 }: ServeValues, rotateKey: boolean): Pick<ControlServerOptions, 'rotateKey'> =>
  rotateKey ? { rotateKey: { graceMs } } : {};
