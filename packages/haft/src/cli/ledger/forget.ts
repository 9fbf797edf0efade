import { chatsFolder, snapshotsFolder } from "@haft/config/internal/boundary";
import type { LedgerStore } from "@haft/core/kernel";
import { allCalls, findRun } from "@haft/history/ledger";
import { SnapshotStore } from "@haft/host/internal/snapshots";
import { attempt, readRegularFile } from "@haft/system";
import { escapeInvisible } from "@haft/utils";
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { askYesNo, findTerminal } from "../approvals/find-terminal.ts";
import { readStateValue } from "../location/state-value.ts";
import { refuseInSession } from "../refuse-in-session.ts";
import { UsageError, type Values } from "../usage.ts";
import { toConversationKey, type forgetOptions } from "./ledger-options.ts";
import { describeEmptyLedger, withLedger } from "./open-ledger.ts";
import { readMoment } from "./read-times.ts";

type Given = Values<typeof forgetOptions>;

type Which = Parameters<LedgerStore["forget"]>[0];

export async function forget(values: Given): Promise<number> {
  const given = [values.run, values.session, values.before].filter((one) => one !== undefined);
  if (given.length !== 1) throw new UsageError("Name one of --run RUN, --session KEY and --before TIME.");
  refuseInSession("forget records of calls");
  const now = Date.now();
  const before = values.before === undefined ? undefined : readMoment("--before", values.before, now);
  const code = await withLedger(values, async ({ ledger }, folder) => {
    const which = await whichOf(ledger, values, before);
    return forgetIn({ ledger, folder, which }, values);
  });
  if (code !== undefined) return code;
  // Conversations may exist without a ledger.
  const folder = readStateValue(values.state);
  if (values.run === undefined && existsSync(chatsFolder(folder)))
    return forgetIn(
      { ledger: undefined, folder, which: before === undefined ? ofSession(values) : { before } },
      values,
    );
  console.log(values.json ? JSON.stringify(NOTHING) : describeEmptyLedger(values));
  return 0;
}

const NOTHING = { forgotten: 0, conversations: 0 };

interface Meant {
  ledger: LedgerStore | undefined;
  folder: string;
  which: Which;
}

async function forgetIn({ ledger, folder, which }: Meant, values: Given): Promise<number> {
  const { calls, waiting } = ledger === undefined ? { calls: 0, waiting: 0 } : await countOf(ledger, which);
  const remaining = waiting === 0 ? "" : ` ${waiting} that wait for a decision stay.`;
  const question = `Forget ${calls} ${calls === 1 ? "call" : "calls"} ${describe(which)}, and their conversations of haft chat?${remaining}`;
  if (values.yes !== true && !(await mayForget(question))) {
    console.error("haft: nothing was forgotten.");
    return 1;
  }
  const forgotten = (await ledger?.forget(which)) ?? 0;
  const hasRun = async (runId: string) => (await ledger?.run(runId)) !== undefined;
  // Snapshots belong to runs; conversations contain results.
  await new SnapshotStore(snapshotsFolder(folder)).sweep(hasRun);
  const conversations = await forgetConversations(chatsFolder(folder), which, hasRun);
  if (values.json) console.log(JSON.stringify({ forgotten, conversations }));
  else if (calls + waiting + conversations === 0 && "sessionKey" in which)
    console.log(`Nothing is recorded of ${escapeInvisible(which.sessionKey)}, so nothing was forgotten.`);
  else
    console.log(
      `Forgot ${forgotten} ${forgotten === 1 ? "call" : "calls"} ${describe(which)}${alsoForgotten(conversations)}.${remaining}`,
    );
  return 0;
}

function ofSession(values: Given): Which {
  return { sessionKey: toConversationKey(values) };
}

async function whichOf(ledger: LedgerStore, values: Given, before: number | undefined): Promise<Which> {
  if (before !== undefined) return { before };
  if (values.run === undefined) return ofSession(values);
  return { runId: (await findRun(ledger, values.run, toConversationKey(values))).runId };
}

/** Runs may change before the deletion. */
async function countOf(ledger: LedgerStore, which: Which): Promise<{ calls: number; waiting: number }> {
  const query = "before" in which ? { until: which.before } : which;
  let calls = 0;
  let waiting = 0;
  for await (const call of allCalls(ledger, query)) {
    if (call.status === "pending") waiting++;
    else calls++;
  }
  return { calls, waiting };
}

function alsoForgotten(conversations: number): string {
  if (conversations === 0) return "";
  return `, and ${conversations === 1 ? "a conversation" : `${conversations} conversations`} of haft chat`;
}

function describe(which: Which): string {
  if ("runId" in which) return `of the run ${which.runId}`;
  if ("sessionKey" in which) return `of ${escapeInvisible(which.sessionKey)}`;
  return `of runs before ${new Date(which.before).toISOString()}`;
}

async function mayForget(question: string): Promise<boolean> {
  const terminal = findTerminal();
  if (terminal === undefined) throw new UsageError(`${question} There is no terminal to ask on: use --yes.`);
  return askYesNo(terminal, question);
}

/** In bytes. */
const LARGEST = 256 * 1024 * 1024;

type WhichConversations = { runId: string } | { sessionKey: string } | { before: number };

/** Keeps conversations of remaining runs, which are in use or have a pending call. */
async function forgetConversations(
  folder: string,
  which: WhichConversations,
  hasRun: (runId: string) => Promise<boolean>,
): Promise<number> {
  let forgotten = 0;
  for (const name of attempt(() => readdirSync(folder)) ?? []) {
    const file = join(folder, name);
    const read = name.endsWith(".jsonl") ? readHeads(file) : undefined;
    if (read === undefined || !isMeant(read, which)) continue;
    const runs = await Promise.all(read.runs.map(hasRun));
    if (runs.includes(true)) continue;
    rmSync(file, { force: true });
    forgotten++;
  }
  return forgotten;
}

interface Heads {
  sessionKey: unknown;
  runs: readonly string[];
  /** Milliseconds since the epoch. */
  saidAt: number;
}

function isMeant({ sessionKey, runs, saidAt }: Heads, which: WhichConversations): boolean {
  if ("before" in which) return saidAt < which.before;
  return "sessionKey" in which ? sessionKey === which.sessionKey : runs.includes(which.runId);
}

/** `@haft/chat` has this format and may not be installed. */
function readHeads(file: string): Heads | undefined {
  const [first = "", ...lines] = (
    attempt(() => readRegularFile(file, { maxBytes: LARGEST }).toString("utf8")) ?? ""
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
