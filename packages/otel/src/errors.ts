import { defineErrors } from "@haft/core";

/** Source of docs/reference/errors.md. */
export const otelError = /* @__PURE__ */ defineErrors(() => ({
  PACKAGE_MISSING: {
    category: "operational",
    fix: "Run `npm install @opentelemetry/sdk-node` where @haft/otel is installed. Or start your own SDK and use `createTelemetry`.",
    receipt: "none",
  },
}));
