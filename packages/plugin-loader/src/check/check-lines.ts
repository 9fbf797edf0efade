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
 * Describes the input of {@link runCheck}.
 *
 * @example
 * ```ts
 * import type { CheckOrder } from "@haft/plugin-loader/internal/check";
 * const order: CheckOrder = { file: "/srv/weather/src/index.ts", loader: "node", name: "weather", runs: 50 };
 * ```
 */
export interface CheckOrder {
  /** Contains the absolute path of the module. */
  file: string;
  /** Names the loader. */
  loader: "node" | "tsx";
  /** Names the plugin. */
  name: string;
  /** Sets the seed for arguments. Default: a random seed, which the result names. */
  seed?: number;
  /** Sets the number of calls of each tool. */
  runs?: number;
  /** Maps a tool to arguments for calls in a real sandbox. {@link runCheck} fills them in. */
  samples?: Samples;
  /** Lists files that must be unchanged on load. */
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
