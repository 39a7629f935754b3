// The traces of `serve`: sent where the standard variables of OpenTelemetry say, with packages that are loaded only then.
import { limits } from '../contract/limits.js';
import { packageVersion } from '../files/installation.js';
import { createServiceLog, type ServiceLogOptions } from '../http/service-log.js';
import { wantsTraces } from '../tracing/traces-wanted.js';

export interface ServeTraces {
  isOn: boolean;
  /** Sends what waits. */
  end(): Promise<void>;
}

/** Rejects with control.INVALID_REQUEST where the environment wants traces that cannot be sent. */
export async function startServeTraces(environment: NodeJS.ProcessEnv, options: ServiceLogOptions | undefined): Promise<ServeTraces> {
  if (!wantsTraces(environment)) return none;
  const { startOtlpExport } = await import('../tracing/otlp.js');
  const log = createServiceLog(options);
  const onTrouble = (trouble: string): void => log.warn('traces were not sent', { trouble: trouble.slice(0, limits.traceTroubleCharsMax) });
  const { end } = await startOtlpExport(environment, { version: packageVersion(), onTrouble });
  return { isOn: true, end };
}

const none: ServeTraces = { isOn: false, end: async () => {} };
