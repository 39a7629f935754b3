// What stands for the base URL of an access where tool code writes it: worlds know no host and no port, so nothing that is evidence, and no
// hash, depends on them. The binding puts the URL in its place.

/** A URL itself, so that code may work with it; no host is called `.invalid` (RFC 2606). */
export const baseUrlPlaceholder = 'http://base-url.drillyard.invalid';

export function countBaseUrls(text: string): number {
  return text.split(baseUrlPlaceholder).length - 1;
}
export function fillBaseUrl(text: string, baseUrl: string): string {
  return text.includes(baseUrlPlaceholder) ? text.replaceAll(baseUrlPlaceholder, () => baseUrl) : text;
}
