import {
  withoutUndefined,
  type ContainmentFacts,
  type Policy,
  type SessionFacts,
  type SessionKind,
  type ToolFacts,
} from "@haft/core";
import { decidingStep } from "@haft/core/internal";
import { sessionKinds } from "../read/policy-config.ts";

/** What a cell of the matrix says. `grant`: denied, and only because nothing grants it or names it. */
export type MatrixWord = "allow" | "ask" | "grant" | "deny";

/** What one kind of session may do with one tool, and by which rule. Plain JSON. */
export interface MatrixCell {
  /** What becomes of a call. */
  word: MatrixWord;
  /** Rules look at what a call would do, so single calls may be treated more kindly than this. */
  dependsOnCall: boolean;
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

const meanings: Readonly<Record<MatrixWord, string>> = {
  allow: "may be called",
  ask: "each call needs approval",
  grant: "denied until the policy grants it",
  deny: "denied by a rule",
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
    const cells = sessions.map(([kind, session]) => {
      const decision = session.call(tool, undefined);
      const { effect, trace, reason, fix } = decision;
      const denials = trace.filter(({ verdict }) => verdict === "deny");
      const ungranted = denials.every(({ layer }) => layer === "grant" || layer === "optional");
      const step = decidingStep(trace);
      const cell: MatrixCell = withoutUndefined({
        word: effect === "deny" && ungranted ? "grant" : effect,
        dependsOnCall: session.needsSubjects?.(tool) ?? false,
        reason,
        rule: step?.rule ?? "",
        source: step?.source ?? "",
        fix,
        contained: trace.find(({ layer }) => layer === "containment")?.rule.replace(/^contained: |;.*$/g, ""),
      });
      return [kind, cell] as const;
    });
    return {
      name: tool.builtIn ? tool.name : tool.id,
      toolId: tool.id,
      cells: Object.fromEntries(cells) as Record<SessionKind, MatrixCell>,
    };
  });
}

/** The words that occur, what each means, and how it is written where that differs. */
export function matrixLegend(
  rows: readonly MatrixRow[],
): [word: MatrixWord, meaning: string, note?: string][] {
  const cells = rows.flatMap((row) => Object.values(row.cells));
  const words = (Object.keys(meanings) as MatrixWord[]).filter((word) =>
    cells.some((cell) => cell.word === word),
  );
  const legend: [MatrixWord, string, string?][] = words.map((word) => [word, meanings[word]]);
  const contained = cells.find((cell) => cell.contained !== undefined);
  if (contained !== undefined) {
    const meaning =
      "commands run contained, as the policy wants it; where nothing contains them, more may be asked about";
    legend.push([contained.word, meaning, "contained"]);
  }
  const [open] = words.filter((word) => cells.some((cell) => cell.word === word && cell.dependsOnCall));
  return open === undefined
    ? legend
    : [...legend, [open, "less strict for some calls, by what they would do", "…"]];
}
