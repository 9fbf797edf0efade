import type { LedgerStore, RunOpening, RunRecord } from "../../../contract/ledger-port.ts";
import type { WorkspaceDescription } from "../../../contract/ports.ts";
import { runElsewhere } from "../ledger-errors.ts";

/** Where a session works, as far as it can be told from another place. */
export type ResumedPlace = Pick<WorkspaceDescription, "name">;

/**
 * Answers of a run are true where they were given: a redelivered `write` was made there and not here, and what a session of
 * another kind has read is not for this one.
 *
 * @throws HaftError `RUN_ELSEWHERE`
 */
export async function requireSamePlace(
  store: LedgerStore,
  opening: RunOpening,
  { name }: ResumedPlace,
): Promise<void> {
  const before = await runOf(store, opening);
  if (before === undefined) return;
  const { facts, workspace } = opening;
  const was = before.facts.kind;
  if (was !== facts.kind)
    throw runElsewhere(before, `was of a ${was} session, and this is a ${facts.kind} one`);
  // Sandboxes spell their folders all alike, and what has a name is the same wherever it lies.
  const isHost = before.workspace.place === "host" && workspace.place === "host" && name === undefined;
  if (isHost && before.workspace.cwd !== workspace.cwd)
    throw runElsewhere(
      before,
      `worked in ${before.workspace.cwd}, and this session works in ${workspace.cwd}`,
    );
}

/** The one that a store continues; whether it may be is for the store to say. */
async function runOf(
  store: LedgerStore,
  { resume, sessionKey, facts }: RunOpening,
): Promise<RunRecord | undefined> {
  const isItsOwn = (run: RunRecord) => run.sessionKey === sessionKey && run.facts.agentId === facts.agentId;
  if (typeof resume === "string") {
    const named = await store.run(resume);
    return named !== undefined && isItsOwn(named) ? named : undefined;
  }
  let after: string | undefined;
  do {
    const page = await store.runs({ sessionKey, ...(after !== undefined && { after }) });
    const latest = page.items.find(isItsOwn);
    if (latest !== undefined) return latest;
    after = page.next;
  } while (after !== undefined);
  return undefined;
}
