import { shellWord } from "@haft/config/internal/files";
import type { LedgerStore, RunRecord } from "@haft/core/kernel";
import { escapeInvisible, nearestNames } from "@haft/utils";
import { historyError } from "../errors.ts";

/** Fewer characters of an id would fit by chance. */
const FEWEST = 4;
/**
 * What names a run where a file could stand as well: `last`, an id, or the beginning of one. All ids begin with this digit
 * until the year 2059.
 */
export const RUN_NAME_PATTERN = /^(?:last|0[0-9a-z]{3,17})$/i;
/** Runs on a page, when all of them are looked through. */
const PAGE = 1_000;
/** Runs that are named where several fit. */
const NAMED = 5;

/** The agent of runs in which an operator put files back. No session of the conversation goes on in one. */
export const UNDO_AGENT = "haft undo";

export function isUndo({ facts }: Pick<RunRecord, "facts">): boolean {
  return facts.agentId === UNDO_AGENT;
}

type KnownRun = Pick<RunRecord, "runId" | "sessionKey">;

/**
 * A run by its id, by the beginning of one where no other run has it, or `last`: the newest of a conversation.
 *
 * @throws HaftError `RUN_NOT_FOUND`, with those that were perhaps meant; `RUN_NOT_FOUND`
 */
export async function findRun(ledger: LedgerStore, name: string, conversation: string): Promise<RunRecord> {
  if (name === "last") {
    for await (const run of allRuns(ledger, conversation)) if (!isUndo(run)) return run;
    throw unknownRun(
      name,
      `No run of the conversation ${escapeInvisible(conversation)} is recorded.`,
      "`haft ledger list --all` shows those of every conversation; --session names another one.",
    );
  }
  const known = await ledger.run(name);
  if (known !== undefined) return known;
  const fitting: RunRecord[] = [];
  const ids: string[] = [];
  for await (const run of allRuns(ledger)) {
    if (hasIdPrefix(run, name)) fitting.push(run);
    if (ids.length < PAGE) ids.push(run.runId);
  }
  return findUniqueRun(name, fitting) ?? (await unknown(ledger, name, ids));
}

/**
 * The one of these whose id begins so.
 *
 * @param fitting all whose ids do, the newest first
 * @throws HaftError `RUN_NOT_FOUND`, with those there are
 */
export function findUniqueRun<R extends KnownRun>(name: string, fitting: readonly R[]): R | undefined {
  if (fitting.length <= 1) return fitting[0];
  const named = fitting
    .slice(0, NAMED)
    .map(({ runId, sessionKey }) => `${runId} (${escapeInvisible(sessionKey)})`);
  const more = fitting.length > NAMED ? ` and ${fitting.length - NAMED} more` : "";
  throw historyError(
    "RUN_NOT_FOUND",
    `The ids of ${fitting.length} runs begin with ${JSON.stringify(name)}: ${named.join(", ")}${more}.`,
    { details: { runIds: fitting.slice(0, NAMED).map(({ runId }) => runId) } },
  );
}

export function hasIdPrefix({ runId }: Pick<RunRecord, "runId">, name: string): boolean {
  return name.length >= FEWEST && runId.startsWith(name.toLowerCase());
}

/**
 * The runs that a word of the command line names: one by its id, or all of a conversation. Oldest first. `last` is never a
 * conversation: whoever names theirs so is not to be taken for ours.
 */
export async function findRuns(
  ledger: LedgerStore,
  name: string,
  conversation: string,
): Promise<RunRecord[]> {
  const ofSession: RunRecord[] = [];
  if (name !== "last") for await (const run of allRuns(ledger, name)) ofSession.push(run);
  return ofSession.length > 0 ? ofSession.toReversed() : [await findRun(ledger, name, conversation)];
}

async function* allRuns(ledger: LedgerStore, sessionKey?: string): AsyncGenerator<RunRecord> {
  const which = sessionKey === undefined ? { limit: PAGE } : { sessionKey };
  for (let after: string | undefined; ;) {
    const page = await ledger.runs({ ...which, ...(after !== undefined && { after }) });
    yield* page.items;
    after = page.next;
    if (after === undefined) return;
  }
}

async function unknown(ledger: LedgerStore, name: string, ids: readonly string[]): Promise<never> {
  const { items } = await ledger.runs({ sessionKey: name, limit: 1 });
  if (items.length > 0)
    throw historyError(
      "RUN_NOT_FOUND",
      `${JSON.stringify(name)} is the key of a conversation, and one run is asked for.`,
      { fix: `The newest of a conversation is last: \`haft ledger show last --session ${shellWord(name)}\`` },
    );
  if (name.length < FEWEST)
    throw unknownRun(name, `The beginning of an id has ${FEWEST} characters or more.`);
  const near = nearestNames(name, ids, 2);
  const meant = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : undefined;
  throw unknownRun(name, "No run has that id, and none begins with it.", meant);
}

function unknownRun(name: string, why: string, fix?: string) {
  return historyError(
    "RUN_NOT_FOUND",
    `There is no run or conversation ${JSON.stringify(name)}. ${why}`,
    fix === undefined ? {} : { fix },
  );
}
