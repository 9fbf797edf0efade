import { checkValue } from "@haft/core/internal";
import type { CheckResult } from "@haft/plugin-sdk/testing";
import type { Guarded } from "../../trust/module-guard.ts";

/** Arguments of calls that went well, by the tool. */
export type Samples = Readonly<Record<string, readonly unknown[]>>;

/** What a check of a plugin says, a line each. */
export type CheckLine =
  | { check: CheckResult }
  | { calls: string; arguments: string }
  | { done: { seed: number; samples: Samples } }
  | { exit: number };

/** What is to be checked. */
export interface CheckOrder {
  file: string;
  loader: "node" | "tsx";
  name: string;
  /** Makes the arguments of calls; one is made up without. */
  seed?: number;
  /** Calls of each tool. */
  runs?: number;
  /** A real sandbox is tried, and nothing else, with these calls. */
  samples?: Samples;
  /** What its modules are compared with. */
  guards?: readonly Guarded[];
}

const TEXT = { type: "string" };
const LINES = [
  {
    type: "object",
    properties: {
      check: {
        type: "object",
        properties: {
          check: TEXT,
          status: { enum: ["ok", "warning", "problem", "skipped"] },
          code: TEXT,
          message: TEXT,
          where: TEXT,
          fix: TEXT,
        },
        required: ["check", "status", "message"],
      },
    },
    required: ["check"],
  },
  { type: "object", properties: { calls: TEXT, arguments: TEXT }, required: ["calls", "arguments"] },
  {
    type: "object",
    properties: {
      done: {
        type: "object",
        properties: {
          seed: { type: "integer" },
          samples: { type: "object", additionalProperties: { type: "array" } },
        },
        required: ["seed", "samples"],
      },
    },
    required: ["done"],
  },
  { type: "object", properties: { exit: { type: "integer" } }, required: ["exit"] },
];

/** `undefined` for what is none: a plugin can write to that descriptor, too. */
export function readCheckLine(line: string): CheckLine | undefined {
  let said: unknown;
  try {
    said = JSON.parse(line);
  } catch {
    return undefined;
  }
  return LINES.some((each) => checkValue(each, said, 1).length === 0) ? (said as CheckLine) : undefined;
}
