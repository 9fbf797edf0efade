import type { Attributes, Counter, Histogram, Meter } from "@opentelemetry/api";

export interface CallMeasures {
  /** By the conventions for generative AI: how long calls took, in seconds, with all that was decided before. */
  readonly duration: Histogram;
  readonly calls: Counter;
  readonly decisions: Counter;
  /** Calls that had been made and were not made again. */
  readonly duplicates: Counter;
  readonly loops: Counter;
  /** How long calls waited for a person, in seconds. */
  readonly approvals: Histogram;
}

/** Seconds, each twice the one before: from reading a file to a command that somebody waits for. */
const CALLS = [0.001, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
/** From somebody at the terminal to somebody who is asleep. */
const PEOPLE = [1, 5, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400, 43_200, 86_400];

export function createMeasures(meter: Meter): CallMeasures {
  const seconds = (name: string, description: string, explicitBucketBoundaries: number[]) =>
    meter.createHistogram(name, { description, unit: "s", advice: { explicitBucketBoundaries } });
  const number = (name: string, unit: string, description: string) =>
    meter.createCounter(name, { description, unit });
  return {
    duration: seconds("gen_ai.execute_tool.duration", "How long calls of tools took.", CALLS),
    calls: number("haft.tool.calls", "{call}", "Calls of tools, by how they ended."),
    decisions: number("haft.policy.decisions", "{decision}", "What policy said to calls."),
    duplicates: number("haft.tool.duplicates", "{call}", "Calls that were not made a second time."),
    loops: number("haft.tool.loops", "{finding}", "Findings of the loop guard."),
    approvals: seconds("haft.approval.duration", "How long calls waited for a decision.", PEOPLE),
  };
}

/** What is not there is no attribute. */
export function toAttributes(all: Record<string, string | number | boolean | undefined>): Attributes {
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Attributes;
}
