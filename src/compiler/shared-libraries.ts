// The declarations of ECMAScript and of browsers that lie beside TypeScript, parsed once a process. Each program would parse them again,
// and a repository has a program for its behaviors and one for its agents.
import { dirname } from 'node:path';
import type { CompilerHost, CompilerOptions, SourceFile } from 'typescript';
import type { TypeScript } from './typescript.js';

/** As many as the folder of a TypeScript has, for each version of the language asked for. */
const libraries = new WeakMap<TypeScript, Map<string, SourceFile | undefined>>();

/** The host reads these declarations where another of the same TypeScript has parsed them. */
export function shareLibraries(ts: TypeScript, host: CompilerHost, options: CompilerOptions): void {
  const folder = dirname(ts.getDefaultLibFilePath(options));
  const parsed = libraries.get(ts) ?? new Map<string, SourceFile | undefined>();
  libraries.set(ts, parsed);
  const { getSourceFile } = host;
  host.getSourceFile = (path, version, ...more) => {
    if (dirname(path) !== folder) return getSourceFile.call(host, path, version, ...more);
    const { languageVersion, impliedNodeFormat } = typeof version === 'object' ? version : { languageVersion: version };
    const key = `${languageVersion} ${impliedNodeFormat} ${path}`;
    if (!parsed.has(key)) parsed.set(key, getSourceFile.call(host, path, version, ...more));
    return parsed.get(key);
  };
}
