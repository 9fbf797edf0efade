import {
  type AnyTool,
  type Decision,
  definePlugin,
  defineTool,
  type Policy,
  type ToolFacts,
  text,
  type Workspace,
} from "@haft/core";
import {
  Registry,
  type Session,
  type SessionEnvironment,
  SessionFactory,
  type SessionOptions,
} from "@haft/core/kernel";
import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { Type } from "@sinclair/typebox";
import { createTelemetry, type Telemetry } from "../../src/index.ts";
import type { TelemetryContent } from "../../src/telemetry.ts";

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

/** The SDK as hosts have it, but that what it sends stays here. */
export interface Sdk {
  readonly tracerProvider: TracerProvider;
  readonly meterProvider: MeterProvider;
  spans(): ReadableSpan[];
  /** The one whose call has this id. */
  findSpan(toolCallId: string): ReadableSpan;
  /** Of a metric, what each of its series counted, or how many values it has. */
  series(name: string): Promise<{ attributes: Record<string, unknown>; count: number; sum?: number }[]>;
}

function startSdk(): Sdk {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 2 ** 30 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const spans = () => exporter.getFinishedSpans();
  return {
    tracerProvider,
    meterProvider,
    spans,
    findSpan: (id) => spans().find(({ attributes }) => attributes["gen_ai.tool.call.id"] === id)!,
    async series(name) {
      measured.reset();
      await reader.forceFlush();
      const metrics = measured
        .getMetrics()
        .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((one) => one.metrics));
      const points = metrics.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? [];
      return points.map(({ attributes, value }) =>
        typeof value === "number"
          ? { attributes, count: value }
          : { attributes, count: (value as { count: number }).count, sum: (value as { sum: number }).sum },
      );
    },
  };
}

export interface Setup extends Partial<Omit<SessionEnvironment, "registry" | "policy">> {
  tools?: readonly AnyTool[];
  decide?: (tool: ToolFacts) => Decision["effect"];
  content?: TelemetryContent;
  open?: Partial<SessionOptions>;
}

/** A session that is observed. */
export async function openObservedSession({
  tools = [],
  decide = () => "allow",
  content = {},
  open,
  ...rest
}: Setup = {}) {
  const sdk = startSdk();
  const { tracerProvider, meterProvider } = sdk;
  const telemetry: Telemetry = createTelemetry({ ...content, tracerProvider, meterProvider });
  const decision = (tool: ToolFacts): Decision => {
    const effect = decide(tool);
    const step = { layer: effect, rule: `${effect} it`, source: "policy.yaml:3", verdict: effect };
    return { effect, id: `test-${effect}`, reason: `${effect} it`, trace: [step] };
  };
  const of = { visibility: () => decision({} as ToolFacts), call: decision };
  const policy: Policy = {
    forSession: () => ({
      ...of,
      visibility: () => ({ effect: "allow", id: "visible", reason: "", trace: [] }),
    }),
  };
  const plugin = definePlugin({ id: "t", tools: [...tools] });
  const factory = new SessionFactory({
    registry: new Registry({ plugins: [plugin] }),
    policy,
    abortGraceMs: 50,
    ...rest,
  });
  const session: Session = await factory.open({
    kind: "main",
    workspace: WORKSPACE,
    sessionKey: "talk",
    ...open,
  });
  const stop = telemetry.observe(session);
  return { sdk, telemetry, session, stop };
}

/** The kernel itself touches no file. */
const WORKSPACE: Workspace = {
  fs: {} as never,
  describe: () => ({ target: "host", cwd: "/work", mounts: [], boundary: "none" }),
};

/** Answers with its argument. */
export const echo = defineTool({
  name: "echo",
  description: "Says it again.",
  parameters: Type.Object({ value: Type.String() }),
  effects: ["read"],
  execute: (_id, { value }) => ({ content: [text(value)], details: {} }),
});

/** A tool whose code is this. */
export function createTool(name: string, execute: AnyTool["execute"], parts: Partial<AnyTool> = {}): AnyTool {
  return {
    ...defineTool({
      name,
      description: `The tool ${name}.`,
      parameters: Type.Object({}),
      effects: [],
      execute,
    }),
    ...parts,
  };
}
