// What a system's error code means for the person who reads it, and the refusal that says so. A full disk is control.STORAGE_FULL, a
// process without descriptors control.UNAVAILABLE, anything else control.INVALID_REQUEST: another folder, or other rights, mend it.
import { type ErrorCode, exhaustedCodes, ServiceError } from '../contract/errors.js';

const causes: { [code: string]: string } = {
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
  ENOENT: 'the file system allows none there (ENOENT)',
  EEXIST: 'a file is in its place',
  ENOTDIR: 'a file is in its way',
  EISDIR: 'a folder is in its place',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'its symbolic links lead in a circle',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file is larger than this process may write',
  EMFILE: 'this process has too many files open (ulimit -n)',
  ENFILE: 'this machine has too many files open',
  EIO: 'the disk failed',
};
/** The disk takes no more. */
export const diskFullCodes: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

export const hasCode = (error: unknown, code: string): boolean => (error as NodeJS.ErrnoException | undefined)?.code === code;

/** Plain words for the code of a system error; the code itself where there are none. */
export function causeOf(code: string): string {
  return causes[code] ?? code;
}

/** `undone`: what could not be done, as in "The folder /x cannot be made". */
export function fileRefusal(undone: string, path: string, error: unknown): ServiceError {
  const reason = (error as NodeJS.ErrnoException).code ?? 'EIO';
  return new ServiceError(codeOf(reason), {
    message: `${undone}: ${causeOf(reason)}. ${adviceOf(reason)}`,
    details: { path, reason },
    cause: error,
  });
}

function codeOf(reason: string): ErrorCode {
  if (diskFullCodes.has(reason)) return 'control.STORAGE_FULL';
  return exhaustedCodes.has(reason) ? 'control.UNAVAILABLE' : 'control.INVALID_REQUEST';
}

function adviceOf(reason: string): string {
  if (diskFullCodes.has(reason)) return 'Free some space, or name another folder.';
  if (exhaustedCodes.has(reason)) return 'Allow more, or run less at once.';
  return reason === 'EACCES' || reason === 'EPERM' ? 'Give this user the right to, or name another folder.' : 'Name another folder.';
}
