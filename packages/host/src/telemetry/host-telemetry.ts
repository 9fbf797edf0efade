import type { TelemetrySettings } from "@haft/config/internal/document";
import type { Logger } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import { loadOptionalPackage } from "@haft/plugin-loader";
import { hostError } from "../errors.ts";

/**
 * Observes each session that a host opens, such as the result of `createTelemetry` of `@haft/otel`.
 *
 * @example
 * ```ts
 * import { createHost, type SessionObserver } from "@haft/host";
 * let open = 0;
 * const telemetry: SessionObserver = {
 *   observe() {
 *     open += 1;
 *     return () => void (open -= 1);
 *   },
 * };
 * const host = await createHost({ telemetry });
 * ```
 */
export interface SessionObserver {
  /** Starts to observe a session. Returns a function that ends the observation. */
  observe(session: Session): () => void;
}

export interface HostTelemetry {
  /** Runs before the first session. @throws HaftError `PACKAGE_MISSING`, `CONFIG_INVALID` */
  begin(): Promise<void>;
  observe<Opened extends Session>(session: Opened): Opened;
  close(): Promise<void>;
}

const NONE: HostTelemetry = { begin: async () => {}, observe: (session) => session, close: async () => {} };

/** The first session loads it. The caller closes an observer that it passed in. */
export function createHostTelemetry(
  given: TelemetrySettings | SessionObserver | undefined,
  logger: Logger | undefined,
): HostTelemetry {
  if (given === undefined) return NONE;
  if (isObserver(given)) return { ...NONE, observe: (session) => observedBy(given, session) };
  let starting: ReturnType<typeof start> | undefined;
  let started: Awaited<ReturnType<typeof start>> | undefined;
  return {
    async begin() {
      started = await (starting ??= start(given, logger));
    },
    observe(session) {
      started?.observe(session);
      return session;
    },
    close: async () => started?.close(),
  };
}

function observedBy<Opened extends Session>(observer: SessionObserver, session: Opened): Opened {
  observer.observe(session);
  return session;
}

export function isObserver(given: unknown): given is SessionObserver {
  return typeof (given as Partial<SessionObserver> | null)?.observe === "function";
}

const EXPORTERS = ["OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER", "OTEL_LOGS_EXPORTER"];

async function start(settings: TelemetrySettings, logger: Logger | undefined) {
  const printing = EXPORTERS.find((name) => /(?:^|,)\s*console\s*(?:,|$)/i.test(process.env[name] ?? ""));
  if (printing !== undefined)
    throw hostError(
      "CONFIG_INVALID",
      `telemetry: ${printing} is console, which would print into the results of commands. Use a collector (otlp), or none.`,
    );
  const { startTelemetry } = await loadOptionalPackage({
    name: "@haft/otel",
    what: "telemetry",
    load: () => import("@haft/otel"),
    beside: ["@opentelemetry/api", "@opentelemetry/sdk-node"],
  });
  try {
    return await startTelemetry({ ...settings, onProblem: (message) => logger?.warn(message) });
  } catch (thrown) {
    // One of the two packages may already be installed.
    const { code, cause } = thrown as { code?: string; cause?: unknown };
    if (code !== "PACKAGE_MISSING") throw thrown;
    return await loadOptionalPackage<never>({
      name: "@haft/otel",
      what: "telemetry",
      load: () => Promise.reject(cause),
      beside: ["@opentelemetry/sdk-node"],
    });
  }
}
