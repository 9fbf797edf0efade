import type { CallSubjects, SessionPolicy, ToolFacts } from "@haft/core";
import { type TraceStep, findDecisiveStep } from "@haft/core/internal";
import { effectsByKind, type MatrixEffect, getCellReason, toMatrixEffect } from "./read-matrix.ts";

/**
 * Describes the mildest and the strictest answer to calls of one tool.
 *
 * @example
 * ```ts
 * import type { SessionFacts, ToolFacts } from "@haft/core";
 * import type { ExplainingPolicy } from "@haft/policy";
 *
 * export function mayEverRun(policy: ExplainingPolicy, facts: SessionFacts, tool: ToolFacts): boolean {
 *   return policy.answerRange(facts, tool, { open: true }).mildest !== "deny";
 * }
 * ```
 */
export interface AnswerRange {
  mildest: MatrixEffect;
  strictest: MatrixEffect;
  /** Applies to commands that leave the view. `deny` for tools without commands. */
  outside: MatrixEffect;
  /** States the rule for ordinary calls. */
  reason: string;
}

const FROM_MILD: readonly MatrixEffect[] = ["allow", "ask", "grant", "deny"];

function milder(one: MatrixEffect, other: MatrixEffect): MatrixEffect {
  return FROM_MILD.indexOf(one) <= FROM_MILD.indexOf(other) ? one : other;
}

function stricter(one: MatrixEffect, other: MatrixEffect): MatrixEffect {
  return FROM_MILD.indexOf(one) <= FROM_MILD.indexOf(other) ? other : one;
}

/** Returns bounds for the answers to all calls of a tool. They may be too wide, never too narrow. */
export function readAnswerRange(policy: SessionPolicy, tool: ToolFacts): AnswerRange {
  const decision = policy.call(tool, undefined);
  const { trace, effect } = decision;
  const { toSome, toOthers } = effectsByKind(trace);
  const word = toMatrixEffect(effect, trace);
  const range = {
    mildest: toOthers ?? word,
    strictest: toSome ?? word,
    reason: getCellReason(tool, decision),
  };
  const asksByRule = trace.some(({ layer, verdict }) => layer.endsWith("ask") && verdict === "ask");
  if (tool.name === "node_invoke" && range.mildest === "ask" && asksByRule)
    // A rule about effects covers only the commands that a node offers.
    return { ...range, mildest: "allow", outside: "deny" };
  if (!tool.effects.includes("execute")) return { ...range, outside: "deny" };
  const elevated = answerToElevated(policy, tool, trace);
  const leaving = milder(stricter(range.mildest, "ask"), elevated ?? "deny");
  return { ...range, mildest: milder(range.mildest, elevated ?? "deny"), outside: leaving };
}

export function widenRange(one: AnswerRange, other: AnswerRange): AnswerRange {
  return {
    mildest: milder(one.mildest, other.mildest),
    strictest: stricter(one.strictest, other.strictest),
    outside: milder(one.outside, other.outside),
    reason: milder(one.mildest, other.mildest) === one.mildest ? one.reason : other.reason,
  };
}

/** Returns the answer to a call that may be elevated. Rules about commands and the view do not apply to it. */
function answerToElevated(
  policy: SessionPolicy,
  tool: ToolFacts,
  trace: readonly TraceStep[],
): MatrixEffect | undefined {
  const elevation = policy
    .call(tool, undefined, ELEVATED)
    .trace.find(({ layer }) => layer.replace(/^parent /, "") === "elevated");
  if (elevation === undefined || elevation.verdict === "deny") return undefined;
  const others = trace.filter(
    ({ layer, toSome }) => toSome === undefined && !LIFTED.has(layer.replace(/^parent /, "")),
  );
  const steps = [...others, elevation];
  return toMatrixEffect(findDecisiveStep(steps)?.verdict ?? "allow", steps);
}

const LIFTED: ReadonlySet<string> = new Set(["exec", "containment"]);

const ELEVATED: CallSubjects = {
  command: { text: "", cwd: "", commands: [], unclear: "it is any command", elevated: true },
};
