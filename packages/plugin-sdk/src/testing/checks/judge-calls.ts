import type { ToolEffect } from "@haft/core";
import { withTimeout } from "@haft/utils";
import { setTimeout } from "node:timers/promises";
import { type CheckedCall, formatArguments } from "./call-checks.ts";
import type { CheckSite } from "./check-site.ts";
import { type CheckResult, createOkResult } from "./report.ts";

/** A model with 128,000 tokens of context gets this many characters of one result. */
const MODEL_CHARACTERS = 52_428;
/** No tool should return more. */
const MAX_OUTPUT_LENGTH = 1_000_000;
const MAX_DETAILS_LENGTH = 100_000;
/** Milliseconds that the kernel waits after an abort. */
const GRACE_MS = 2_000;
/** Milliseconds before an abort. */
const UNTIL_ABORT_MS = 20;

/** The size of an answer must have a limit. */
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

/** Declared effects must equal observed effects: rules, receipts and questions depend on them. */
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
  // No port sees the receiver of a message.
  const unseen = declared.filter((effect) => effect !== "message" && !facts.observedEffects.has(effect));
  if (facts.good.length > 0 && unseen.length > 0)
    results.push({
      check: "effects",
      status: "warning",
      where: name,
      message: `declares ${unseen.map((effect) => `"${effect}"`).join(" and ")}, and none of ${facts.calls} calls did that through its ports.`,
      fix: "Leave out what it never does; where it does, do it through context.workspace and context.fetch.",
    });
  // A bypass of ports is a separate problem, and makes the effects uncertain.
  if (results.length > 0 || facts.bypasses.size > 0) return results;
  const seen = [...facts.observedEffects.keys()];
  const none =
    declared.length === 0
      ? "it declares none, and no call showed one through its ports."
      : `it declares ${declared.join(", ")}; no call showed it.`;
  return createOkResult("effects", seen.length === 0 ? none : `${seen.join(", ")}, as it declares.`, name);
}

/** The sandbox and the rules apply only to ports. */
export function judgePortBypasses(name: string, { bypasses }: CheckedCall): CheckResult[] {
  return [...bypasses.values()].map(({ what, args }) => ({
    check: "workspace",
    status: "problem",
    where: `${name}(${formatArguments(args)})`,
    message: `goes around its ports: ${what}. In a sandboxed session that is the host, not the sandbox.`,
    fix: "Use context.workspace.fs for files, context.workspace.processes for programs, context.fetch for the network.",
  }));
}

/** An aborted call must end soon. */
export async function judgeAbort(site: CheckSite, name: string, facts: CheckedCall): Promise<CheckResult[]> {
  const samples = [...facts.timedOut, ...facts.good].slice(0, 3);
  let aborted = 0;
  for (const args of samples) {
    const controller = new AbortController();
    // The network never answers, so the call waits.
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
