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

const PAGE = 50;

const NOTHING_FITS = "No call matches.";
const OF_TOKENS = "Sessions of haft serve --http have the key mcp:NAME, with the name of their token.";
const BY_PLAN =
  "--path searches the plans of calls. A call has a plan if a rule, the boundary or a person examined it.";

type ListedCall = Awaited<ReturnType<LedgerStore["calls"]>>["items"][number];

export async function listCallsCommand(values: Given): Promise<number> {
  const now = Date.now();
  const baseQuery = queryOf(values, now);
  const code = await withLedger(values, async ({ ledger }) => {
    const run =
      values.run === undefined ? undefined : await findRun(ledger, values.run, toConversationKey(values));
    const query = run === undefined ? baseQuery : { ...baseQuery, runId: run.runId };
    const page = await ledger.calls(query).catch((thrown: unknown) => {
      if (values.after === undefined || !HaftError.is(thrown) || thrown.code !== "INVALID_OPTIONS")
        throw thrown;
      throw new UsageError(
        `--after takes the word at the end of the previous page; got ${JSON.stringify(values.after)}.`,
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

function queryOf(values: Given, now: number): CallQuery {
  const { tool, status, outcome, since, until, path, limit, after } = values;
  return withoutUndefined<CallQuery>({
    sessionKey: values.all || values.run !== undefined ? undefined : toConversationKey(values),
    toolName: tool,
    status,
    outcome,
    since: since === undefined ? undefined : readMoment("--since", since, now),
    until: until === undefined ? undefined : readMoment("--until", until, now),
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
  // The newest run is next to the prompt.
  for (const [runId, ofRun] of [...byRun].toReversed()) {
    const run = await ledger.run(runId);
    const title = run === undefined ? runId : describeRun(run, now);
    parts.push([title, ...callTable(ofRun, now).map((line) => `  ${line}`)].join("\n"));
  }
  if (next !== undefined) parts.push(`Older calls: the same command with --after ${shellWord(next)}`);
  return parts.join("\n\n");
}

async function nothingFits(
  ledger: LedgerStore,
  query: CallQuery,
  { all, run, session }: Given,
): Promise<string> {
  const { sessionKey, runId, limit: _, ...narrowing } = query;
  const isFiltered = Object.keys(narrowing).filter((name) => name !== "after").length > 0;
  const there = await ledger.runs({ limit: 5, ...(sessionKey !== undefined && { sessionKey }) });
  if (isFiltered && (there.items.length > 0 || runId !== undefined))
    return narrowing.path === undefined
      ? NOTHING_FITS
      : `${NOTHING_FITS}\n${BY_PLAN} Changes of file tools in this folder: ${nextCommand("haft undo")}`;
  if (run !== undefined) return "The run has no calls.";
  if (there.items.length > 0) return "The runs have no calls.";
  const keys = all ? [] : await elsewhere(ledger, query);
  if (keys.length === 0) return "Nothing is recorded.";
  const named = keys.slice(0, 5).map(escapeInvisible).join(", ");
  const whose = session === undefined ? ", the conversation of this folder" : "";
  const served = keys.some((key) => key.startsWith("mcp:")) ? ` ${OF_TOKENS}` : "";
  return `Nothing is recorded of ${escapeInvisible(sessionKey ?? "any conversation")}${whose}. There are records of ${named}${keys.length > 5 ? ` and ${keys.length - 5} more` : ""}: ${nextCommand("haft ledger list --all")} (or --session KEY).${served}`;
}

async function elsewhere(ledger: LedgerStore, { sessionKey }: CallQuery): Promise<string[]> {
  if (sessionKey === undefined) return [];
  const ofSession = await ledger.runs({ limit: 1, sessionKey });
  if (ofSession.items.length > 0) return [];
  const others = await ledger.runs({ limit: 200 });
  return [...new Set(others.items.map((one) => one.sessionKey))];
}
