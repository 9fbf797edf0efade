import { getErrorMessage } from "@haft/core";
import { agents } from "@haft/guard";
import { readCurrentRules, findRulesFile, suggest } from "@haft/guard/internal/agents";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { readMoment } from "../ledger/read-times.ts";
import { UsageError } from "../usage.ts";
import { writeOut } from "../write-out.ts";
import { describeSuggestion } from "./describe-suggestion.ts";
import { listPolicyFiles } from "./installed-rules.ts";
import { requireLog, logFile, describeMissingLog } from "./log.ts";

export interface SuggestValues {
  since?: string;
  policy?: string;
  file?: string;
  out?: string;
  json?: boolean;
}

export async function showSuggestions(values: SuggestValues): Promise<number> {
  const { json = false, out } = values;
  const since = values.since === undefined ? 0 : readMoment("--since", values.since, Date.now());
  const log = values.file === undefined ? await logFile() : requireLog(values.file);
  const rulesFile = await findRules(values.policy);
  if (rulesFile === undefined)
    throw new UsageError(
      "The operator has no rules to extend. haft guard suggest --policy FILE proposes a first file, which need not exist yet.",
    );
  const found = await suggest(log, rulesFile, since);
  for (const problem of found.problems) console.error(`haft: ${problem}`);
  const isNew = rulesFile.text === undefined;
  const { change, calls } = found;
  if (json) {
    const { leftOut, ...rest } = found;
    const without = leftOut.map(({ example, why, count }) => ({ example, why, evidence: count.evidence }));
    const [first, last] = calls === 0 ? [undefined, undefined] : [found.first, found.last];
    console.log(JSON.stringify({ log, file: rulesFile.file, isNew, ...rest, first, last, leftOut: without }));
  } else if (!existsSync(log)) {
    console.error(`haft: ${describeMissingLog(log)}`);
  } else if (calls === 0) {
    const when = since === 0 ? "" : ` since ${new Date(since).toISOString()}`;
    console.error(`haft: ${log} has no calls of agents${when}, so there are no proposals.`);
  } else {
    const written = change === undefined ? undefined : out;
    console.log(describeSuggestion(found, { log, file: rulesFile.file, isNew, out: written }));
  }
  if (out === undefined) return 0;
  if (change === undefined) console.error(`haft: there is no change to write, so ${out} was not written.`);
  else writeOut(out, change.diff);
  return 0;
}

/** Default: installed hooks' file, else the configuration's. */
async function findRules(named: string | undefined) {
  if (named !== undefined) return checkedRules(resolve(named));
  const installed = listPolicyFiles();
  const [only, more] = installed;
  if (more !== undefined)
    throw new UsageError(
      `Hooks are installed with several files (${installed.join(", ")}); name one with --policy FILE.`,
    );
  return checkedRules(only);
}

async function checkedRules(file: string | undefined) {
  try {
    const rulesFile = await findRulesFile(file);
    if (rulesFile === undefined || rulesFile.text === undefined) return rulesFile;
    const policyFile = rulesFile.prefix.length === 0 ? rulesFile.file : undefined;
    for (const agent of agents.keys()) {
      const { problem } = await readCurrentRules(agent, policyFile, process.cwd());
      if (problem !== undefined) throw new Error(problem);
    }
    return rulesFile;
  } catch (thrown) {
    throw new UsageError(`The rules cannot be used: ${getErrorMessage(thrown).replace(/(?<![.?])$/, ".")}`);
  }
}
