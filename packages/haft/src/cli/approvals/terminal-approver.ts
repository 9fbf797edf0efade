import type { ApprovalAnswer, ApprovalRequestRecord, Approver } from "@haft/core";
import type { Interface } from "node:readline/promises";
import type { Writable } from "node:stream";
import { styleText } from "node:util";
import { commandError } from "../../errors.ts";
import { refuseInSession } from "../refuse-in-session.ts";
import { describeRequest } from "./describe-request.ts";
import { type Terminal, withLines } from "./find-terminal.ts";
import { getAnswererName } from "./parse-answer.ts";

/** Asks one question at a time. Ctrl-C, Ctrl-D and a closed terminal deny. */
export function createTerminalApprover(terminal: Terminal): Approver {
  let last: Promise<unknown> = Promise.resolve();
  return {
    ask(request) {
      const answer = last.then(() => askOnTerminal(terminal, request, request.signal));
      last = answer.catch(() => undefined);
      return answer.then((given) => {
        if (given !== undefined) return given;
        throw commandError("APPROVER_GONE", "It was decided elsewhere.");
      });
    },
  };
}

/**
 * Returns `undefined` if the signal aborts first.
 *
 * @throws HaftError `INSIDE_SESSION` below a session or guarded agent, which can create terminals
 */
export async function askOnTerminal(
  terminal: Terminal,
  request: ApprovalRequestRecord,
  signal: AbortSignal,
  why?: () => Promise<string>,
): Promise<ApprovalAnswer | undefined> {
  if (signal.aborted) return undefined;
  refuseInSession("answer requests for approval");
  const { output } = terminal;
  return withLines(terminal, async (lines, closed) => {
    const denied = closed.then((): ApprovalAnswer => ({ decision: "deny", by: getAnswererName() }));
    output.write(`\n${describeRequest(request, output)}\n`);
    const answer = await Promise.race([denied, ask(lines, request, output, { signal, why })]);
    if (answer === undefined) output.write("\n(decided elsewhere)\n");
    else if (answer.decision === "deny") output.write(`${styleText("red", "Denied.", { stream: output })}\n`);
    return answer;
  });
}

async function ask(
  lines: Interface,
  request: ApprovalRequestRecord,
  output: Writable,
  { signal, why }: { signal: AbortSignal; why: (() => Promise<string>) | undefined },
): Promise<ApprovalAnswer | undefined> {
  const choices = choicesFor(request);
  const names = [...choices.map(({ label }) => label), ...(why ? ["[w]hy"] : [])].join("  ");
  for (;;) {
    let typed: string;
    try {
      typed = await lines.question(`  ${styleText("bold", names, { stream: output })}  > `, { signal });
    } catch {
      // Ctrl-D denies.
      return signal.aborted ? undefined : new Promise(() => {});
    }
    const word = typed.trim().toLowerCase();
    const chosen = choices.find(({ words }) => words.includes(word));
    if (chosen) return { ...chosen.answer, by: getAnswererName() };
    if (why !== undefined && (word === "w" || word === "why")) output.write(`\n${await why()}\n\n`);
    else if (word !== "") output.write(`  "${word.slice(0, 20)}" is not one of these.\n`);
  }
}

interface Choice {
  label: string;
  words: readonly string[];
  answer: ApprovalAnswer;
}

function choicesFor({ offers }: ApprovalRequestRecord): Choice[] {
  const isOffered = (kind: string) => offers.some((offer) => offer.kind === kind);
  const choices: (Choice | false)[] = [
    {
      label: "[y]es, once",
      words: ["y", "yes", "once", "allow", "allow-once"],
      answer: { decision: "allow-once" },
    },
    isOffered("exact") && {
      label: "[a]lways this call",
      words: ["a", "always", "allow-always", "exact"],
      answer: { decision: "allow-always", grant: "exact" },
    },
    isOffered("program") && {
      label: "always this [p]rogram here",
      words: ["p", "program"],
      answer: { decision: "allow-always", grant: "program" },
    },
    { label: "[n]o", words: ["n", "no", "deny"], answer: { decision: "deny" } },
  ];
  return choices.filter((choice) => choice !== false);
}
