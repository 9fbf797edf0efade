import { nearestNames } from "@haft/core/internal";
import type { LedgerStore, RunRecord } from "@haft/core/kernel";
import { hostError } from "../../errors.ts";

/** Runs that are looked through for the beginning of an id. */
const LOOKED = 1_000;

/**
 * A run by its id, by the beginning of one, or `last`: the newest of a conversation.
 *
 * @throws HaftError `RUN_UNKNOWN`, with those that were perhaps meant
 */
export async function findRun(ledger: LedgerStore, name: string, conversation?: string): Promise<RunRecord> {
  const known = name === "last" ? undefined : await ledger.run(name);
  if (known !== undefined) return known;
  const page = await ledger.runs(
    name === "last" && conversation !== undefined
      ? { sessionKey: conversation, limit: 1 }
      : { limit: LOOKED },
  );
  if (name === "last") {
    const [newest] = page.items;
    if (newest !== undefined) return newest;
    throw unknownRun(
      name,
      "No run is recorded there.",
      "haft ledger list --all shows those of every conversation.",
    );
  }
  const lower = name.toLowerCase();
  const fitting =
    lower.length < 4 ? [] : page.items.filter(({ runId }) => runId.toLowerCase().startsWith(lower));
  if (fitting.length === 1) return fitting[0]!;
  if (fitting.length > 1) {
    const ids = fitting.slice(0, 5).map(({ runId }) => runId);
    throw unknownRun(
      name,
      `${fitting.length} runs begin with it: ${ids.join(", ")}${fitting.length > 5 ? " …" : ""}.`,
    );
  }
  const near = nearestNames(
    name,
    page.items.map(({ runId }) => runId),
    2,
  );
  throw unknownRun(
    name,
    "No run has that id.",
    near.length > 0 ? `Did you mean ${near.join(" or ")}?` : undefined,
  );
}

/** The runs that a word of the command line names: one by its id, or all of a conversation. Oldest first. */
export async function findRuns(
  ledger: LedgerStore,
  name: string,
  conversation: string,
): Promise<RunRecord[]> {
  const ofSession: RunRecord[] = [];
  for (let after: string | undefined; ;) {
    const page = await ledger.runs({ sessionKey: name, ...(after !== undefined && { after }) });
    ofSession.push(...page.items);
    after = page.next;
    if (after === undefined) break;
  }
  return ofSession.length > 0 ? ofSession.toReversed() : [await findRun(ledger, name, conversation)];
}

function unknownRun(name: string, why: string, fix?: string) {
  return hostError(
    "RUN_UNKNOWN",
    `There is no run or conversation ${JSON.stringify(name)}. ${why}`,
    fix === undefined ? {} : { fix },
  );
}
