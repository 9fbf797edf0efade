import type {
  ContainmentFacts,
  Decision,
  Policy,
  SessionFacts,
  SessionKind,
  SessionPolicy,
  ToolFacts,
} from "@haft/core";
import { type TraceStep, findDecisiveStep } from "@haft/core/internal";
import { withoutUndefined } from "@haft/utils";
import { sessionKinds } from "../read/policy-config.ts";

/** Describes the answer in a cell of the matrix. `grant`: denied only because nothing grants or names the tool. */
export type MatrixEffect = "allow" | "ask" | "grant" | "deny";

/** Describes the rights of one kind of session for one tool. Plain JSON. */
export interface MatrixCell {
  /** Answers a call without known arguments. */
  word: MatrixEffect;
  /** Indicates that calls get different answers. */
  dependsOnCall: boolean;
  /** Contains the strictest answer to some calls. */
  toSome?: Exclude<MatrixEffect, "allow">;
  /** Contains the answer to the other calls. */
  toOthers?: MatrixEffect;
  /** States the reason in one sentence. */
  reason: string;
  /** Contains the rule that decided. */
  rule: string;
  /** Names the source of the rule. */
  source: string;
  /** Describes the smallest change for a better answer. */
  fix?: string;
  /** Describes the view of commands, for which `word` applies: `writes in the workspace, network none`. */
  contained?: string;
}

export interface MatrixRow {
  /** Contains a built-in name, or `plugin/name`. */
  name: string;
  /** Contains the id `plugin/name`. */
  toolId: string;
  cells: Record<SessionKind, MatrixCell>;
}

const meanings: Readonly<Record<MatrixEffect, string>> = {
  allow: "may be called",
  ask: "each call needs approval",
  grant: "denied until the policy grants it",
  deny: "denied by a rule",
};

const meaningsForSome: Readonly<Record<MatrixEffect, string>> = {
  allow: "some calls may be made",
  ask: "some calls need approval",
  grant: "some calls are denied until the policy grants them",
  deny: "some calls are denied",
};

/**
 * Returns the rights of each kind of session for each tool, with commands contained as the policy requires.
 *
 * @param agentId Default: none.
 * @example
 * ```ts run
 * import { Registry } from "@haft/core/kernel";
 * import { createPolicy, readMatrix } from "@haft/policy";
 * import files from "@haft/tools-fs/plugin";
 *
 * const tools = new Registry({ plugins: [files], builtIn: [files.id] }).catalogue();
 * const rows = readMatrix(createPolicy({ ask: ["write"] }, { tools }), tools);
 * rows.find(({ name }) => name === "write")?.cells.main.word; // => "ask"
 * ```
 */
export function readMatrix(
  policy: Policy & { containment?(facts: SessionFacts): ContainmentFacts | undefined },
  tools: readonly ToolFacts[],
  agentId = "",
): MatrixRow[] {
  const sessions = sessionKinds.map((kind) => {
    const facts: SessionFacts = { kind, agentId, model: "", messageChannel: "" };
    const requested = policy.containment?.(facts);
    if (requested !== undefined) facts.containment = { mode: requested.mode, network: requested.network };
    return [kind, policy.forSession(facts)] as const;
  });
  return tools.map((tool) => {
    const cells = sessions.map(([kind, session]) => [kind, readCell(session, tool)] as const);
    return {
      name: tool.builtIn ? tool.name : tool.id,
      toolId: tool.id,
      cells: Object.fromEntries(cells) as Record<SessionKind, MatrixCell>,
    };
  });
}

/**
 * Returns the rights of one session for one tool.
 *
 * @example
 * ```ts run
 * import type { ToolFacts } from "@haft/core";
 * import { createPolicy, readCell } from "@haft/policy";
 *
 * const send: ToolFacts = {
 *   id: "mail/send",
 *   name: "send",
 *   pluginId: "mail",
 *   effects: ["message"],
 *   groups: [],
 *   optional: true,
 *   builtIn: false,
 * };
 * const policy = createPolicy({}, { tools: [send] });
 * const session = policy.forSession({ kind: "main", agentId: "main", model: "", messageChannel: "" });
 * readCell(session, send).word; // => "grant"
 * ```
 */
export function readCell(session: SessionPolicy, tool: ToolFacts): MatrixCell {
  const decision = session.call(tool, undefined);
  const { effect, trace, fix } = decision;
  const { toSome, toOthers } = effectsByKind(trace);
  const step = findDecisiveStep(trace);
  return withoutUndefined<MatrixCell>({
    word: toMatrixEffect(effect, trace),
    dependsOnCall: toSome !== undefined,
    toSome,
    toOthers,
    reason: getCellReason(tool, decision),
    rule: step?.rule ?? "",
    source: step?.source ?? "",
    fix,
    contained: trace.find(({ layer }) => layer === "containment")?.rule.replace(/^contained: |;.*$/g, ""),
  });
}

