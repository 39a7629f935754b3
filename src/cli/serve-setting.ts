// One setting of `drillyard serve`.
export interface ServeSetting<Value = unknown> {
  /** Without its dashes. */
  flag: string;
  placeholder: string;
  text: string;
  /** As one would write it; in words when it is not a fixed value. */
  default: string;
  /** Throws a NotTaken. */
  parse(text: string): Value;
}

export function setting<Value>(
  flag: string,
  placeholder: string,
  byDefault: string,
  text: string,
  parse: (text: string) => Value,
): ServeSetting<Value> {
  return { flag, placeholder, default: byDefault, text, parse };
}
