import { HaftError, getErrorMessage, type ToolEffect, type ToolResult } from "@haft/core";
import type { ToolDefinition } from "@haft/core/kernel";
import { truncate } from "@haft/utils";
import { createArgumentsArbitrary, matchesSchema, type FastCheck } from "../fuzz/arguments.ts";
import { type CheckSite, REPLIES, type SiteCall } from "./check-site.ts";
import { type CheckResult, createOkResult } from "./report.ts";

export interface CheckedCall {
  calls: number;
  /** A few arguments of successful calls, the shortest first. */
  good: unknown[];
  timedOut: unknown[];
  results: CheckResult[];
  /** Attempts without ports, with their arguments. */
  bypasses: Map<string, { what: string; args: unknown }>;
  observedEffects: Map<ToolEffect, { what: string; args: unknown }>;
  largest: { characters: number; args: unknown };
  largestDetails: { characters: number; args: unknown };
}

export interface CallOptions {
  seed: number;
  runs: number;
  callMs: number;
  onCall: (tool: string, args: unknown) => void;
}

const KEPT = 3;
/** Milliseconds of a loop without a pause. */
const BLOCKING_MS = 1_000;
/** Further calls would take as long. */
const ENDING: ReadonlySet<string> = new Set(["late", "blocked"]);
/** Limits the search for smaller arguments of one failure. */
const MAX_TRIES = 150;
const MAX_SHOWN_LENGTH = 300;

/** Calls a tool with arguments from its schema. Reports each kind of failure once, with the smallest arguments. */
export async function callRepeatedly(
  fc: FastCheck,
  site: CheckSite,
  { name, parameters }: ToolDefinition,
  { seed, runs, callMs, onCall }: CallOptions,
): Promise<CheckedCall> {
  const facts: CheckedCall = {
    calls: 0,
    good: [],
    timedOut: [],
    results: [],
    bypasses: new Map(),
    observedEffects: new Map(),
    largest: { characters: 0, args: {} },
    largestDetails: { characters: 0, args: {} },
  };
  const failures = new Set<string>();
  const replies = fc.array(fc.constantFrom(...REPLIES), { minLength: 1, maxLength: 3 });
  let made = 0;
  let lastRefusal = "";
  let tries = 0;
  let failure: Failure | undefined;
  const property = fc.asyncProperty(
    createArgumentsArbitrary(fc, parameters),
    replies,
    async (args, answers) => {
      fc.pre(matchesSchema(parameters, args));
      made++;
      // A call that hangs would hang each time.
      if (ENDING.has(failure?.kind ?? "") || (failure !== undefined && tries++ > MAX_TRIES)) return;
      onCall(name, args);
      const call = await site.call(name, args, { answers });
      if (failure === undefined) note(facts, args, call);
      if (call.run === undefined) lastRefusal = firstLine(call.outcome.content);
      const found = failureIn(call, callMs);
      if (found === undefined || failures.has(found.kind) || (failure ?? found).kind !== found.kind) return;
      failure = found;
      throw new Error(found.message);
    },
  );
  for (let run = 0; run < runs;) {
    failure = undefined;
    tries = 0;
    const tried = await fc.check(property, {
      seed: seed + run,
      numRuns: runs - run,
      // A test may have set this for its process.
      endOnFailure: false,
    });
    run += tried.numRuns;
    if (tried.counterexample === null || failure === undefined) break;
    const { kind } = failure as Failure;
    failures.add(kind);
    facts.results.push(told(name, tried.counterexample[0], failure));
    if (ENDING.has(kind)) break;
  }
  if (made === 0)
    facts.results.push({
      check: "arguments",
      status: "warning",
      where: name,
      message: "no arguments that fit its schema could be made, so it was not called.",
      fix: "Give the schema examples of what it takes: an enum, or a simpler pattern.",
    });
  if (made > 0 && facts.calls === 0 && facts.results.length === 0)
    facts.results.push({
      check: "arguments",
      status: "problem",
      where: name,
      message: `none of ${made} calls with arguments of its schema reached execute${lastRefusal === "" ? "." : `: ${lastRefusal}`}`,
      fix: "Correct the schema, its defaults and the plan, so that they accept the same arguments.",
    });
  if (facts.results.length === 0)
    facts.results = createOkResult(
      "arguments",
      `${facts.calls} calls with arguments made from its schema, none of which broke it.`,
      name,
    );
  return facts;
}

function note(facts: CheckedCall, args: unknown, { outcome, run, isTimedOut }: SiteCall): void {
  if (run === undefined) return;
  facts.calls++;
  for (const [effect, what] of run.observedEffects)
    if (!facts.observedEffects.has(effect)) facts.observedEffects.set(effect, { what, args });
  for (const what of run.bypasses)
    if (!facts.bypasses.has(nameOf(what))) facts.bypasses.set(nameOf(what), { what, args });
  if (isTimedOut) facts.timedOut.push(args);
  if (outcome.kind !== "ok") return;
  facts.good = [...facts.good, args]
    .toSorted((a, b) => formatArguments(a).length - formatArguments(b).length)
    .slice(0, KEPT);
  const { content, details } = run.result as ToolResult;
  const characters = content.reduce((sum, block) => sum + (block.type === "text" ? block.text.length : 0), 0);
  if (characters > facts.largest.characters) facts.largest = { characters, args };
  const size = JSON.stringify(details)?.length ?? 0;
  if (size > facts.largestDetails.characters) facts.largestDetails = { characters: size, args };
}

