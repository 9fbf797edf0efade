import { type OptionSchema, optionsSchema } from "@haft/core/internal";

/**
 * Spans and metrics of OpenTelemetry. The `OTEL_*` variables say where they are sent. They need the package `@haft/otel`.
 *
 * @example
 * ```ts
 * import type { TelemetrySettings } from "@haft/config";
 * const telemetry: TelemetrySettings = { arguments: true };
 * ```
 */
export interface TelemetrySettings {
  /** Whether spans have the arguments of calls, with known secrets covered. Default false. */
  arguments?: boolean;
  /** Whether spans have the texts of results, with known secrets covered. Default false. */
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
