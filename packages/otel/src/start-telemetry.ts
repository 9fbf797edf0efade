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
  /** Receives the reason why something could not be sent, once. Default: it is dropped. */
  onProblem?: (message: string) => void;
}

const OPTIONS = optionsSchema<StartTelemetryOptions>({
  ...CONTENT,
  onProblem: { "haft:kind": "function", description: "Told why something could not be sent." },
});

/** Milliseconds there are at the end to send what is left, and for each time something is sent. */
const CLOSE_MS = 2_000;
const SEND_MS = 3_000;

/**
 * Starts OpenTelemetry's SDK for Node.js, once per process, with the SDK's environment variables (`OTEL_EXPORTER_OTLP_ENDPOINT`
 * …). Without them it sends to `localhost:4318`, with a limit of 3 s for each request. The service name is `haft`, unless a
 * variable sets another. `close` sends the rest within 2 s and shuts the SDK down; pending requests may delay the exit by some
 * seconds.
 *
 * @throws HaftError `PACKAGE_MISSING` if the SDK is not installed, `INVALID_OPTIONS`
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
  const { onProblem: tell, ...content } = options;
  const onProblem = tell && once(tell);
  const { NodeSDK } = await loadSdk();
  const {
    OTEL_SERVICE_NAME: name = "",
    OTEL_RESOURCE_ATTRIBUTES: resource = "",
    OTEL_LOG_LEVEL,
  } = process.env;
  const isNamed = name !== "" || /(^|,)\s*service\.name=/.test(resource);
  // Whoever wants to hear all of it says so by the variable.
  if (onProblem !== undefined && OTEL_LOG_LEVEL === undefined) tellOf(onProblem);
  const sdk = withOwnVariables(() => {
    const made = new NodeSDK({
      ...(!isNamed && { serviceName: "haft" }),
      // Chosen by the variable it is a warning of the SDK's.
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
 * What the SDK does by default and this does not. What is sent is given up after 3 s: 10 s, its own, is what a command would hang for.
 * Of the process nothing is told beside its host: its command line holds what was said.
 */
const DEFAULTS: Readonly<Record<string, string>> = {
  OTEL_EXPORTER_OTLP_TIMEOUT: `${SEND_MS}`,
  OTEL_NODE_RESOURCE_DETECTORS: "env,host",
};

/** By which names choose among exporters: in any case, says the specification, and the SDK knows small letters. */
const CHOICES = ["OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER", "OTEL_LOGS_EXPORTER"];

/** With its defaults where no variable says otherwise. The SDK reads them when it is made and started. */
function withOwnVariables<Made>(make: () => Made): Made {
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

/** Whether nothing is to be sent of a signal. */
function isNone(exporters = ""): boolean {
  return exporters.trim().toLowerCase() === "none";
}

async function loadSdk(): Promise<typeof sdkModule> {
  try {
    return await import("@opentelemetry/sdk-node");
  } catch (thrown) {
    const message = `The SDK of OpenTelemetry cannot be loaded: ${getErrorMessage(thrown)}`;
    throw otelError("PACKAGE_MISSING", message, { cause: thrown });
  }
}

/** A collector that is away for an hour is one sentence, not one for each batch, nor another at the end. */
function once(tell: (message: string) => void): (message: string) => void {
  let isTold = false;
  return (message) => {
    if (!isTold) tell(message);
    isTold = true;
  };
}

/** Of what the SDK says. */
function tellOf(onProblem: (message: string) => void): void {
  const tell: DiagLogFunction = (message) => onProblem(`Telemetry could not be sent: ${reasonIn(message)}`);
  const silent = () => {};
  diag.setLogger(
    { error: tell, warn: tell, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

/** The SDK tells errors as JSON, with their stack. */
function reasonIn(message: string): string {
  try {
    const { message: inner, code } = JSON.parse(message) as { message?: unknown; code?: unknown };
    const said = [inner, code].filter((part) => typeof part === "string" && part !== "").join(", ");
    return said === "" ? message : said;
  } catch {
    return message;
  }
}

/** A collector that does not answer keeps nobody from ending. */
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
        `Not all telemetry was sent within ${CLOSE_MS / 1_000} s: what should take it is away, or slow. What is left is let go.`,
      );
  } catch (thrown) {
    onProblem?.(`Not all telemetry was sent: ${getErrorMessage(thrown)}`);
  } finally {
    clearTimeout(timer);
  }
}
