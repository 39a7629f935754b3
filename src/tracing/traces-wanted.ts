// Whether anybody wants traces, asked before what sends them is loaded.

/** The variables of OpenTelemetry among others. */
export type TraceEnvironment = { readonly [name: string]: string | undefined };

/** Whether the environment names a place for traces. An empty variable is none. */
export function wantsTraces(environment: TraceEnvironment): boolean {
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER } = environment;
  if (OTEL_SDK_DISABLED?.toLowerCase() === 'true' || OTEL_TRACES_EXPORTER === 'none') return false;
  return Boolean(OTEL_EXPORTER_OTLP_ENDPOINT || OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
}
