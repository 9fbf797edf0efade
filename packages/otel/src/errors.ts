import { defineErrors } from "@haft/core";

/** The errors of this package: a source of docs/reference/errors.md. */
export const otelError = /* @__PURE__ */ defineErrors(({ operational }) => ({
  TELEMETRY_SDK_MISSING: operational(
    "`startTelemetry` sends what it hears by OpenTelemetry's SDK for Node.js, which is not installed.",
    "Run `npm install @opentelemetry/sdk-node` beside @haft/otel, or start an SDK of your own and take `createTelemetry`.",
    "none",
  ),
}));
