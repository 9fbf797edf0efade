import { getErrorMessage } from "@haft/core";
import { checkOptions, optionsSchema } from "@haft/core/internal";
import { diag, type DiagLogFunction, DiagLogLevel } from "@opentelemetry/api";
import type * as sdkModule from "@opentelemetry/sdk-node";
import { CONTENT, createTelemetry } from "./create-telemetry.ts";
import { otelError } from "./errors.ts";
import type { Telemetry, TelemetryContent } from "./telemetry.ts";

/**
 * Options of {@link startTelemetry}.
 *
 * @example
 * ```ts
 * import type { StartTelemetryOptions } from "@haft/otel";
 * const options: StartTelemetryOptions = { arguments: true, onProblem: (message) => console.warn(message) };
 * ```
 */
export interface StartTelemetryOptions extends TelemetryContent {
  /** Receives the reason if data could not be sent, once. Default: the reason is dropped. */
  onProblem?: (message: string) => void;
}

const OPTIONS = optionsSchema<StartTelemetryOptions>({
  ...CONTENT,
  onProblem: { "haft:kind": "function", description: "Receives the reason if data could not be sent." },
});

/** Milliseconds for the last export at the end, and for each export. */
const CLOSE_MS = 2_000;
const SEND_MS = 3_000;

/**
 * Starts OpenTelemetry's SDK for Node.js, once per process, with the SDK's environment variables (`OTEL_EXPORTER_OTLP_ENDPOINT` …). By
 * default it sends to `localhost:4318`, with 3 s per request, as service `haft`. `close` sends the rest within 2 s and shuts the SDK down;
 * pending requests may delay the exit by some seconds.
 *
 * @throws `PACKAGE_MISSING` if the SDK is not installed, `INVALID_OPTIONS`
 *
 * @example
 * ```ts
 * import type { Session } from "@haft/core/kernel";
 * import { startTelemetry } from "@haft/otel";
 * declare const session: Session;
 * process.env["OTEL_EXPORTER_OTLP_ENDPOINT"] ??= "http://collector.internal:4318";
 * const telemetry = await startTelemetry({ onProblem: console.warn });
 * telemetry.observe(session);
 * process.once("beforeExit", () => telemetry.close());
 * ```
 */
export async function startTelemetry(options: StartTelemetryOptions = {}): Promise<Telemetry> {
  checkOptions("startTelemetry", options, OPTIONS);
  const { onProblem: report, ...content } = options;
  const onProblem = report && once(report);
  const { NodeSDK } = await loadSdk();
  const {
    OTEL_SERVICE_NAME: name = "",
    OTEL_RESOURCE_ATTRIBUTES: resource = "",
    OTEL_LOG_LEVEL,
  } = process.env;
  const isNamed = name !== "" || /(^|,)\s*service\.name=/.test(resource);
  // OTEL_LOG_LEVEL selects the SDK's own log.
  if (onProblem !== undefined && OTEL_LOG_LEVEL === undefined) reportSdkProblems(onProblem);
  const sdk = withDefaultVariables(() => {
    const made = new NodeSDK({
      ...(!isNamed && { serviceName: "haft" }),
      // With `none`, the SDK would print a warning.
      ...(isNone(process.env["OTEL_TRACES_EXPORTER"]) && { spanProcessors: [] }),
    });
    made.start();
    return made;
  });
  const telemetry = createTelemetry(content);
  let closing: Promise<void> | undefined;
  const close = async () => {
    await telemetry.close();
    await ended(sdk.shutdown(), onProblem);
  };
  return { observe: (session) => telemetry.observe(session), close: () => (closing ??= close()) };
}

/**
 * The SDK's export timeout of 10 s would delay the exit of commands. Its process detector would export the command line, which contains the
 * prompt.
 */
const DEFAULTS: Readonly<Record<string, string>> = {
  OTEL_EXPORTER_OTLP_TIMEOUT: `${SEND_MS}`,
  OTEL_NODE_RESOURCE_DETECTORS: "env,host",
};

/** The specification ignores case; the SDK accepts only lower case. */
const CHOICES = ["OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER", "OTEL_LOGS_EXPORTER"];

/** Sets the defaults while `make` runs, since the SDK reads variables when it is created and started. */
function withDefaultVariables<Made>(make: () => Made): Made {
  const unset = Object.entries(DEFAULTS).filter(([name]) => process.env[name] === undefined);
  const chosen = CHOICES.flatMap((name): [string, string][] => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  try {
    for (const [name, value] of unset) process.env[name] = value;
    for (const [name, value] of chosen) process.env[name] = value.toLowerCase();
    return make();
  } finally {
    for (const [name] of unset) delete process.env[name];
    for (const [name, value] of chosen) process.env[name] = value;
  }
}

function isNone(exporters = ""): boolean {
  return exporters.trim().toLowerCase() === "none";
}

async function loadSdk(): Promise<typeof sdkModule> {
  try {
    return await import("@opentelemetry/sdk-node");
  } catch (thrown) {
    const message = `OpenTelemetry's SDK cannot be loaded: ${getErrorMessage(thrown)}`;
    throw otelError("PACKAGE_MISSING", message, { cause: thrown });
  }
}

function once(report: (message: string) => void): (message: string) => void {
  let isReported = false;
  return (message) => {
    if (!isReported) report(message);
    isReported = true;
  };
}

function reportSdkProblems(onProblem: (message: string) => void): void {
  const report: DiagLogFunction = (message) => onProblem(`Telemetry could not be sent: ${reasonIn(message)}`);
  const silent = () => {};
  diag.setLogger(
    { error: report, warn: report, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

/** The SDK logs errors as JSON with their stack. */
function reasonIn(message: string): string {
  try {
    const { message: inner, code } = JSON.parse(message) as { message?: unknown; code?: unknown };
    const reason = [inner, code].filter((part) => typeof part === "string" && part !== "").join(", ");
    return reason === "" ? message : reason;
  } catch {
    return message;
  }
}

async function ended(
  shutdown: Promise<void>,
  onProblem: ((message: string) => void) | undefined,
): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<"late">();
  const timer = setTimeout(() => resolve("late"), CLOSE_MS);
  try {
    const how = await Promise.race([shutdown, late]);
    if (how === "late")
      onProblem?.(
        `Not all telemetry was sent within ${CLOSE_MS / 1_000} s, because the collector is slow or unreachable. The rest is dropped.`,
      );
  } catch (thrown) {
    onProblem?.(`Not all telemetry was sent: ${getErrorMessage(thrown)}`);
  } finally {
    clearTimeout(timer);
  }
}
