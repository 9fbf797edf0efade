import type { Attributes, Counter, Histogram, Meter } from "@opentelemetry/api";

export interface CallMeasures {
  /** Duration of calls with their decision, in seconds; named by the GenAI conventions. */
  readonly duration: Histogram;
  readonly calls: Counter;
  readonly decisions: Counter;
  /** Calls rejected as duplicates. */
  readonly duplicates: Counter;
  readonly loops: Counter;
  /** Time until a decision about a pending call, in seconds. */
  readonly approvals: Histogram;
}

/** Seconds: from reading a file to a long command. */
const CALLS = [0.001, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
/** Seconds: from a person at the terminal to an answer on the next day. */
const PEOPLE = [1, 5, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400, 43_200, 86_400];

export function createMeasures(meter: Meter): CallMeasures {
  const seconds = (name: string, description: string, explicitBucketBoundaries: number[]) =>
    meter.createHistogram(name, { description, unit: "s", advice: { explicitBucketBoundaries } });
  const number = (name: string, unit: string, description: string) =>
    meter.createCounter(name, { description, unit });
  return {
    duration: seconds("gen_ai.execute_tool.duration", "Duration of tool calls.", CALLS),
    calls: number("haft.tool.calls", "{call}", "Tool calls, by outcome."),
    decisions: number("haft.policy.decisions", "{decision}", "Policy decisions about calls."),
    duplicates: number("haft.tool.duplicates", "{call}", "Calls rejected as duplicates."),
    loops: number("haft.tool.loops", "{finding}", "Findings of the loop guard."),
    approvals: seconds("haft.approval.duration", "Time that calls waited for an approval.", PEOPLE),
  };
}

export function toAttributes(all: Record<string, string | number | boolean | undefined>): Attributes {
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Attributes;
}
