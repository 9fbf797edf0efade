import { type OptionSchema, optionsSchema } from "@haft/core/internal";

/** OpenTelemetry spans and metrics, sent as the `OTEL_*` variables say. Needs `@haft/otel`. */
export interface TelemetrySettings {
  /** Spans have the arguments of calls, known secrets covered. Default `false`. */
  arguments?: boolean;
  /** Spans have the texts of results, likewise. Default `false`. */
  results?: boolean;
}

/** What {@link TelemetrySettings} may be. */
export const TELEMETRY: OptionSchema = {
  ...optionsSchema<TelemetrySettings>({
    arguments: { type: "boolean", description: "Whether spans have the arguments of calls." },
    results: { type: "boolean", description: "Whether spans have the texts of results." },
  }),
  description: "OpenTelemetry spans and metrics of sessions, by @haft/otel; OTEL_* variables say where to.",
};
