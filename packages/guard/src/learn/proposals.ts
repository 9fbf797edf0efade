import type { KeyPath, PolicyConfig, SessionRules } from "@haft/policy";
import type { Addition } from "./add-to-lists.ts";
import { type Evidence, timesSeen } from "./evidence.ts";
import { pathConditions } from "./file-rule.ts";
import { type LogSummary, splitJointKey, type ObservedCall, type ObservedTarget } from "./log-summary.ts";

/**
 * Describes a proposed rule.
 *
 * @example
 * ```ts
 * import type { Proposal } from "@haft/guard/internal/agents";
 * const format = ({ entry, covers }: Proposal) => `${entry} (covers ${covers})`;
 * ```
 */
export interface Proposal {
  entry: string;
  lists: readonly KeyPath[];
  /** Explains its extent beyond the logged calls. Has no full stop. */
  covers: string;
  note?: string;
  /** The logged calls. */
  evidence: readonly Evidence[];
}

const LEAST = 2;
const ENOUGH = 3;

/** Leaves out entries that a person ever denied or that help no call. */
export function proposalsFrom({ seen }: LogSummary, config: PolicyConfig): Proposal[] {
  const all = [...seen.values()];
  const worth = new Map(
    [...seen].filter(([, { target, count }]) => {
      const { evidence } = count;
      // A part of a wider proposal may occur once.
      return evidence.denied === 0 && (timesSeen(evidence) >= LEAST || isPart(target, all));
    }),
  );
  for (;;) {
    // These only help together with others.
    const useless = [...worth].filter(
      ([, { jointKeys }]) =>
        ![...jointKeys].some((each) => splitJointKey(each).every((part) => worth.has(part))),
    );
    if (useless.length === 0) break;
    for (const [key] of useless) worth.delete(key);
  }
  const left = [...worth.values()];
  const refused = all.filter(({ count }) => count.evidence.denied > 0);
  return [...commandProposals(left, refused, config), ...fileProposals(left, refused, config)].toSorted(
    (one, other) => total(other.evidence) - total(one.evidence) || (one.entry < other.entry ? -1 : 1),
  );
}

function isPart(what: ObservedTarget, seen: readonly ObservedCall[]): boolean {
  if (what.kind === "file") return true;
  if (what.wider === undefined) return false;
  const group = seen.filter((other) => other.target.kind === "command" && other.target.wider === what.wider);
  return group.length >= ENOUGH && group.every(({ count }) => count.evidence.denied === 0);
}

function commandProposals(
  all: readonly ObservedCall[],
  refused: readonly ObservedCall[],
  config: PolicyConfig,
): Proposal[] {
  const found: Proposal[] = [];
  const byWider = Map.groupBy(all, ({ target }) => (target.kind === "command" ? target.wider : undefined));
  for (const [wider, group] of byWider) {
    const isRefused = refused.some(({ target }) => target.kind === "command" && target.wider === wider);
    const isWide = wider !== undefined && group.length >= ENOUGH && !isRefused;
    const describeAll = (these: readonly ObservedCall[]) => ({
      lists: listsFor(these, config, commandGates),
      evidence: evidenceOf(these),
    });
    if (isWide) {
      const covers = `${group.length} different commands were seen; it covers ${wider.slice(0, -2)} with any other read-only arguments, in any folder`;
      found.push({ entry: wider, covers, ...describeAll(group) });
      continue;
    }
    for (const each of group) {
      if (each.target.kind !== "command") continue;
      const { exact, note } = each.target;
      const covers = "exactly this command, in any folder";
      found.push({ entry: exact, covers, ...describeAll([each]), ...(note !== undefined && { note }) });
    }
  }
  return found.filter(({ lists }) => lists.length > 0);
}

function fileProposals(
  all: readonly ObservedCall[],
  refused: readonly ObservedCall[],
  config: PolicyConfig,
): Proposal[] {
  const byTool = Map.groupBy(all, ({ target }) => (target.kind === "file" ? target.tool : undefined));
  const found: Proposal[] = [];
  for (const [tool, group] of byTool) {
    if (tool === undefined) continue;
    const byFile = new Map(group.map((each) => [each.target.kind === "file" ? each.target.file : "", each]));
    const never = refused.flatMap(({ target }) =>
      target.kind === "file" && target.tool === tool ? target.file : [],
    );
    for (const { text, covers, wide } of pathConditions([...byFile.keys()], never)) {
      const here = covers.flatMap((file) => byFile.get(file) ?? []);
      const evidence = evidenceOf(here);
      if (evidence.reduce((sum, each) => sum + timesSeen(each), 0) < LEAST) continue;
      const covered = wide
        ? `${covers.length} different files were seen; it covers every file below that folder, in any project`
        : "exactly this file, in any project";
      const lists = listsFor(here, config, toolGates);
      found.push({ entry: `${tool}(${text})`, covers: covered, lists, evidence });
    }
  }
  return found.filter(({ lists }) => lists.length > 0);
}

function listsFor(
  group: readonly ObservedCall[],
  config: PolicyConfig,
  gates: typeof commandGates,
): KeyPath[] {
  const lists = group
    .flatMap(({ callers }) => [...callers.values()])
    .flatMap(({ agent, isSubagent }) => gates(config, agent, isSubagent));
  return [...new Map(lists.map((list) => [JSON.stringify(list), list])).values()];
}

const evidenceOf = (group: readonly ObservedCall[]) => group.map(({ count }) => count.evidence);
const total = (evidence: readonly Evidence[]) => evidence.reduce((sum, each) => sum + timesSeen(each), 0);

export function toAdditions(proposals: readonly Proposal[]): Addition[] {
  const byList = new Map<string, { list: KeyPath; entries: string[] }>();
  for (const { entry, lists } of proposals)
    for (const list of lists) {
      const key = JSON.stringify(list);
      const addition = byList.get(key) ?? { list, entries: [] };
      byList.set(key, addition);
      if (!addition.entries.includes(entry)) addition.entries.push(entry);
    }
  return [...byList.values()];
}

/** Without conditions on models or senders. */
function scopesOf(
  config: PolicyConfig,
  agent: string,
  isSubagent: boolean,
): [KeyPath, SessionRules | undefined][] {
  return [
    [[], config],
    [["sessions", "main"], config.sessions?.main],
    [["agents", agent], config.agents?.[agent]],
    ...(isSubagent ? [[["subagents"], config.subagents] as [KeyPath, SessionRules | undefined]] : []),
  ];
}

/** All must allow a command. */
function commandGates(config: PolicyConfig, agent: string, isSubagent: boolean): KeyPath[] {
  return scopesOf(config, agent, isSubagent).flatMap(([scope, rules]) => {
    const { preset, security, allow } = rules?.exec ?? {};
    const isGate = allow !== undefined || security === "allowlist" || preset === "careful";
    return isGate ? [[...scope, "exec", "allow"]] : [];
  });
}

/** All must name a tool. */
function toolGates(config: PolicyConfig, agent: string, isSubagent: boolean): KeyPath[] {
  return scopesOf(config, agent, isSubagent).flatMap(([scope, rules]) =>
    rules?.allow === undefined ? [] : [[...scope, "allow"]],
  );
}
