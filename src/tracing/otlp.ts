// The SDK of OpenTelemetry, registered as the environment says (OTEL_*), to send spans over OTLP/HTTP. Its packages are not Drillyard's
// dependencies: they are loaded where an endpoint is named, and users who want traces install them.
import { DiagLogLevel, diag } from '@opentelemetry/api';
import { within } from '../async/deadline.js';
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import { isPackageMissing } from '../contract/missing-package.js';
import type { TraceEnvironment } from './traces-wanted.js';

export interface OtlpOptions {
  version: string;
  /** The SDK could not do its work, such as to send spans. */
  onTrouble(message: string): void;
}
export interface OtlpExport {
  /** Sends what waits, as long as that takes no more than limits.traceFlushMs, and sends nothing more. */
  end(): Promise<void>;
}

/** As package.json has them for peers: later ones want a later Node.js. */
const packages = ['@opentelemetry/sdk-trace-node@2', '@opentelemetry/exporter-trace-otlp-http@0.223', '@opentelemetry/resources@2'];

/** control.INVALID_REQUEST where the environment asks for what is not there: packages, another protocol, another exporter. */
export async function startOtlpExport(environment: TraceEnvironment, { version, onTrouble }: OtlpOptions): Promise<OtlpExport> {
  requireKnown(environment);
  const [{ NodeTracerProvider, BatchSpanProcessor }, { OTLPTraceExporter }, resources] = await loadSdk();
  diag.setLogger(
    { error: onTrouble, warn: onTrouble, info: () => {}, debug: () => {}, verbose: () => {} },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = resources;
  const own = resourceFromAttributes({ 'service.name': 'drillyard', 'service.version': version });
  const provider = new NodeTracerProvider({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES have the last word.
    resource: defaultResource()
      .merge(own)
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  return {
    end: async () => {
      // `onTrouble` has reported what could not be sent.
      await within(limits.traceFlushMs, provider.shutdown()).catch(() => {});
    },
  };
}

function requireKnown({ OTEL_TRACES_EXPORTER, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL, OTEL_EXPORTER_OTLP_PROTOCOL }: TraceEnvironment): void {
  const protocolName = OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ? 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL' : 'OTEL_EXPORTER_OTLP_PROTOCOL';
  const protocol = OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || OTEL_EXPORTER_OTLP_PROTOCOL || 'http/json';
  if (protocol !== 'http/json') throw unknown(protocolName, protocol, 'http/json');
  if (OTEL_TRACES_EXPORTER && OTEL_TRACES_EXPORTER !== 'otlp') throw unknown('OTEL_TRACES_EXPORTER', OTEL_TRACES_EXPORTER, 'otlp or none');
}

function unknown(name: string, value: string, known: string): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', { message: `${name} is ${JSON.stringify(value)}; traces leave with ${known} alone.` });
}

async function loadSdk() {
  try {
    return await Promise.all([
      import('@opentelemetry/sdk-trace-node'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ]);
  } catch (error) {
    if (!isPackageMissing(error)) throw error;
    throw new ServiceError('control.INVALID_REQUEST', {
      message: `The environment names an endpoint for traces (OTEL_EXPORTER_OTLP_ENDPOINT), and the packages that send them are not all installed. Install them beside drillyard: npm install ${packages.join(' ')}`,
      cause: error,
    });
  }
}
