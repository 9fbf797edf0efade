import type { Session } from "@haft/core/kernel";
import type { MeterProvider, TracerProvider } from "@opentelemetry/api";

/** What of calls is said beside how they went. */
export interface TelemetryContent {
  /** Arguments of calls, known secrets covered, at most 16,000 characters of each text. Default `false`. */
  arguments?: boolean;
  /** Texts of results, likewise. Default `false`. */
  results?: boolean;
}

/** Options of {@link createTelemetry}. */
export interface TelemetryOptions extends TelemetryContent {
  /** Where spans go. Default: the one that is registered with the API, also one that is registered later. */
  tracerProvider?: TracerProvider;
  /** Where metrics go. Default: the one that is registered with the API when the first session is observed. */
  meterProvider?: MeterProvider;
}

/** Turns what sessions do into spans and metrics. */
export interface Telemetry {
  /** From now on, until the session is closed; answers what ends it before. */
  observe(session: Session): () => void;
  /** Observes nothing any more. Spans of calls that still run are ended. */
  close(): Promise<void>;
}
