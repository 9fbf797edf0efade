import type { GuardedModules } from "@haft/config/internal/trust";
import type { CheckResult } from "@haft/plugin-sdk/testing";
import { readChildLine, objectShape } from "../trial/child-program.ts";

export type Samples = Readonly<Record<string, readonly unknown[]>>;

export type CheckLine =
  | { check: CheckResult }
  | { calls: string; arguments: string }
  | { done: { seed: number; samples: Samples } }
  | { exit: number };

export interface CheckOrder {
  file: string;
  loader: "node" | "tsx";
  name: string;
  seed?: number;
  runs?: number;
  samples?: Samples;
  guards?: readonly GuardedModules[];
}

const TEXT = { type: "string" };
const CHECK = objectShape(
  {
    check: TEXT,
    status: { enum: ["ok", "warning", "problem", "skipped"] },
    code: TEXT,
    message: TEXT,
    where: TEXT,
    fix: TEXT,
  },
  ["check", "status", "message"],
);
const SAMPLES = { type: "object", additionalProperties: { type: "array" } };
const LINES = [
  objectShape({ check: CHECK }),
  objectShape({ calls: TEXT, arguments: TEXT }),
  objectShape({ done: objectShape({ seed: { type: "integer" }, samples: SAMPLES }) }),
  objectShape({ exit: { type: "integer" } }),
];

export const readCheckLine = (line: string) => readChildLine(line, LINES) as CheckLine | undefined;