/**
 * Returns the reason for the answers to calls of a tool, or both reasons if a rule decides only about some.
 *
 * @example
 * ```ts
 * import type { SessionPolicy, ToolFacts } from "@haft/core";
 * import { getCellReason } from "@haft/policy";
 *
 * export function explainCalls(session: SessionPolicy, tool: ToolFacts): string {
 *   return getCellReason(tool, session.call(tool, undefined));
 * }
 * ```
 */
export function getCellReason({ name }: ToolFacts, { reason, trace }: Decision): string {
  const { toSome, toOthers } = effectsByKind(trace);
  if (toSome === undefined || toOthers === undefined) return reason;
  const step = findDecisiveStep(trace.filter((each) => each.toSome !== undefined));
  const others = findDecisiveStep(trace.filter((each) => each.toSome === undefined));
  const because = toOthers === "ask" && others !== undefined ? ` (${others.source})` : "";
  const rule = step === undefined ? "" : `: ${step.rule} (${step.source})`;
  const some = toSome === "ask" ? "some calls need approval" : "some calls are denied";
  return `${name} ${toOthers === "ask" ? `needs approval${because}` : "runs without approval"}, but ${some}, depending on the call${rule}.`;
}

/**
 * Returns the strictest answer to some calls and the answer to the others, if they differ.
 *
 * @example
 * ```ts run
 * import { effectsByKind } from "@haft/policy";
 *
 * const ask = { layer: "ask", rule: "write(path:src)", source: "ask[0]", verdict: "ask", toSome: "ask" } as const;
 * effectsByKind([ask]); // => { toSome: "ask", toOthers: "allow" }
 * ```
 */
export function effectsByKind(trace: readonly TraceStep[]): Pick<MatrixCell, "toSome" | "toOthers"> {
  const certain = trace.filter(({ toSome }) => toSome === undefined);
  const others = findDecisiveStep(certain)?.verdict ?? "allow";
  const strictest = strictness.find((verdict) => trace.some(({ toSome }) => toSome === verdict));
  if (strictest === undefined || others === "deny" || others === strictest) return {};
  const some = trace.filter(({ toSome }) => toSome === strictest);
  return {
    toSome: strictest === "ask" ? "ask" : onlyUngranted(some) ? "grant" : "deny",
    toOthers: toMatrixEffect(others, certain),
  };
}

const strictness = ["deny", "ask"] as const;

/** Returns `grant` if only a grant is missing, else the effect of the decision. */
export function toMatrixEffect(effect: Decision["effect"], trace: readonly TraceStep[]): MatrixEffect {
  return effect === "deny" && onlyUngranted(trace.filter(({ verdict }) => verdict === "deny"))
    ? "grant"
    : effect;
}

function onlyUngranted(denials: readonly TraceStep[]): boolean {
  return denials.every(({ layer }) => layer === "grant" || layer === "optional");
}

/**
 * Returns the label of a cell: its word, or two answers with `…`.
 *
 * @example
 * ```ts run
 * import { matrixLabel } from "@haft/policy";
 *
 * matrixLabel({ word: "deny" }); // => { word: "deny", label: "deny" }
 * matrixLabel({ word: "ask", toSome: "ask", toOthers: "allow" }).label; // => "allow, ask …"
 * ```
 */
export function matrixLabel({ word, toSome, toOthers }: Pick<MatrixCell, "word" | "toSome" | "toOthers">): {
  word: MatrixEffect;
  label: string;
} {
  if (toSome === undefined || toOthers === undefined) return { word, label: word };
  return { word: toOthers, label: `${toOthers}, ${toSome} …` };
}

/**
 * Returns the words of a matrix, each with its meaning and, if it differs, its label.
 *
 * @example
 * ```ts run
 * import { type MatrixCell, matrixLegend } from "@haft/policy";
 *
 * const main: MatrixCell = { word: "ask", dependsOnCall: false, reason: "Each call needs approval.", rule: "write", source: "ask[0]" };
 * const row = { name: "write", toolId: "haft-fs/write", cells: { main, group: main, sandboxed: main } };
 * matrixLegend([row]); // => [["ask", "each call needs approval"]]
 * ```
 */
export function matrixLegend(
  rows: readonly MatrixRow[],
): [word: MatrixEffect, meaning: string, note?: string][] {
  const cells = rows.flatMap((row) => Object.values(row.cells));
  const labels = new Set(cells.map((cell) => matrixLabel(cell).label));
  const words = Object.keys(meanings) as MatrixEffect[];
  const legend: [MatrixEffect, string, string?][] = words
    .filter((word) => labels.has(word))
    .map((word) => [word, meanings[word]]);
  const contained = cells.find((cell) => cell.contained !== undefined);
  if (contained !== undefined) {
    const meaning =
      "commands run contained, as the policy requires; without containment, more calls may need approval";
    legend.push([contained.word, meaning, "contained"]);
  }
  for (const word of words) {
    const meaning = `${meaningsForSome[word]}, depending on the call`;
    const [label, stricter] = [`allow, ${word} …`, `ask, ${word} …`];
    if (labels.has(label)) legend.push(["allow", `${meaning}, and the others run without approval`, label]);
    if (labels.has(stricter)) legend.push(["ask", `${meaning}, and the others need approval`, stricter]);
  }
  return legend;
}
