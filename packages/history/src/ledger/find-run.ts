import type { LedgerStore, RunRecord } from "@haft/core/kernel";
import { shellWord, escapeInvisible, nearestNames } from "@haft/utils";
import { historyError } from "../errors.ts";

/** Shorter prefixes match by chance. */
const FEWEST = 4;
const PAGE = 1_000;
const NAMED = 5;

/** Marks runs that restored files; sessions never continue them. */
export const UNDO_AGENT = "haft undo";

/**
 * Returns whether a run records an undo ({@link recordUndo}).
 *
 * @example
 * ```ts
 * import type { RunRecord } from "@haft/core/kernel";
 * import { isUndo } from "@haft/history/ledger";
 * declare const runs: readonly RunRecord[];
 * const sessions = runs.filter((run) => !isUndo(run));
 * ```
 */
export function isUndo({ facts }: Pick<RunRecord, "facts">): boolean {
  return facts.agentId === UNDO_AGENT;
}

type KnownRun = Pick<RunRecord, "runId" | "sessionKey">;

/**
 * Finds a run by id, unique prefix, or `last`: a conversation's newest run.
 *
 * @param conversation The conversation's key, for `last`.
 * @throws HaftError `RUN_NOT_FOUND`, with similar runs
 *
 * @example
 * ```ts
 * import type { LedgerStore } from "@haft/core/kernel";
 * import { findRun } from "@haft/history/ledger";
 * declare const ledger: LedgerStore;
 * const { runId, openedAt } = await findRun(ledger, "last", "telegram:42");
 * ```
 */
export async function findRun(ledger: LedgerStore, name: string, conversation: string): Promise<RunRecord> {
  if (name === "last") {
    for await (const run of allRuns(ledger, conversation)) if (!isUndo(run)) return run;
    throw unknownRun(
      name,
      `The conversation ${escapeInvisible(conversation)} has no recorded run.`,
      "`haft ledger list --all` lists the runs of all conversations; --session selects another conversation.",
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
 * Returns the only run of a list; `undefined` for an empty list.
 *
 * @param name The prefix.
 * @param fitting All runs with this prefix, the newest first.
 * @throws HaftError `RUN_NOT_FOUND` if there are several
 *
 * @example
 * ```ts
 * import type { RunRecord } from "@haft/core/kernel";
 * import { findUniqueRun, hasIdPrefix } from "@haft/history/ledger";
 * declare const runs: readonly RunRecord[];
 * const run = findUniqueRun("0mhv3k", runs.filter((one) => hasIdPrefix(one, "0mhv3k")));
 * ```
 */
export function findUniqueRun<R extends KnownRun>(name: string, fitting: readonly R[]): R | undefined {
  if (fitting.length <= 1) return fitting[0];
  const named = fitting
    .slice(0, NAMED)
    .map(({ runId, sessionKey }) => `${runId} (${escapeInvisible(sessionKey)})`);
  const more = fitting.length > NAMED ? ` and ${fitting.length - NAMED} more` : "";
  throw historyError(
    "RUN_NOT_FOUND",
    `The ids of ${fitting.length} runs start with ${JSON.stringify(name)}: ${named.join(", ")}${more}.`,
    { details: { runIds: fitting.slice(0, NAMED).map(({ runId }) => runId) } },
  );
}

/**
 * Returns whether an id starts with at least 4 given characters, ignoring case.
 *
 * @example
 * ```ts run
 * import { hasIdPrefix } from "@haft/history/ledger";
 * hasIdPrefix({ runId: "0mhv3k2q4d7c1x9a5e" }, "0MHV3"); // => true
 * hasIdPrefix({ runId: "0mhv3k2q4d7c1x9a5e" }, "0mh"); // => false
 * ```
 */
export function hasIdPrefix({ runId }: Pick<RunRecord, "runId">, name: string): boolean {
  return name.length >= FEWEST && runId.startsWith(name.toLowerCase());
}

/**
 * Finds all runs of a conversation, or the run that {@link findRun} finds. The oldest comes first. `last` is never the key of a
 * conversation.
 *
 * @throws HaftError `RUN_NOT_FOUND`
 * @example
 * ```ts
 * import type { LedgerStore } from "@haft/core/kernel";
 * import { findRuns } from "@haft/history";
 * declare const ledger: LedgerStore;
 * const runs = await findRuns(ledger, "telegram:42", "telegram:42");
 * ```
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
    throw historyError("RUN_NOT_FOUND", `${JSON.stringify(name)} is the key of a conversation, not a run.`, {
      fix: `Use last for its newest run: \`haft ledger show last --session ${shellWord(name)}\``,
    });
  if (name.length < FEWEST) throw unknownRun(name, `The start of an id needs at least ${FEWEST} characters.`);
  const near = nearestNames(name, ids, 2);
  const meant = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : undefined;
  throw unknownRun(name, "No id is equal to it or starts with it.", meant);
}

function unknownRun(name: string, why: string, fix?: string) {
  return historyError(
    "RUN_NOT_FOUND",
    `There is no run or conversation ${JSON.stringify(name)}. ${why}`,
    fix === undefined ? {} : { fix },
  );
}
