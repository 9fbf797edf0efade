import type { AuditEntry } from "@haft/config";
import { isGuardedCall } from "@haft/config/internal/audit";
import { findDecisiveStep } from "@haft/core/internal";
import { getEffect, type JudgedCall } from "../decide/judge.ts";
import { describeViolation } from "../decide/protected-paths.ts";
import { commandRule } from "./command-rule.ts";
import { EvidenceCount } from "./evidence.ts";
import { fileRule } from "./file-rule.ts";
import type { LogJudge } from "./log-judge.ts";
import { parseLoggedCall, type LoggedCall, toDecisionKey } from "./logged-call.ts";

export class ObservedCall {
  readonly count = new EvidenceCount();
  readonly callers = new Map<string, { agent: string; isSubagent: boolean }>();
  /** These parts must be allowed together. */
  readonly jointKeys = new Set<string>();
  readonly target: Readonly<ObservedTarget>;

  constructor(what: ObservedTarget) {
    this.target = what;
  }
}

export type ObservedTarget =
  | { kind: "command"; exact: string; wider?: string; note?: string }
  | { kind: "file"; tool: string; file: string };

/** Describes calls for which no rule is proposed. */
export interface SkippedCall {
  example: string;
  why: string;
  count: EvidenceCount;
}

/** Limits distinct entries; others are only counted. */
const MAX = 5000;
const MAX_LEFT_OUT = 500;
const MAX_TOGETHER = 50;
export const MAX_CACHED_OUTCOMES = 20_000;
const AND = "\n";

type Outcome = { wanted: ObservedTarget[] } | { example: string; why: string } | { settled: true };

/** Collects entries for calls that the current rules ask about. */
export class LogSummary {
  readonly seen = new Map<string, ObservedCall>();
  readonly skipped = new Map<string, SkippedCall>();
  calls = 0;
  asked = 0;
  settled = 0;
  overflow = 0;
  readonly #judge: LogJudge;
  readonly #fromNothing: boolean;
  readonly #known = new Map<string, Outcome>();

  /** @param fromNothing Counts all calls that ran. */
  constructor(judge: LogJudge, fromNothing: boolean) {
    this.#judge = judge;
    this.#fromNothing = fromNothing;
  }

