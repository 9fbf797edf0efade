import type { CallQuery, CallRecord, Page } from "../../contract/ledger-port.ts";
import { invalidOptions } from "../../parameters/check-options.ts";

const DEFAULT_LIMIT = 100;
const MOST = 1_000;

export function matchesQuery(call: CallRecord, query: CallQuery): boolean {
  const { toolName, status, outcome, since, until, path, seqRange } = query;
  return (
    (seqRange === undefined || (call.seq >= seqRange[0] && call.seq <= seqRange[1])) &&
    (toolName === undefined || call.toolName === toolName) &&
    (status === undefined || call.status === status) &&
    (outcome === undefined || call.outcome === outcome) &&
    (since === undefined || call.createdAt >= since) &&
    (until === undefined || call.createdAt < until) &&
    (path === undefined || namesPath(call, path))
  );
}

function namesPath({ plan }: CallRecord, path: string): boolean {
  const below = path.endsWith("/") ? path : `${path}/`;
  return plan?.subjects?.paths?.some((one) => one.path === path || one.path.startsWith(below)) ?? false;
}

export function getPageLimit(limit = DEFAULT_LIMIT): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MOST) return limit;
  throw invalidOptions(`limit is ${String(limit)}, but has to be a whole number from 1 to ${MOST}.`);
}

/** `seq` is unique only in a run. @throws HaftError `INVALID_OPTIONS` */
export function requireRunForRange({ seqRange, runId }: CallQuery): void {
  if (seqRange === undefined) return;
  if (runId === undefined)
    throw invalidOptions(
      "places are those of a run, and no runId says of which.",
      "Name the run, or leave places out.",
    );
  const [first, last] = seqRange;
  if (Number.isSafeInteger(first) && Number.isSafeInteger(last) && first >= 1) return;
  throw invalidOptions(`places is ${JSON.stringify(seqRange)}, and has to be two whole numbers from 1 on.`);
}

type SortKey = readonly (string | number)[];

/** @param sortKeyOf Unique sort key. @throws HaftError `INVALID_OPTIONS` */
export function paginate<T>(
  items: readonly T[],
  sortKeyOf: (item: T) => SortKey,
  { limit, after, order = "newest" }: Pick<CallQuery, "limit" | "after" | "order">,
): Page<T> {
  const most = getPageLimit(limit);
  const sign = order === "oldest" ? 1 : -1;
  const compare = (a: SortKey, b: SortKey) => sign * compareSortKeys(a, b);
  const start = after === undefined ? undefined : readSortKey(after);
  const rest = items
    .filter((item) => start === undefined || compare(sortKeyOf(item), start) > 0)
    .toSorted((a, b) => compare(sortKeyOf(a), sortKeyOf(b)));
  const page = rest.slice(0, most);
  const last = page.at(-1);
  return last === undefined || rest.length <= most
    ? { items: page }
    : { items: page, next: JSON.stringify(sortKeyOf(last)) };
}

function compareSortKeys(a: SortKey, b: SortKey): number {
  for (const [index, one] of a.entries()) {
    const other = b[index]!;
    if (one !== other) return one < other ? -1 : 1;
  }
  return 0;
}

function readSortKey(after: string): SortKey {
  try {
    const key: unknown = JSON.parse(after);
    if (Array.isArray(key)) return key as SortKey;
  } catch {
    // Reported below.
  }
  throw invalidOptions(`after is not the next of a page: ${JSON.stringify(after.slice(0, 80))}.`);
}
