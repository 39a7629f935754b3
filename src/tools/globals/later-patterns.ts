// Regular expressions that the oldest version of Node that is supported refuses, and later ones take. Named by the compiler, for literals,
// and inside a new vm context before it is locked (realm-script.ts): it names nothing but itself and ECMAScript.

/** What of a sound pattern a later version of Node brought: flags of a group, or two groups of one name. */
export function laterSyntax(source: string): string | undefined {
  if (!source.includes('(?')) return undefined;
  const names = new Set<string>();
  const group = /\(\?(?:([ims-]+):|<(?![=!])([^>]*)>)/y;
  let isInClass = false;
  for (let at = 0; at < source.length; at++) {
    const sign = source[at];
    if (sign === '\\') at += 1;
    else if (isInClass) isInClass = sign !== ']';
    else if (sign === '[') isInClass = true;
    else if (sign === '(') {
      group.lastIndex = at;
      const [, flags, written] = group.exec(source) ?? [];
      if (flags !== undefined) return 'Invalid group';
      if (written === undefined) continue;
      const name = written.replace(/\\u(?:\{([^}]*)\}|(.{4}))/g, (_, point: string, unit: string) =>
        String.fromCodePoint(Number.parseInt(point ?? unit, 16)),
      );
      if (names.has(name)) return 'Duplicate capture group name';
      names.add(name);
    }
  }
  return undefined;
}
