import type { GuardedModules } from "@haft/config/internal/trust";
import type { CheckResult } from "@haft/plugin-sdk/testing";
import { readChildLine, objectShape } from "../trial/child-program.ts";

export type Samples = Readonly<Record<string, readonly unknown[]>>;

export type CheckLine =
  | { check: CheckResult }
  | { calls: string; arguments: string }
  | { done: { seed: number; samples: Samples } }
  | { exit: number };

/**
 * What {@link runCheck} checks.
 *
 * @example
 * ```ts
 * import type { CheckOrder } from "@haft/plugin-loader/internal/check";
 * const order: CheckOrder = { file: "/srv/weather/src/index.ts", loader: "node", name: "weather", runs: 50 };
 * ```
 */
export interface CheckOrder {
  /** Absolute path of the module of the plugin. */
  file: string;
  /** What turns the module into JavaScript. */
  loader: "node" | "tsx";
  /** The name of the plugin, for messages. */
  name: string;
  /** The seed for random arguments. Default: a random one, which the result names. */
  seed?: number;
  /** The number of calls of each tool. */
  runs?: number;
  /** Arguments for calls in a real sandbox, by the name of the tool. {@link runCheck} fills them in. */
  samples?: Samples;
  /** Files that must be unchanged when they are loaded. */
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
