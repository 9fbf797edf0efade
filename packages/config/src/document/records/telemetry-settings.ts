import { type OptionSchema, optionsSchema } from "@haft/core/internal";

/**
 * Configures OpenTelemetry, which needs the package `@haft/otel`. The `OTEL_*` variables set the destination.
 *
 * @example
 * ```ts
 * import type { TelemetrySettings } from "@haft/config";
 * const telemetry: TelemetrySettings = { arguments: true };
 * ```
 */
export interface TelemetrySettings {
  /** Adds arguments to spans, with known secrets redacted. Default false. */
  arguments?: boolean;
  /** Adds results to spans, with known secrets redacted. Default false. */
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
