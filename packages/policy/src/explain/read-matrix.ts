import {
  withoutUndefined,
  type ContainmentFacts,
  type Decision,
  type Policy,
  type SessionFacts,
  type SessionKind,
  type SessionPolicy,
  type ToolFacts,
  type TraceStep,
} from "@haft/core";
import { findDecisiveStep } from "@haft/core/internal";
import { sessionKinds } from "../read/policy-config.ts";

/** What a cell of the matrix says. `grant`: denied, and only because nothing grants it or names it. */
export type MatrixEffect = "allow" | "ask" | "grant" | "deny";

/** What one kind of session may do with one tool, and by which rule. Plain JSON. */
export interface MatrixCell {
  /** What becomes of a call of which nothing is known. */
  word: MatrixEffect;
  /** Rules look at what a call would do, so that not every call gets the same answer. */
  dependsOnCall: boolean;
  /** The strictest answer that some calls get, by what they would do, where others get a milder one. */
  toSome?: Exclude<MatrixEffect, "allow">;
  /** The answer to those others. */
  toOthers?: MatrixEffect;
  /** Why, in one sentence. */
  reason: string;
  /** The rule that decides. */
  rule: string;
  /** Where it stands. */
  source: string;
  /** The smallest change that would give a better answer. */
  fix?: string;
  /** Its commands run in a view of the host, and the word holds there: `writes in the workspace, network none`. */
  contained?: string;
}

/** One tool, for each kind of session. */
export interface MatrixRow {
  /** Short name of a built-in tool, `plugin/name` of others. */
  name: string;
  /** `plugin/name` of every tool. */
  toolId: string;
  /** By kind of session. */
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

/** What a policy lets each kind of session do, tool by tool; with commands contained as it wants them. */
export function readMatrix(
  policy: Policy & { containment?(facts: SessionFacts): ContainmentFacts | undefined },
  tools: readonly ToolFacts[],
  agentId = "",
): MatrixRow[] {
  const sessions = sessionKinds.map((kind) => {
    const facts: SessionFacts = { kind, agentId, model: "", messageChannel: "" };
    const wish = policy.containment?.(facts);
    if (wish !== undefined) facts.containment = { mode: wish.mode, network: wish.network };
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

/** What one session may do with one tool. */
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

/** Why calls of a tool get the answers they get. A rule that looks at calls does not decide about all of them. */
export function getCellReason({ name }: ToolFacts, { reason, trace }: Decision): string {
  const { toSome, toOthers } = effectsByKind(trace);
  if (toSome === undefined || toOthers === undefined) return reason;
  const step = findDecisiveStep(trace.filter((each) => each.toSome !== undefined));
  const others = findDecisiveStep(trace.filter((each) => each.toSome === undefined));
  const because = toOthers === "ask" && others !== undefined ? ` (${others.source})` : "";
  const rule = step === undefined ? "" : `: ${step.rule} (${step.source})`;
  const some = toSome === "ask" ? "some calls need approval" : "some calls are denied";
  return `${name} ${toOthers === "ask" ? `needs approval${because}` : "runs unasked"}, but ${some}, by what they would do${rule}.`;
}

/** What the rules of a trace say to different calls, where they do not say the same to all of them. */
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

/** The word for a decision: `grant` where only a grant is missing. */
export function toMatrixEffect(effect: Decision["effect"], trace: readonly TraceStep[]): MatrixEffect {
  return effect === "deny" && onlyUngranted(trace.filter(({ verdict }) => verdict === "deny"))
    ? "grant"
    : effect;
}

function onlyUngranted(denials: readonly TraceStep[]): boolean {
  return denials.every(({ layer }) => layer === "grant" || layer === "optional");
}

/** What a cell says: its word, or the answer to most calls and, with `…`, the one to some. */
export function matrixLabel({ word, toSome, toOthers }: Pick<MatrixCell, "word" | "toSome" | "toOthers">): {
  word: MatrixEffect;
  label: string;
} {
  if (toSome === undefined || toOthers === undefined) return { word, label: word };
  return { word: toOthers, label: `${toOthers}, ${toSome} …` };
}

/** The words that occur, what each means, and how it is written where that differs. */
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
      "commands run contained, as the policy wants it; where nothing contains them, more may be asked about";
    legend.push([contained.word, meaning, "contained"]);
  }
  for (const word of words) {
    const meaning = `${meaningsForSome[word]}, by what they would do`;
    const [label, stricter] = [`allow, ${word} …`, `ask, ${word} …`];
    if (labels.has(label)) legend.push(["allow", `${meaning}, and the others run unasked`, label]);
    if (labels.has(stricter)) legend.push(["ask", `${meaning}, and the others need approval`, stricter]);
  }
  return legend;
}
