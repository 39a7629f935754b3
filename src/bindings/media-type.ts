// A value with parameters, as of Content-Type and Content-Disposition (RFC 9110 5.6.6).

export interface MediaType {
  /** In lower case. */
  type: string;
  /** Names in lower case; the first of each. */
  parameters: ReadonlyMap<string, string>;
}

const parameterShape = /;\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]*))/g;

export function mediaTypeOf(value: string): MediaType {
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, plain = ''] of value.matchAll(parameterShape)) {
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, quoted === undefined ? plain : quoted.replace(/\\(["\\])/g, '$1'));
  }
  return { type: (value.split(';')[0] as string).trim().toLowerCase(), parameters };
}
