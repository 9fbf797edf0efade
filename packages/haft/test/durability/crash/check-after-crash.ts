import type { CallRecord } from "@haft/core/kernel";
import { openSqliteStore } from "@haft/store";
import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { CrashWorkspace } from "./crash-workspace.ts";

/** What was found, as it is counted. */
interface Found {
  walsRemoved: number;
  lossesNoticed: number;
}

/**
 * Looks at what a dead host has left as `haft ledger check` does, in a copy: to open the file itself would do the work of the
 * next host. Whole, nothing is wrong with it; without its write-ahead file it says so, where that had anything that was answered.
 *
 * @throws Error that says what does not hold
 */
export async function checkAfterCrash(
  workspace: CrashWorkspace,
  isAnswered: (toolCallId: string) => boolean,
  found: Found,
): Promise<void> {
  const from = join(workspace.state, "haft.db");
  if (!existsSync(from)) return;
  const whole = await inspect(workspace, from, ["", "-wal", "-mark"]);
  if (whole.problems.length > 0) throw new Error(`after a crash: ${whole.problems.join("; ")}`);
  if (!existsSync(`${from}-wal`)) return;
  found.walsRemoved++;
  const cut = await inspect(workspace, from, ["", "-mark"]);
  const isSame = (call: CallRecord) =>
    cut.calls.some(({ toolCallId, outcome }) => toolCallId === call.toolCallId && outcome === call.outcome);
  const lost = whole.calls.filter((call) => isAnswered(call.toolCallId) && !isSame(call));
  if (lost.length > 0 && cut.problems.length === 0)
    throw new Error(
      `nobody notices that ${lost.map(({ toolCallId }) => toolCallId).join(", ")} is not there`,
    );
  if (lost.length > 0) found.lossesNoticed++;
}

async function inspect({ base }: CrashWorkspace, from: string, parts: readonly string[]) {
  const folder = join(base, "copy");
  mkdirSync(folder, { mode: 0o700 });
  const path = join(folder, "haft.db");
  for (const part of parts)
    if (existsSync(`${from}${part}`)) copyFileSync(`${from}${part}`, `${path}${part}`);
  const store = openSqliteStore({ path });
  try {
    const problems = (await store.check()).map(({ message }) => message);
    const readable = await store.ledger.calls({ limit: 1000 }).catch(() => ({ items: [] }));
    return { problems, calls: readable.items };
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
}
