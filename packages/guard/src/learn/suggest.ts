import { type AuditEntry, readAuditLog } from "@haft/config";
import { getErrorMessage } from "@haft/core";
import type { PolicyConfig } from "@haft/policy";
import { addToLists, withEntries } from "./add-to-lists.ts";
import { applicableDiff } from "./applicable-diff.ts";
import { LogJudge } from "./log-judge.ts";
import { LogReplay, type ReplaySummary } from "./log-replay.ts";
import { LogSummary, type SkippedCall } from "./log-summary.ts";
import { toAdditions, type Proposal, proposalsFrom } from "./proposals.ts";
import { findDiffLocation, type RulesFile } from "./rules-file.ts";

/**
 * Contains the result of {@link suggest}.
 *
 * @example
 * ```ts
 * import type { Suggestion } from "@haft/guard/internal/agents";
 * const format = ({ calls, asked, settled }: Suggestion) => `${asked} of ${calls} calls asked, ${settled} would not now.`;
 * ```
 */
export interface Suggestion {
  calls: number;
  asked: number;
  /** Asked calls that the current rules allow. */
  settled: number;
  /** Ignored: the log has too many different calls. */
  beyond: number;
  /** Milliseconds since the epoch. */
  first: number;
  /** Milliseconds since the epoch. */
  last: number;
  problems: readonly string[];
  proposals: readonly Proposal[];
  leftOut: readonly SkippedCall[];
  /** Absent without a proposal. */
  change?: {
    folder: string;
    diff: string;
    replayed: ReplaySummary;
  };
  /** Explains a manual change. */
  byHand?: string;
}

const MAX_PROBLEMS = 20;

/** Asks about unlisted commands. */
const FROM_NOTHING: PolicyConfig = { exec: { preset: "careful" } };

/**
 * Learns entries for an operator's rules from an audit log, and shows their decisions about the same log. It changes nothing.
 *
 * @param rulesFile The result of {@link findRulesFile}.
 * @param since Milliseconds since the epoch.
 *
 * @example
 * ```ts
 * import { findRulesFile, suggest } from "@haft/guard/internal/agents";
 * const file = await findRulesFile("/etc/agent/policy.yaml");
 * if (file !== undefined) {
 *   const { proposals } = await suggest("/var/log/agent/audit.jsonl", file, 0);
 *   for (const { entry, covers } of proposals) console.log(entry, covers);
 * }
 * ```
 */
export async function suggest(log: string, rulesFile: RulesFile, since: number): Promise<Suggestion> {
  const isNew = rulesFile.text === undefined;
  const until = Date.now();
  const by = { policyFile: rulesFile.prefix.length === 0 ? rulesFile.file : undefined, isNew };
  const judge = new LogJudge(isNew ? { ...by, config: FROM_NOTHING } : by);
  const learned = new LogSummary(judge, isNew);
  const problems: string[] = [];
  let [first, last] = [Number.POSITIVE_INFINITY, 0];
  const isMeant = ({ at, guard }: AuditEntry) => guard !== undefined && at >= since && at <= until;
  let more = 0;
  for await (const item of readAuditLog(log)) {
    if ("problem" in item) {
      if (problems.length < MAX_PROBLEMS) problems.push(item.problem);
      else more++;
    } else if (isMeant(item.entry)) {
      [first, last] = [Math.min(first, item.entry.at), Math.max(last, item.entry.at)];
      await learned.add(item.entry);
    }
  }
  if (more > 0) problems.push(`${more} more problems.`);
  const config = isNew ? FROM_NOTHING : rulesFile.config;
  const all = proposalsFrom(learned, config);
  const { calls, asked, settled, overflow } = learned;
  const leftOut = [...learned.skipped.values()].toSorted((one, other) => timesOf(other) - timesOf(one));
  const found = { calls, asked, settled, beyond: overflow, first, last, problems, leftOut };
  const elsewhere = all
    .flatMap(({ lists }) => lists)
    .find((list) => rulesFile.findOtherFile(list) !== undefined);
  const byHand =
    elsewhere === undefined
      ? undefined
      : `${elsewhere.join(".")} is in ${rulesFile.findOtherFile(elsewhere)}: add the entries there.`;
  if (all.length === 0 || byHand !== undefined)
    return { ...found, proposals: all, ...(byHand !== undefined && { byHand }) };
  const additions = toAdditions(all);
  const changed = additions.reduce<unknown>(
    (value, each) => withEntries(value, each),
    config,
  ) as PolicyConfig;
  const written =
    rulesFile.text === undefined
      ? { text: newText(additions.flatMap(({ entries }) => entries)) }
      : await addToLists(
          rulesFile.text,
          additions.map(({ list, entries }) => ({ list: [...rulesFile.prefix, ...list], entries })),
        );
  if ("why" in written)
    return {
      ...found,
      proposals: all,
      byHand: `There is no diff for ${rulesFile.file}, because ${written.why}.`,
    };
  const replay = new LogReplay(new LogJudge(by), new LogJudge({ ...by, config: changed }));
  try {
    for await (const item of readAuditLog(log))
      if ("entry" in item && isMeant(item.entry)) await replay.add(item.entry);
  } catch (thrown) {
    return {
      ...found,
      proposals: all,
      byHand: `The changed rules would be invalid: ${getErrorMessage(thrown)}`,
    };
  }
  const { folder, name } = findDiffLocation(rulesFile.file);
  const diff = applicableDiff(name, rulesFile.text, written.text);
  return { ...found, proposals: all, change: { folder, diff, replayed: replay.summary } };
}

function timesOf({ count: { evidence } }: SkippedCall): number {
  return evidence.asked + evidence.allowed + evidence.denied + evidence.watched + evidence.free;
}

function newText(entries: readonly string[]): string {
  return [
    "# Commands of agents that ran without a rule so far; all others need approval.",
    "exec:",
    "  preset: careful",
    "  allow:",
    ...entries.map((entry) => `    - ${JSON.stringify(entry)}`),
    "",
  ].join("\n");
}