interface Failure {
  /** Each kind is reported once. */
  kind: string;
  status: "warning" | "problem";
  message: string;
  fix: string;
}

function failureIn({ outcome, run, isTimedOut, blockedMs }: SiteCall, callMs: number): Failure | undefined {
  if (blockedMs > BLOCKING_MS)
    return {
      kind: "blocked",
      status: "problem",
      message: `blocked its process for ${(blockedMs / 1000).toFixed(1)} s, so no other call and no abort could run.`,
      fix: "Divide long work into parts, and pause between them: await setImmediate() of node:timers/promises.",
    };
  if (isTimedOut)
    return {
      kind: "late",
      status: "warning",
      message: `had not ended after ${callMs / 1000} s.`,
      fix: "Limit what one call does, and give the signal to what it waits for.",
    };
  if (outcome.kind === "error" && outcome.code === "RESULT_INVALID")
    return {
      kind: "result",
      status: "problem",
      message: `answered what is no result: ${firstLine(outcome.content)}`,
      fix: "Return { content: [text(…)], details: { … } }; details are JSON.",
    };
  if (outcome.kind === "error" && outcome.code === "TOOL_INVALID")
    return {
      kind: "invalid",
      status: "problem",
      message: `cannot be called: ${firstLine(outcome.content)}`,
      fix: "Correct the schema. Its output must be JSON; create other values, such as a Date, in execute.",
    };
  if (run !== undefined && "invalidUpdate" in run)
    return {
      kind: "update",
      status: "problem",
      message: `gave onUpdate an invalid result: ${formatArguments(run.invalidUpdate)}`,
      fix: "Call onUpdate({ content: [text(…)], details: { … } }).",
    };
  if (run?.hasThrown !== true) return undefined;
  if (HaftError.is(run.thrown)) return undeclared(run.thrown);
  // Another check reports these.
  if (run.bypasses.length > 0) return undefined;
  return thrownFailure(run.thrown);
}

/** The kernel refuses undeclared effects. */
function undeclared({ code, message, fix }: HaftError): Failure | undefined {
  if (code !== "NETWORK_UNDECLARED") return undefined;
  return {
    kind: code,
    status: "problem",
    message: `did what it does not declare: ${message}`,
    fix: fix ?? "Declare it.",
  };
}

/** Errors of the language are defects. Other errors may be intended. */
const DEFECTS = new Set([
  "TypeError",
  "RangeError",
  "ReferenceError",
  "SyntaxError",
  "URIError",
  "EvalError",
]);

function thrownFailure(thrown: unknown): Failure {
  const { name = "", syscall } = (thrown ?? {}) as Partial<NodeJS.ErrnoException>;
  const message = getErrorMessage(thrown).slice(0, MAX_SHOWN_LENGTH);
  if (syscall !== undefined)
    return {
      kind: `system ${syscall}`,
      status: "problem",
      message: `went around its workspace, to the files of the host: ${message}`,
      fix: "Read and write through context.workspace.fs, which is the sandbox's in a sandboxed session.",
    };
  if (!(thrown instanceof Error))
    return {
      kind: "no error",
      status: "problem",
      message: `threw ${typeof thrown}, which is no error: ${message}`,
      fix: 'Throw new HaftError("CODE", "What happened.", { category: "input", fix: "What to do." }).',
    };
  if (DEFECTS.has(name))
    return {
      kind: `${name} ${placeOf(thrown)}`,
      status: "problem",
      message: `broke: ${name}: ${message}${placeOf(thrown)}`,
      fix: "Handle this case, or say no to it in the schema; a HaftError tells the model what to do.",
    };
  return {
    kind: `error ${placeOf(thrown)}`,
    status: "warning",
    message: `threw an error without a code or advice: ${message}`,
    fix: 'Throw new HaftError("CODE", "What happened.", { category: "input", fix: "What to do." }).',
  };
}

/** Omits the arguments. */
function nameOf(what: string): string {
  return what.replace(/\(.*$/s, "");
}

/** Returns the first frame that is a file. */
function placeOf(thrown: Error): string {
  const [, file, line] = /\((?:file:\/\/)?([^()]+?):(\d+):\d+\)|$/.exec(String(thrown.stack)) ?? [];
  const name = file?.split(/[\\/]/).at(-1);
  return name === undefined ? "" : ` (${name}:${line})`;
}

function told(name: string, args: unknown, { status, message, fix }: Failure): CheckResult {
  return { check: "arguments", status, where: `${name}(${formatArguments(args)})`, message, fix };
}

export function formatArguments(args: unknown): string {
  return truncate(JSON.stringify(args) ?? "undefined", MAX_SHOWN_LENGTH);
}

function firstLine(content: SiteCall["outcome"]["content"]): string {
  const [block] = content;
  return (block?.type === "text" ? block.text : "").split("\n")[0]!.slice(0, MAX_SHOWN_LENGTH);
}
