import { type OptionSchema, optionsSchema } from "@haft/core/internal";

/**
 * Configures spans and metrics of OpenTelemetry, which need the package `@haft/otel`. The `OTEL_*` variables set their destination.
 *
 * @example
 * ```ts
 * import type { TelemetrySettings } from "@haft/config";
 * const telemetry: TelemetrySettings = { arguments: true };
 * ```
 */
export interface TelemetrySettings {
  /** Adds the arguments of calls to spans, with known secrets redacted. Default false. */
  arguments?: boolean;
  /** Adds the texts of results to spans, with known secrets redacted. Default false. */
  results?: boolean;
}

export const TELEMETRY: OptionSchema = {
  ...optionsSchema<TelemetrySettings>({
    arguments: { type: "boolean", description: "Whether spans have the arguments of calls." },
    results: { type: "boolean", description: "Whether spans have the texts of results." },
  }),
  description:
    "OpenTelemetry spans and metrics of sessions, by @haft/otel; OTEL_* variables set their destination.",
};
