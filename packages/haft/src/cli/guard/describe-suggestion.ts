import {
  type Evidence,
  timesSeen,
  type ReplaySummary,
  type SkippedCall,
  type Proposal,
  type Suggestion,
} from "@haft/guard/internal/agents";
import { shellWord } from "@haft/utils";
import { escapeInvisible } from "@haft/utils";
import { resolve } from "node:path";

const MAX_LEFT_OUT = 10;

export function describeSuggestion(
  { calls, asked, settled, beyond, first, last, proposals, leftOut, change, byHand }: Suggestion,
  { log, file, isNew, out }: { log: string; file: string; isNew: boolean; out?: string | undefined },
): string {
  const lines = [
    `${log}: ${counted(calls, "call")} of agents, from ${day(first)} to ${day(last)}; ${asked} needed approval, or would have.`,
    ...(settled === 0 ? [] : [`${settled} of them no longer need approval by the present rules.`]),
    ...(beyond === 0
      ? []
      : [`${beyond} more were not analysed, because there are too many; --since selects fewer days.`]),
    ...(isNew ? [`There is no ${file} yet: it would ask about every command that is not listed.`] : []),
    "",
    ...proposals.flatMap((proposal, index) => [`${index + 1}. ${describe(proposal)}`, ""]),
    ...(proposals.length > 0 ? [] : ["There are no proposals.", ""]),
    ...(leftOut.length === 0
      ? []
      : ["No rule is proposed for:", ...leftOut.slice(0, MAX_LEFT_OUT).map(left)]),
    ...(leftOut.length > MAX_LEFT_OUT ? [`  … ${leftOut.length - MAX_LEFT_OUT} more, with --json`] : []),
    ...(leftOut.length === 0 ? [] : [""]),
    ...(byHand === undefined ? [] : [byHand]),
  ];
  if (change !== undefined) {
    const how = `git -C ${shellWord(change.folder)} apply ${out === undefined ? "FILE" : shellWord(resolve(out))}`;
    lines.push(
      ...replayed(change.replayed),
      out === undefined
        ? `To apply it, run haft guard suggest --out FILE, and with its absolute path: ${how}`
        : `Written to ${out}. To apply it: ${how}`,
    );
  }
  const text = lines
    .flatMap((each) => each.split("\n"))
    .map((line) => escapeInvisible(line))
    .join("\n")
    .trimEnd();
  return change === undefined || out !== undefined ? text : `${text}\n\n${change.diff.trimEnd()}`;
}

function describe({ entry, lists, covers, note, evidence }: Proposal): string {
  const keys = lists.map((list) => list.join(".")).join(" and ");
  return [
    `${JSON.stringify(entry)} in ${keys}`,
    `   ${seen(evidence)}`,
    `   ${covers}.`,
    ...(note === undefined ? [] : [`   ${note}`]),
  ].join("\n");
}

function left({ example, why, count }: SkippedCall): string {
  return `  ${example}\n    ${seen([count.evidence])}; ${why}`;
}

function seen(all: readonly Evidence[]): string {
  const sum = (of: (evidence: Evidence) => number) => all.reduce((before, each) => before + of(each), 0);
  const agents = new Map<string, number>();
  for (const { agents: each } of all)
    for (const [name, count] of Object.entries(each)) agents.set(name, (agents.get(name) ?? 0) + count);
  const days = Math.max(...all.map((each) => each.days));
  const parts = [
    [sum(({ asked }) => asked), "needed approval"],
    [sum(({ prompted }) => prompted), "of these by the agent's own prompt, whose answer is not known"],
    [sum(({ allowed }) => allowed), "allowed by a person"],
    [sum(({ denied }) => denied), "denied by a person"],
    [sum(({ watched }) => watched), "only watched"],
    [sum(({ free }) => free), "ran without approval"],
  ] as const;
  const counts = parts.flatMap(([count, what]) =>
    count === 0 ? [] : `${what} ${count === 1 ? "once" : `${count} times`}`,
  );
  const who = [...agents].map(([name, count]) => `${name} ${count}`).join(", ");
  const isOpen = all.every((each) => timesSeen(each) === 0 && each.denied === 0);
  const what =
    counts.length === 0 ? "denied by rules" : counts.join(", ") + (isOpen ? ", and never answered" : "");
  return `${what}, on ${days} ${days === 1 ? "day" : "days"}, last ${day(Math.max(...all.map(({ last }) => last)))} (${who})`;
}

function replayed({ calls, same, changes, left: without }: ReplaySummary): string[] {
  const other = Object.entries(changes).map(
    ([change, count]) => `${count} from ${change.replace(" > ", " to ")}`,
  );
  const missing = Object.entries(without).map(([why, count]) => `${count} because ${why}`);
  return [
    `Decided again by the present and the proposed rules: ${counted(calls, "call")}, ${same} the same; ${other.length === 0 ? "none changes" : `${calls - same} change: ${other.join(", ")}`}.`,
    ...(missing.length === 0 ? [] : [`Not decided again: ${missing.join(", ")}.`]),
    "",
  ];
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
