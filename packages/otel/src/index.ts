export { createTelemetry } from "./create-telemetry.ts";
export { startTelemetry, type StartTelemetryOptions } from "./start-telemetry.ts";
export type { Telemetry, TelemetryContent, TelemetryOptions } from "./telemetry.ts";
