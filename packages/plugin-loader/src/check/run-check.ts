import { getErrorMessage } from "@haft/core";
import type { CheckResult } from "@haft/plugin-sdk/testing";
import { runningNode, startProgram } from "@haft/system";
import { randomUUID } from "node:crypto";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { getProgramArguments, watchSilence } from "../trial/child-program.ts";
import { endTrial, TRIAL_VARIABLE } from "../trial/end-trial.ts";
import { type CheckOrder, readCheckLine, type Samples } from "./check-lines.ts";

/** Milliseconds: a call may take two seconds, an abort two more, and a sandbox needs time to open. */
const LONGEST_SILENCE_MS = 10_000;
const LONGEST_OPENING_MS = 60_000;
const LONGEST_COMPLAINT = 2_000;

export interface CheckedPlugin {
  checks: readonly CheckResult[];
  seed?: number;
  samples: Samples;
}

export interface CheckRun {
  signal: AbortSignal;
  silenceMs?: number;
}

/**
 * Checks a plugin in a separate process, with random arguments. The process can only write to a temporary folder, and cannot start
 * programs. A tool that loops or exits affects only that process. After success, some calls are repeated in a real sandbox.
 *
 * @param run `signal` ends the check. `silenceMs`: milliseconds without a sign of life after which the process counts as blocked.
 * @returns the results, the seed, and the arguments of the repeated calls
 * @example
 * ```ts
 * import { runCheck } from "@haft/plugin-loader/internal/check";
 * const order = { file: "/srv/weather/src/index.ts", loader: "node", name: "weather" } as const;
 * const { checks, seed } = await runCheck(order, { signal: AbortSignal.timeout(60_000) });
 * ```
 */
export async function runCheck(order: CheckOrder, run: CheckRun): Promise<CheckedPlugin> {
  const checked = await runProgram(order, run, order.loader === "node");
  const mayGoOn = checked.seed !== undefined && !checked.checks.some(({ check }) => check === "workspace");
  if (!mayGoOn || !Object.values(checked.samples).some((all) => all.length > 0)) return checked;
  const sandboxed = await runProgram({ ...order, samples: checked.samples }, run, false);
  const found = checked.checks.filter(({ status }) => status === "problem").map(({ check }) => check);
  const more = sandboxed.checks.filter(({ check }) => !found.includes(check));
  return { ...checked, checks: [...checked.checks, ...more] };
}

async function runProgram(order: CheckOrder, run: CheckRun, walled: boolean): Promise<CheckedPlugin> {
  const { signal } = run;
  const silenceMs = run.silenceMs ?? (order.samples === undefined ? LONGEST_SILENCE_MS : LONGEST_OPENING_MS);
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-check-")));
  const mark = randomUUID();
  const child = startProgram(
    runningNode(),
    [...walls(walled, folder), ...getProgramArguments(import.meta.url, "check-main")],
    {
      cwd: folder,
      env: { ...process.env, [TRIAL_VARIABLE]: mark, TMPDIR: folder },
      detached: true,
      stdio: ["pipe", "ignore", "pipe", "pipe"],
    },
  );
  const checks: CheckResult[] = [];
  let done: { seed: number; samples: Samples } | undefined;
  let last = "it was loaded";
  let exit: number | undefined;
  let isStuck = false;
  let complaint = "";
  const end = () => endTrial(child.pid, mark);
  const watched = watchSilence(child.pid, silenceMs, () => {
    isStuck = true;
    end();
  });
  signal.addEventListener("abort", end, { once: true });
  child.stdin!.on("error", () => {}).end(JSON.stringify(order));
  child.stderr!.setEncoding("utf8").on("data", (chunk: string) => {
    complaint = (complaint + chunk).slice(-LONGEST_COMPLAINT);
  });
  const lines = createInterface({ input: child.stdio[3] as Readable });
  lines.on("line", (line) => {
    watched.heard();
    const parsed = readCheckLine(line);
    if (parsed === undefined) return;
    if ("check" in parsed) checks.push(parsed.check);
    else if ("calls" in parsed) last = `${parsed.calls}(${parsed.arguments})`;
    else if ("done" in parsed) done = parsed.done;
    else exit = parsed.exit;
  });
  try {
    const failed = await new Promise<Error | undefined>((resolve) => {
      child.once("error", resolve);
      child.once("close", () => resolve(undefined));
    });
    signal.throwIfAborted();
    if (done !== undefined && !isStuck) return { checks, ...done };
    if (checks.some(({ check, status }) => check === "load" && status === "problem"))
      return { checks, samples: {} };
    checks.push(unfinished({ failed, isStuck, last, exit, complaint, silenceMs }));
    return { checks, samples: {} };
  } finally {
    watched.stop();
    signal.removeEventListener("abort", end);
    end();
    rmSync(folder, { recursive: true, force: true });
  }
}

function unfinished(how: {
  failed: Error | undefined;
  isStuck: boolean;
  last: string;
  exit: number | undefined;
  complaint: string;
  silenceMs: number;
}): CheckResult {
  const { failed, isStuck, last, exit, complaint, silenceMs } = how;
  if (failed !== undefined)
    return {
      check: "load",
      status: "problem",
      message: `It could not be checked: ${getErrorMessage(failed)}.`,
    };
  if (isStuck)
    return {
      check: "abort",
      status: "problem",
      message: `It blocked its process for ${silenceMs / 1000} s, after ${last}: a loop without a pause.`,
      fix: "Bound the loop, and look at the signal in it; long work goes on in pieces.",
    };
  const lastLine = complaint.trim().split("\n").at(-1) ?? "";
  return {
    check: "leaks",
    status: "problem",
    message:
      `It ended its process${exit === undefined ? "" : ` with exit code ${exit}`}, after ${last}. ${lastLine}`.trim(),
    fix: "Throw an error; a plugin never ends the process of its host.",
  };
}

/** Compilers of TypeScript need to start programs. */
function walls(walled: boolean, folder: string): string[] {
  if (!walled) return [];
  return [
    "--permission",
    "--disable-warning=SecurityWarning",
    "--allow-fs-read=*",
    `--allow-fs-write=${folder}`,
    "--allow-worker",
    "--allow-addons",
  ];
}
