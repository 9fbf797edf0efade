import type { Session } from "@haft/core/kernel";
import type { MeterProvider, TracerProvider } from "@opentelemetry/api";

/**
 * Selects the content of calls that spans contain in addition to metadata.
 *
 * @example
 * ```ts
 * import type { TelemetryContent } from "@haft/otel";
 * const content: TelemetryContent = { arguments: true, results: process.env["NODE_ENV"] !== "production" };
 * ```
 */
export interface TelemetryContent {
  /** Adds the arguments of calls. Known secrets are masked; each text is cut at 16,000 characters. Default `false`. */
  arguments?: boolean;
  /** Adds the texts of results, with the same limits. Default `false`. */
  results?: boolean;
}

/**
 * Options of {@link createTelemetry}.
 *
 * @example
 * ```ts
 * import { createTelemetry, type TelemetryOptions } from "@haft/otel";
 * declare const tracerProvider: NonNullable<TelemetryOptions["tracerProvider"]>; // of an SDK that is not registered
 * const options: TelemetryOptions = { tracerProvider, results: true };
 * const telemetry = createTelemetry(options);
 * ```
 */
export interface TelemetryOptions extends TelemetryContent {
  /** Creates spans. Default: the provider registered with the API, even later. */
  tracerProvider?: TracerProvider;
  /** Creates metrics. Default: the provider registered with the API when the first session is observed. */
  meterProvider?: MeterProvider;
}

/**
 * Turns the events of sessions into spans and metrics.
 *
 * @example
 * ```ts
 * import type { Session } from "@haft/core/kernel";
 * import type { Telemetry } from "@haft/otel";
 * async function observed(telemetry: Telemetry, session: Session, use: (session: Session) => Promise<void>) {
 *   const stop = telemetry.observe(session);
 *   await use(session).finally(stop);
 * }
 * ```
 */
export interface Telemetry {
  /** Observes a session until it is closed. The returned function stops earlier. */
  observe(session: Session): () => void;
  /** Stops all observation and ends the spans of running calls. */
  close(): Promise<void>;
}
