import type { CallSubjects, Decision, SessionFacts, SessionPolicy, ToolFacts } from "@haft/core";
import { type TraceStep, findDecisiveStep } from "@haft/core/internal";
import { withoutUndefined, nearestNames } from "@haft/utils";
import type { Catalogue } from "../rules/catalogue.ts";
import { suggestNames, formatTable } from "../text/sentence.ts";

/** Contains a decision as plain JSON. */
export interface DecisionSummary extends Pick<Decision, "effect" | "id" | "reason" | "fix" | "everyTime"> {
  /** Contains the decision of the policy in shadow mode. */
  shadow?: DecisionSummary;
}

/** Describes one checked rule. */
export interface ExplainedStep extends TraceStep {
  decided: boolean;
}

/**
 * Contains everything that a policy decides about one tool in one session, as plain JSON.
 *
 * @example
 * ```ts
 * import type { Explanation } from "@haft/policy";
 *
 * export function findRule(explanation: Explanation): string | undefined {
 *   if (!explanation.known) return undefined;
 *   const step = explanation.trace.find(({ decided }) => decided);
 *   return step && `${step.rule} (${step.source})`;
 * }
 * ```
 */
export type Explanation =
  | {
      /** Indicates that the tool exists. */
      known: true;
      /** Contains the short name. */
      tool: string;
      /** Contains the id `plugin/name`. */
      toolId: string;
      session: SessionFacts;
      /** Decides whether the model sees the tool. */
      visibility: DecisionSummary;
      /** Decides whether the call may run. */
      call: DecisionSummary;
      /** Lists every checked rule, in order. */
      trace: ExplainedStep[];
    }
  | {
      /** Indicates that the tool does not exist. */
      known: false;
      /** Contains the unknown name. */
      tool: string;
      session: SessionFacts;
      /** States in one sentence that the tool does not exist. */
      reason: string;
      /** Lists similar names, nearest first. */
      nearest: string[];
    };

export function explainTool(
  policy: SessionPolicy,
  catalogue: Catalogue,
  facts: SessionFacts,
  toolOrName: ToolFacts | string,
  args: unknown,
  subjects?: CallSubjects,
): Explanation {
  const session = structuredClone(facts);
  if (typeof toolOrName === "string") {
    const found = catalogue.find(toolOrName);
    if (found) return explainTool(policy, catalogue, facts, found, args, subjects);
    const nearest = nearestNames(toolOrName, new Set(catalogue.tools.map(({ name }) => name)));
    const reason = `This host has no tool "${toolOrName}".${suggestNames(nearest)}`;
    return { known: false, tool: toolOrName, session, reason, nearest };
  }
  const tool = toolOrName;
  const call = policy.call(tool, args, subjects);
  const visibility = policy.visibility(tool);
  return {
    known: true,
    tool: tool.name,
    toolId: tool.id,
    session,
    visibility: asJson(visibility),
    call: asJson(call),
    trace: markDeciding(call),
  };
}

function asJson({ effect, id, reason, fix, everyTime, shadow }: Decision): DecisionSummary {
  return withoutUndefined({
    effect,
    id,
    reason,
    fix,
    everyTime,
    shadow: shadow && asJson(shadow),
  });
}

function markDeciding({ trace }: Decision): ExplainedStep[] {
  const deciding = findDecisiveStep(trace);
  return trace.map((step) => ({ ...step, decided: step === deciding }));
}

/**
 * Formats an explanation as text: the answer, the fix, then every checked rule.
 *
 * @example
 * ```ts
 * import { Registry } from "@haft/core/kernel";
 * import { createPolicy, formatExplanation } from "@haft/policy";
 * import files from "@haft/tools-fs/plugin";
 *
 * const tools = new Registry({ plugins: [files], builtIn: [files.id] }).catalogue();
 * const policy = createPolicy({ deny: ["write"] }, { tools, source: "haft.policy.json" });
 * const facts = { kind: "main", agentId: "main", model: "", messageChannel: "" } as const;
 * console.log(formatExplanation(policy.explain(facts, "write")));
 * ```
 */
export function formatExplanation(explanation: Explanation): string {
  const { tool, session } = explanation;
  const who = session.agentId === "" ? "" : ` (agent ${session.agentId})`;
  const title = `${tool} in a ${session.kind} session${who}`;
  if (!explanation.known) return `${title}\n\n  ${explanation.reason}\n`;
  const { visibility, call, trace } = explanation;
  const view = trace.find(({ layer, verdict }) => layer === "containment" && verdict === "pass");
  const answer = [
    ["visible", visibility.effect === "deny" ? "no" : "yes"],
    ["call", call.effect],
    ["because", call.reason],
    ...(view === undefined ? [] : [["commands", view.rule]]),
    ...(call.everyTime === undefined ? [] : [["every time", call.everyTime]]),
    ...(call.fix === undefined ? [] : [["to change", call.fix]]),
    ...(call.shadow === undefined ? [] : [["in shadow", `${call.shadow.effect}: ${call.shadow.reason}`]]),
    ["decision", call.id],
  ];
  const lines = [title, "", ...indent(formatTable(answer)), "", "Checked rules, in order:", ""];
  return `${[...lines, ...formatTable(collapse(trace).map(stepRow))].join("\n")}\n`;
}

/** Longer runs are summarized. */
const shownPasses = 5;

type Line = ExplainedStep | { skipped: number; layer: string };

function collapse(trace: readonly ExplainedStep[]): Line[] {
  const lines: Line[] = [];
  for (let at = 0; at < trace.length;) {
    let end = at;
    while (trace[end]?.verdict === "pass" && trace[end]!.layer === trace[at]!.layer) end++;
    if (end - at > shownPasses) {
      lines.push(...trace.slice(at, at + shownPasses - 1));
      lines.push({ skipped: end - at - shownPasses + 1, layer: trace[at]!.layer });
    } else lines.push(...trace.slice(at, Math.max(end, at + 1)));
    at = Math.max(end, at + 1);
  }
  return lines;
}

function stepRow(line: Line): string[] {
  if ("skipped" in line) return ["  ", line.layer, "pass", `… ${line.skipped} more that do not match`];
  return [line.decided ? " →" : "  ", line.layer, line.verdict, line.rule, line.source];
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