  async add(entry: AuditEntry): Promise<void> {
    if (!isGuardedCall(entry)) return;
    const { guard, decision } = entry;
    this.calls++;
    const effect = decision?.effect ?? "allow";
    if (effect === "ask") this.asked++;
    const counts = this.#fromNothing || effect === "ask" || (effect === "deny" && guard.watched === true);
    if (!counts) return;
    const key = toDecisionKey(entry);
    let outcome = this.#known.get(key);
    if (outcome === undefined) {
      if (this.#known.size >= MAX_CACHED_OUTCOMES) this.#known.clear();
      this.#known.set(key, (outcome = await this.#outcomeOf(entry)));
    }
    if ("wanted" in outcome) this.#keep(entry, outcome.wanted);
    else if ("why" in outcome) this.#leave(entry, outcome.example, outcome.why);
    else if (!this.#fromNothing) this.settled++;
  }

  async #outcomeOf(entry: AuditEntry): Promise<Outcome> {
    const call = parseLoggedCall(entry);
    if ("why" in call) return { example: entry.toolName, why: call.why };
    const judgement = await this.#judge.judge(call);
    if (judgement === undefined)
      return { example: entry.toolName, why: "the rules of its folder cannot be used" };
    const held = judgement.judged.filter((judged) => getEffect(judged) !== "allow");
    if (held.length === 0) return { settled: true };
    const wanted: ObservedTarget[] = [];
    for (const judged of held) {
      const found = await this.#wantedBy(judged, call);
      if ("why" in found) return found;
      wanted.push(...found.wanted);
    }
    return { wanted };
  }

  async #wantedBy(judged: JudgedCall, call: LoggedCall): Promise<Exclude<Outcome, { settled: true }>> {
    const { subjects, decision, violation, tool } = judged;
    const effect = getEffect(judged);
    const example = exampleOf(judged);
    if (violation !== undefined)
      return { example, why: `it ${describeViolation(violation)}, which is denied under any policy` };
    const step = findDecisiveStep(decision?.trace ?? []);
    const source = step?.source ?? "a rule";
    if (effect === "ask") {
      const { command } = subjects ?? {};
      if (decision?.everyTime !== undefined)
        return { example, why: `${decision.everyTime} asks about each call` };
      if (command === undefined) return { example, why: "the programs that it runs are unknown" };
      if (command.unclear !== undefined)
        return { example, why: `the programs that it runs are unclear: ${command.unclear}` };
      if (step?.layer !== "exec")
        return { example, why: `${source} asks about it, and ask rules have no exceptions` };
      const session = await this.#judge.openSession(call);
      const wanted: ObservedTarget[] = [];
      for (const each of command.commands) {
        const alone = { text: command.text, cwd: command.cwd, commands: [each] };
        const args = { command: command.text, cwd: command.cwd };
        if (session?.call(tool, args, { command: alone }).effect === "allow") continue;
        const rule = commandRule(each, command, call.root);
        if ("why" in rule) return { example, why: rule.why };
        wanted.push({ kind: "command", ...rule });
      }
      return wanted.length > 0
        ? { wanted }
        : { example, why: decision?.reason ?? "another rule asks about it" };
    }
    if (step?.layer !== "allow")
      return { example, why: `${source} denies it, and proposals do not change denials` };
    const isFiles = judged.call.kind === "files" && tool.builtIn;
    if (!isFiles) return { example, why: "its effects are not declared, so no list can allow it" };
    const rule = fileRule(subjects ?? {});
    if ("why" in rule) return { example, why: rule.why };
    return { wanted: rule.files.map((file) => ({ kind: "file", tool: tool.name, file })) };
  }

  #keep(entry: AuditEntry, wanted: readonly ObservedTarget[]): void {
    const keys = [...new Set(wanted.map(keyOf))].toSorted();
    for (const what of wanted) {
      const key = keyOf(what);
      let seen = this.seen.get(key);
      if (seen === undefined) {
        if (this.seen.size >= MAX) {
          this.overflow++;
          continue;
        }
        this.seen.set(key, (seen = new ObservedCall(what)));
      }
      seen.count.add(entry);
      const { agent } = entry.guard!;
      const isSubagent = entry.session.parent !== undefined;
      seen.callers.set(`${agent} ${isSubagent}`, { agent, isSubagent });
      if (seen.jointKeys.size < MAX_TOGETHER) seen.jointKeys.add(keys.join(AND));
    }
  }

  #leave(entry: AuditEntry, example: string, why: string): void {
    const key = `${example.split(" ", 2).join(" ")}\n${why}`;
    let left = this.skipped.get(key);
    if (left === undefined) {
      if (this.skipped.size >= MAX_LEFT_OUT) return void this.overflow++;
      this.skipped.set(key, (left = { example, why, count: new EvidenceCount() }));
    }
    left.count.add(entry);
  }
}

export function splitJointKey(together: string): string[] {
  return together.split(AND);
}

function keyOf(what: ObservedTarget): string {
  return what.kind === "command" ? `exec ${what.exact}` : `${what.tool} ${JSON.stringify(what.file)}`;
}

const LONGEST_EXAMPLE = 120;

function exampleOf({ call, tool }: JudgedCall): string {
  const text =
    call.kind === "command"
      ? call.text
      : call.kind === "files"
        ? `${call.tool} ${call.paths.join(", ")}`
        : call.kind === "mcp"
          ? `mcp(${call.server}/${call.tool})`
          : tool.name;
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > LONGEST_EXAMPLE ? `${line.slice(0, LONGEST_EXAMPLE - 1).toWellFormed()}…` : line;
}
