import { defineErrors } from "@haft/core";

/** The errors of this package: a source of docs/reference/errors.md. */
export const otelError = /* @__PURE__ */ defineErrors(() => ({
  PACKAGE_MISSING: {
    category: "operational",
    fix: "Run `npm install @opentelemetry/sdk-node` beside @haft/otel, or start an SDK of your own and take `createTelemetry`.",
    receipt: "none",
  },
}));
