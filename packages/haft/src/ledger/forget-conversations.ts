import { attempt, readRegularFile } from "@haft/workspace/internal/system";
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

/** Bytes. */
const LARGEST = 256 * 1024 * 1024;

/** Which of them: as what is forgotten of the ledger. */
export type WhichConversations = { runId: string } | { sessionKey: string } | { before: number };

/**
 * Forgets what was said in conversations of `haft chat`, but in those whose run is still there: somebody has it, or a call of it waits.
 *
 * @param folder in which they are, whether or not it is there
 * @param isKept whether there is such a run
 * @returns how many
 */
export async function forgetConversations(
  folder: string,
  which: WhichConversations,
  isKept: (runId: string) => Promise<boolean>,
): Promise<number> {
  let forgotten = 0;
  for (const name of attempt(() => readdirSync(folder)) ?? []) {
    const file = join(folder, name);
    const read = name.endsWith(".jsonl") ? readHeads(file) : undefined;
    if (read === undefined || !isMeant(read, which)) continue;
    const runs = await Promise.all(read.runs.map(isKept));
    if (runs.includes(true)) continue;
    rmSync(file, { force: true });
    forgotten++;
  }
  return forgotten;
}

interface Heads {
  sessionKey: unknown;
  runs: readonly string[];
  /** Milliseconds since 1970 of what was said last. */
  saidAt: number;
}

function isMeant({ sessionKey, runs, saidAt }: Heads, which: WhichConversations): boolean {
  if ("before" in which) return saidAt < which.before;
  return "sessionKey" in which ? sessionKey === which.sessionKey : runs.includes(which.runId);
}

/** What stands in a file beside what was said: its lines are those of `@haft/chat`, which need not be installed. */
function readHeads(file: string): Heads | undefined {
  const [first = "", ...lines] = (
    attempt(() => readRegularFile(file, { largest: LARGEST }).toString("utf8")) ?? ""
  ).split("\n");
  const saidAt = attempt(() => statSync(file))?.mtimeMs;
  if (saidAt === undefined) return undefined;
  const runs = lines.flatMap((line) => (line.startsWith('{"runId"') ? valueOf(line)["runId"] : []));
  return {
    sessionKey: valueOf(first)["sessionKey"],
    runs: runs.filter((id) => typeof id === "string"),
    saidAt,
  };
}

function valueOf(line: string): Readonly<Record<string, unknown>> {
  return Object(attempt(() => JSON.parse(line) as unknown)) as Record<string, unknown>;
}
