import { HaftError } from "@haft/core";
import { maskSecrets } from "@haft/core/internal/records";
import type { CallQuery, CallRecord, LedgerStore } from "@haft/core/kernel";
import { findRun } from "@haft/history/ledger";
import { shellWord, withoutUndefined, escapeInvisible } from "@haft/utils";
import { resolve } from "node:path";
import { nextCommand } from "../location/next-command.ts";
import { UsageError, type Values } from "../usage.ts";
import { callTable } from "./describe/describe-calls.ts";
import { describeRun } from "./describe/describe-run.ts";
import { toConversationKey, type listOptions } from "./ledger-options.ts";
import { describeEmptyLedger, withLedger } from "./open-ledger.ts";
import { readMoment } from "./read-times.ts";

type Given = Values<typeof listOptions>;

/** Calls on a page, unless `--limit` says otherwise. */
const PAGE = 50;

const NOTHING_FITS = "No call fits all of that.";
const OF_TOKENS = "What haft serve --http serves is kept as mcp:NAME, by the name of its token.";
const BY_PLAN =
  "Calls are found by the paths of their plans, which are worked out where a rule, the boundary or a person looks at them.";

type ListedCall = Awaited<ReturnType<LedgerStore["calls"]>>["items"][number];

/** `haft ledger list`: the newest calls that fit, by their runs. */
export async function listCallsCommand(values: Given): Promise<number> {
  const now = Date.now();
  const asked = askedFor(values, now);
  const code = await withLedger(values, async ({ ledger }) => {
    const run =
      values.run === undefined ? undefined : await findRun(ledger, values.run, toConversationKey(values));
    const query = run === undefined ? asked : { ...asked, runId: run.runId };
    const page = await ledger.calls(query).catch((thrown: unknown) => {
      if (values.after === undefined || !HaftError.is(thrown) || thrown.code !== "INVALID_OPTIONS")
        throw thrown;
      throw new UsageError(
        `--after takes the word that the page before ended with; got ${JSON.stringify(values.after)}.`,
      );
    });
    if (values.json) {
      const others = page.items.length === 0 ? await elsewhere(ledger, query) : [];
      console.log(
        JSON.stringify({
          calls: maskSecrets(page.items),
          ...(page.next !== undefined && { next: page.next }),
          ...(others.length > 0 && { elsewhere: others }),
        }),
      );
    } else if (page.items.length === 0) console.log(await nothingFits(ledger, query, values));
    else console.log(await format(ledger, page.items, page.next, now));
    return 0;
  });
  if (code !== undefined) return code;
  console.log(values.json ? JSON.stringify({ calls: [] }) : describeEmptyLedger(values));
  return 0;
}

function askedFor(values: Given, now: number): CallQuery {
  const { tool, status, outcome, since, until, path, limit, after } = values;
  return withoutUndefined<CallQuery>({
    sessionKey: values.all || values.run !== undefined ? undefined : toConversationKey(values),
    toolName: tool,
    status,
    outcome,
    since: since === undefined ? undefined : readMoment("--since", since, now),
    until: until === undefined ? undefined : readMoment("--until", until, now),
    // Plans name files as the workspace spells them.
    path: path === undefined ? undefined : resolve(values.workspace ?? ".", path),
    limit: limit === undefined ? PAGE : readLimit(limit),
    after,
  });
}

function readLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 1_000) return limit;
  throw new UsageError(`--limit is a whole number from 1 to 1000; got "${text}".`);
}

async function format(
  ledger: LedgerStore,
  calls: readonly ListedCall[],
  next: string | undefined,
  now: number,
): Promise<string> {
  const byRun = new Map<string, CallRecord[]>();
  for (const call of calls) byRun.set(call.runId, [call, ...(byRun.get(call.runId) ?? [])]);
  const parts: string[] = [];
  // The newest last: that is where a terminal stands.
  for (const [runId, ofRun] of [...byRun].toReversed()) {
    const run = await ledger.run(runId);
    const title = run === undefined ? runId : describeRun(run, now);
    parts.push([title, ...callTable(ofRun, now).map((line) => `  ${line}`)].join("\n"));
  }
  if (next !== undefined) parts.push(`Older ones: the same with --after ${shellWord(next)}`);
  return parts.join("\n\n");
}

/** Whether that is because of what was asked for, or because there is nothing. */
async function nothingFits(
  ledger: LedgerStore,
  query: CallQuery,
  { all, run, session }: Given,
): Promise<string> {
  const { sessionKey, runId, limit: _, ...narrowing } = query;
  const asked = Object.keys(narrowing).filter((name) => name !== "after").length > 0;
  const there = await ledger.runs({ limit: 5, ...(sessionKey !== undefined && { sessionKey }) });
  if (asked && (there.items.length > 0 || runId !== undefined))
    return narrowing.path === undefined
      ? NOTHING_FITS
      : `${NOTHING_FITS}\n${BY_PLAN} What file tools changed in this folder: ${nextCommand("haft undo")}`;
  if (run !== undefined) return "The run has no call.";
  if (there.items.length > 0) return "The runs there are have no calls.";
  const keys = all ? [] : await elsewhere(ledger, query);
  if (keys.length === 0) return "Nothing is recorded.";
  const named = keys.slice(0, 5).map(escapeInvisible).join(", ");
  const whose = session === undefined ? ", the conversation of this folder" : "";
  const served = keys.some((key) => key.startsWith("mcp:")) ? ` ${OF_TOKENS}` : "";
  return `Nothing is recorded of ${escapeInvisible(sessionKey ?? "any conversation")}${whose}. There is something of ${named}${keys.length > 5 ? ` and ${keys.length - 5} more` : ""}: ${nextCommand("haft ledger list --all")} (or --session KEY).${served}`;
}

/** Conversations that have something, where the one that was asked for has nothing. */
async function elsewhere(ledger: LedgerStore, { sessionKey }: CallQuery): Promise<string[]> {
  if (sessionKey === undefined) return [];
  const own = await ledger.runs({ limit: 1, sessionKey });
  if (own.items.length > 0) return [];
  const others = await ledger.runs({ limit: 200 });
  return [...new Set(others.items.map((one) => one.sessionKey))];
}
