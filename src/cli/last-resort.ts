// What a service does about an error that nobody catches: it says so in its log, and ends. Its memory may be wrong from then on; what it
// has acknowledged is on the disk, and the next start continues from there.
//   LAST-RESORT-1. The process ends with exit code 1, whether the line could be written or not.
import { createServiceLog, type ServiceLogOptions } from '../http/service-log.js';
import { exitCodes } from './exit-codes.js';

/** Of errors thrown and of promises rejected (an unhandled rejection arrives here, too). Returns what takes it back. */
export function endOnUncaught(options: ServiceLogOptions | undefined): () => void {
  const end = (err: unknown, origin: NodeJS.UncaughtExceptionOrigin): void => {
    try {
      createServiceLog(options).fatal('a bug ended the service', { origin, err });
    } finally {
      process.exit(exitCodes.failed);
    }
  };
  process.on('uncaughtException', end);
  return () => void process.off('uncaughtException', end);
}
