import { checkOptions, type OptionSchemas, optionsSchema } from "@haft/core/internal";
import { metrics, trace } from "@opentelemetry/api";
import { createMeasures, type CallMeasures } from "./measures.ts";
import { ObservedSession } from "./observed-session.ts";
import type { Telemetry, TelemetryContent, TelemetryOptions } from "./telemetry.ts";

const SCOPE = "@haft/otel";

export const CONTENT: OptionSchemas<TelemetryContent> = {
  arguments: { type: "boolean", description: "Adds the arguments of calls to spans." },
  results: { type: "boolean", description: "Adds the texts of results to spans." },
};

const OPTIONS = optionsSchema<TelemetryOptions>({
  ...CONTENT,
  tracerProvider: { description: "Creates spans. Default: the registered provider." },
  meterProvider: { description: "Creates metrics. Default: the registered provider." },
});

/**
 * Creates a {@link Telemetry} that turns events of sessions into spans and metrics. It uses the SDK registered with OpenTelemetry's API, or
 * records nothing.
 *
 * @throws `INVALID_OPTIONS`
 *
 * @example
 * ```ts run
 * import { createTelemetry } from "@haft/otel";
 * import { createHost } from "haft";
 * const host = await createHost({ workspaceDir: process.cwd(), stateDir: false });
 * const session = await host.openSession();
 * const telemetry = createTelemetry();
 * telemetry.observe(session);
 * await session.call({ name: "ls" }); // a span, and its duration as a metric
 * await host.close();
 * await telemetry.close();
 * ```
 */
export function createTelemetry(options: TelemetryOptions = {}): Telemetry {
  checkOptions("createTelemetry", options, OPTIONS);
  const { tracerProvider, meterProvider, ...content } = options;
  const observed = new Set<ObservedSession>();
  let measures: CallMeasures | undefined;
  return {
    observe(session) {
      const tracer = (tracerProvider ?? trace.getTracerProvider()).getTracer(SCOPE);
      measures ??= createMeasures((meterProvider ?? metrics.getMeterProvider()).getMeter(SCOPE));
      const one = new ObservedSession(session, {
        tracer,
        measures,
        content,
        onEnd: () => observed.delete(one),
      });
      observed.add(one);
      return () => one.end();
    },
    async close() {
      for (const one of observed) one.end();
    },
  };
}
