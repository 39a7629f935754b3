// Text that is copied. A page that came over plain HTTP has no clipboard at all, and a browser may keep that of others from it: rejects.
export async function copyToClipboard(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
}
