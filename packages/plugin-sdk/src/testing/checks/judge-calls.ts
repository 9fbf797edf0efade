import type { ToolEffect } from "@haft/core";
import { withTimeout } from "@haft/utils";
import { setTimeout } from "node:timers/promises";
import { type CheckedCall, formatArguments } from "./call-checks.ts";
import type { CheckSite } from "./check-site.ts";
import { type CheckResult, createOkResult } from "./report.ts";

/** Characters that a model with 128,000 tokens of context is given of one result. */
const MODEL_CHARACTERS = 52_428;
/** What nobody should make for one answer. */
const MAX_OUTPUT_LENGTH = 1_000_000;
const MAX_DETAILS_LENGTH = 100_000;
/** Milliseconds as the kernel gives them after an abort. */
const GRACE_MS = 2_000;
/** Until an abort; what ends before has nothing to abort. */
const UNTIL_ABORT_MS = 20;

/** Answers have a size that does not depend on what is asked about. */
export function judgeOutput(name: string, { calls, largest, largestDetails }: CheckedCall): CheckResult[] {
  const results: CheckResult[] = [];
  if (largest.characters > MODEL_CHARACTERS)
    results.push({
      check: "output",
      status: largest.characters > MAX_OUTPUT_LENGTH ? "problem" : "warning",
      where: `${name}(${formatArguments(largest.args)})`,
      message: `answered ${largest.characters.toLocaleString("en")} characters, of which a model gets about ${MODEL_CHARACTERS.toLocaleString("en")}.`,
      fix: "Answer in pages (offset and limit), or say how much there is and where to find it.",
    });
  if (largestDetails.characters > MAX_DETAILS_LENGTH)
    results.push({
      check: "output",
      status: "warning",
      where: `${name}(${formatArguments(largestDetails.args)})`,
      message: `its details are ${largestDetails.characters.toLocaleString("en")} characters of JSON; ${MAX_DETAILS_LENGTH.toLocaleString("en")} are kept.`,
      fix: "Keep facts in details, and contents in content.",
    });
  if (results.length > 0 || calls === 0) return results;
  return createOkResult(
    "output",
    `at most ${largest.characters.toLocaleString("en")} characters in one answer.`,
    name,
  );
}

/** What it says it does is what it was seen to do: rules, receipts and questions go by that. */
export function judgeEffects(
  name: string,
  declared: readonly ToolEffect[],
  facts: CheckedCall,
): CheckResult[] {
  const results: CheckResult[] = [];
  for (const [effect, { what, args }] of facts.observedEffects) {
    if (declared.includes(effect)) continue;
    results.push({
      check: "effects",
      status: "problem",
      where: `${name}(${formatArguments(args)})`,
      message: `did ${what}, which is "${effect}", and declares ${declared.length === 0 ? "no effects" : declared.join(", ")}.`,
      fix: `Add "${effect}" to its effects; rules and approvals go by them.`,
    });
  }
  // Whom a message reaches is nothing that a port sees.
  const unseen = declared.filter((effect) => effect !== "message" && !facts.observedEffects.has(effect));
  if (facts.good.length > 0 && unseen.length > 0)
    results.push({
      check: "effects",
      status: "warning",
      where: name,
      message: `declares ${unseen.map((effect) => `"${effect}"`).join(" and ")}, and none of ${facts.calls} calls did that through its ports.`,
      fix: "Leave out what it never does; where it does, do it through context.workspace and context.fetch.",
    });
  // What goes around its ports is a problem of its own, and no effect is vouched for beside it.
  if (results.length > 0 || facts.bypasses.size > 0) return results;
  const seen = [...facts.observedEffects.keys()];
  const none =
    declared.length === 0
      ? "it declares none, and no call showed one through its ports."
      : `it declares ${declared.join(", ")}; no call showed it.`;
  return createOkResult("effects", seen.length === 0 ? none : `${seen.join(", ")}, as it declares.`, name);
}

/** What it does, it does through its ports: only there it is in the sandbox, and under the rules. */
export function judgePortBypasses(name: string, { bypasses }: CheckedCall): CheckResult[] {
  return [...bypasses.values()].map(({ what, args }) => ({
    check: "workspace",
    status: "problem",
    where: `${name}(${formatArguments(args)})`,
    message: `goes around its ports: ${what}. In a sandboxed session that is the host, not the sandbox.`,
    fix: "Use context.workspace.fs for files, context.workspace.processes for programs, context.fetch for the network.",
  }));
}

/** A call that is given up ends soon, whatever it waits for. */
export async function judgeAbort(site: CheckSite, name: string, facts: CheckedCall): Promise<CheckResult[]> {
  const samples = [...facts.timedOut, ...facts.good].slice(0, 3);
  let aborted = 0;
  for (const args of samples) {
    const controller = new AbortController();
    // The network never answers, so that there is something to wait for.
    const calling = site.call(name, args, { signal: controller.signal, hangs: true });
    await setTimeout(UNTIL_ABORT_MS);
    const run = site.observer.last;
    if (run === undefined || run.ended) {
      await calling;
      continue;
    }
    aborted++;
    controller.abort();
    await calling;
    await withTimeout(run.settled, GRACE_MS);
    if (!run.ended)
      return [
        {
          check: "abort",
          status: "problem",
          where: `${name}(${formatArguments(args)})`,
          message: `went on ${GRACE_MS / 1000} s after its signal was aborted.`,
          fix: "Give the signal to what it waits for: sleep(ms, undefined, { signal }), fs.read(path, { signal }), fetch(url, { signal }).",
        },
      ];
  }
  const message = aborted === 0 ? "ended before it could be aborted." : "ended soon after it was aborted.";
  return createOkResult("abort", message, name);
}
