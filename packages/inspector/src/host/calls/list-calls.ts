import { maskSecrets } from "@haft/core/internal/records";
import type { CallQuery } from "@haft/core/kernel";
import { getResultText } from "@haft/history/ledger";
import { withoutUndefined } from "@haft/utils";
import type { CallListQuery, CallListPage } from "../../wire/api.ts";
import type { ReadLedger } from "../inspection-context.ts";
import { callRow, type CallWithRun } from "./call-row.ts";

const LIMIT = 100;
/** Calls and milliseconds of a search; the next page continues. */
const MAX_LOOKED = 5_000;
const MAX_MS = 250;
const STEP = 500;

export async function listCalls(
  ledger: ReadLedger,
  request: CallListQuery,
  signal: AbortSignal,
): Promise<CallListPage> {
  const { run, session, tool, status, outcome, since, until, path, after, order, seq, text } = request;
  const limit = request.limit ?? LIMIT;
  const query = withoutUndefined<CallQuery>({
    runId: run,
    sessionKey: session,
    toolName: tool,
    status,
    outcome,
    since,
    until,
    path,
    order,
    seqRange: seq === undefined ? undefined : seqRangeFrom(seq, limit, order),
  });
  const words = wordsOf(text);
  if (words.length > 0) return search(ledger, { query, after, limit, words, signal });
  const page = await ledger.calls({ ...query, limit, ...(after !== undefined && { after }) });
  return withoutUndefined<CallListPage>({ items: page.items.map(callRow), next: page.next });
}

function seqRangeFrom(seq: number, limit: number, order: CallListQuery["order"]): [number, number] {
  return order === "oldest" ? [seq, seq + limit - 1] : [Math.max(1, seq - limit + 1), seq];
}

interface Search {
  query: CallQuery;
  after: string | undefined;
  limit: number;
  words: readonly string[];
  signal: AbortSignal;
}

async function search(
  ledger: ReadLedger,
  { query, after, limit, words, signal }: Search,
): Promise<CallListPage> {
  const items: CallWithRun[] = [];
  const until = performance.now() + MAX_MS;
  let looked = 0;
  let next = after;
  do {
    // The cursor belongs to a page's end.
    const most = Math.min(STEP, limit - items.length);
    const page = await ledger.calls({ ...query, limit: most, ...(next !== undefined && { after: next }) });
    looked += page.items.length;
    items.push(...page.items.filter((call) => has(call, words)));
    next = page.next;
  } while (
    next !== undefined &&
    items.length < limit &&
    looked < MAX_LOOKED &&
    performance.now() < until &&
    !signal.aborted
  );
  return withoutUndefined<CallListPage>({ items: items.map(callRow), next, looked });
}

function wordsOf(text = ""): string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
}

/** Searches shown text, so that secrets cannot be guessed. */
function has(call: CallWithRun, words: readonly string[]): boolean {
  const { toolName, toolCallId, code = "", args, result, decision } = call;
  const shown = args === undefined ? "" : JSON.stringify(maskSecrets(args));
  const resultText = result === undefined ? "" : getResultText(maskSecrets(result));
  const all = [toolName, toolCallId, code, decision?.reason ?? "", shown, resultText]
    .join("\n")
    .toLowerCase();
  return words.every((word) => all.includes(word));
}
