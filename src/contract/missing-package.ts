/** A package that is not installed: Node.js says it in other words of one that is imported and one that is required. */
export function isPackageMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
}
