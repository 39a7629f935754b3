// The names that another runner gives things: all of them are made of one, its brand, which is the field of its packages' package.json.

/** Brands whose root file is found by its name alone. */
const knownBrands: readonly string[] = ['firedrill'];
/** As `drillyard.json` is ours, where no root file is named. */
export const otherRootFiles: readonly string[] = knownBrands.flatMap((brand) =>
  ['json', 'yaml', 'yml', 'config.json', 'config.yaml'].map((ending) => `${brand}.${ending}`),
);

/** Of a root file, by its name. */
export function brandOfRootFile(fileName: string): string | undefined {
  return knownBrands.find((brand) => new RegExp(`^${brand}(?:\\.[a-z-]+)*\\.(?:json|yaml|yml)$`).test(fileName));
}

/** What its names of keys and marks begin with: those of the brand, then of the brands that are known. */
export function domainsOf(brand: string): string[] {
  return [...new Set([brand, ...knownBrands])].map((name) => `dev.${name}`);
}

/** `OTHER` of `OTHER_HTTP_URL`; undefined where the brand is no name of a variable. */
export function environmentPrefix(brand: string): string | undefined {
  const prefix = brand.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
  return /^[A-Z][A-Z0-9_]*$/.test(prefix) ? prefix : undefined;
}

/** `@other/tool-sdk`, `other/tool-sdk`, `other-tool-sdk`. */
export function isSdkName(specifier: string): boolean {
  return /^(?:@[a-z0-9-]+\/)?(?:[a-z0-9-]+[/-])?tool-sdk$/.test(specifier);
}
