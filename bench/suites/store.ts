import type { ToolEffect } from "@haft/core";
import type { CallRecord, LedgerStore, RunOpening } from "@haft/core/internal";
import { createMemoryStore, Registry, type Session, SessionFactory } from "@haft/core/kernel";
import { definePlugin, defineTool } from "@haft/plugin-sdk";
import { createPolicy } from "@haft/policy";
import { openSqliteStore } from "@haft/store";
import { openNatsStore } from "@haft/store/nats";
import { createHostWorkspace } from "@haft/workspace";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Case, Suite, TimedSubject } from "../suite.ts";
import { createArguments, schema } from "../work/calls.ts";
import { startNatsServer } from "../work/nats-server.ts";
import { execute } from "../work/noop-tool.ts";

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
const CALLS = 1000;
/** Sessions until all code is optimised: 300 ms suffice for 75 without records, but only 12 with records. */
const WARM_UP_SESSIONS = 60;
/** Calls in the queried ledger, and their runs. */
const KEPT = 1_000_000;
const RUNS = 1000;
const RESUMED = 10_000;
const FILE = "haft.db";

interface Opened {
  ledger: LedgerStore;
  close: () => Promise<void>;
}

function inSqlite(): Opened {
  const folder = mkdtempSync(join(tmpdir(), "haft-bench-store-"));
  const store = openSqliteStore({ path: join(folder, FILE) });
  return {
    ledger: store.ledger,
    close: async () => {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function onNats(): Promise<Opened> {
  const { url, stop } = await startNatsServer();
  const store = await openNatsStore({ servers: url });
  return {
    ledger: store.ledger,
    close: async () => {
      await store.close();
      stop();
    },
  };
}

function inMemory(): Opened {
  const ledger = createMemoryStore();
  return { ledger, close: () => ledger.close() };
}

/** A session with all calls, including its end, which writes the last calls. */
async function calls(effect: ToolEffect, open?: () => Opened | Promise<Opened>): Promise<TimedSubject> {
  const tool = { name: "look", description: "Does nothing.", parameters: schema as never, effects: [effect] };
  const plugin = definePlugin({ id: "bench", tools: [defineTool({ ...tool, execute })] });
  const registry = new Registry({ plugins: [plugin] });
  const opened = await open?.();
  const sessions = new SessionFactory({
    registry,
    policy: createPolicy(
      { sessions: { main: { grant: ["look"] } } },
      { tools: await registry.survey(SILENT) },
    ),
    ...(opened && { store: opened.ledger }),
  });
  const options = { kind: "main", workspace: createHostWorkspace({ root: import.meta.dirname }) } as const;
  let session: Session;
  return {
    operations: CALLS,
    runs: 1,
    warmUpRuns: WARM_UP_SESSIONS,
    before: async () => (session = await sessions.open(options)),
    async run() {
      for (let call = 0; call < CALLS; call++) {
        const outcome = await session.call({
          id: `id_${call}`,
          name: "look",
          arguments: createArguments(call),
        });
        if (outcome.kind !== "ok") throw new Error(`The call was refused: ${JSON.stringify(outcome)}`);
      }
      await session.close();
    },
    close: () => opened?.close(),
  };
}

const opening: RunOpening = {
  sessionKey: "session-0",
  facts: { kind: "main", agentId: "main", model: "", messageChannel: "" },
  workspace: { place: "host", cwd: "/work" },
  mode: "plan",
};
const TOOLS = ["read", "write", "edit", "exec"];

function aCall(seq: number, at: number): CallRecord {
  const path = `/work/src/module-${seq % 500}/file-${at % 7}.ts`;
  return {
    seq,
    toolCallId: `call_${seq}`,
    epoch: 1,
    toolName: at % 100_000 === 0 ? "rare" : TOOLS[at % TOOLS.length]!,
    status: at % 1000 === 0 ? "failed" : "completed",
    outcome: at % 1000 === 0 ? "error" : "ok",
    createdAt: at,
    startedAt: at,
    endedAt: at + 5,
    args: { path, offset: seq },
    argsDigest: "d".repeat(43),
    key: "k".repeat(43),
    fingerprint: "f".repeat(43),
    plan: { subjects: { paths: [{ path, relative: path.slice("/work/".length), access: "read" }] } },
    decision: { effect: "allow", id: "d", reason: "the session table", layer: "builtin" },
    result: { bytes: 2000, sha256: "a".repeat(64), head: "const a = 1;\n".repeat(10) },
  };
}

/** A million calls, newest last. */
async function fill(path: string): Promise<void> {
  const store = openSqliteStore({ path, keep: { days: 1e6, bytes: 1e12 } });
  const each = KEPT / RUNS;
  for (let run = 0; run < RUNS; run++) {
    const held = await store.ledger.open({ ...opening, sessionKey: `session-${run % 100}` });
    const batch = Array.from({ length: each }, (_, index) => aCall(index + 1, run * each + index + 1));
    await held.write(batch);
    await held.close();
  }
  const long = await store.ledger.open({ ...opening, sessionKey: "long" });
  await long.write(Array.from({ length: RESUMED }, (_, index) => aCall(index + 1, KEPT + index + 1)));
  await long.close();
  await store.close();
}

function asked(name: string, query: Parameters<LedgerStore["calls"]>[0]): Case {
  return {
    name,
    rounds: 10,
    subjects: {
      Haft(fixtures) {
        const store = openSqliteStore({ path: join(fixtures, FILE), keep: { days: 1e6, bytes: 1e12 } });
        return {
          async run() {
            const { items } = await store.ledger.calls(query);
            if (items.length === 0) throw new Error("Nothing was found.");
          },
          close: () => store.close(),
        };
      },
    },
  };
}

export const suite: Suite = {
  name: "store",
  title: "Persistent ledger",
  async prepare(fixtures) {
    await fill(join(fixtures, FILE));
  },
  cases: [
    ...(["write", "read"] as const).map((effect) => ({
      name: effect === "write" ? "a call that changes things" : "a call that only reads",
      about:
        `A session of ${CALLS.toLocaleString("en")} calls of a tool that does nothing, including its end, after ${WARM_UP_SESSIONS} such sessions. ` +
        "Haft: SQLite. on NATS: a local server, one round trip per write. limit: no store.",
      subjects: {
        Haft: () => calls(effect, inSqlite),
        "in memory": () => calls(effect, inMemory),
        "on NATS": () => calls(effect, onNats),
        limit: () => calls(effect),
      },
    })),
    asked("first page of 1,000,000 calls", {}),
    asked("first page by session", { sessionKey: "session-7" }),
    asked("first page by tool", { toolName: "rare" }),
    asked("first page by status", { status: "failed" }),
    asked("first page by time", { since: 400_000, until: 400_500 }),
    asked("first page by path, a file", { path: "/work/src/module-77/file-3.ts" }),
    asked("first page by path, the root", { path: "/work" }),
    asked("first page, oldest first, of a rare result", {
      toolName: "rare",
      status: "failed",
      order: "oldest",
    }),
    {
      name: "resume a run with 10,000 calls",
      rounds: 10,
      subjects: {
        Haft(fixtures) {
          const store = openSqliteStore({ path: join(fixtures, FILE), keep: { days: 1e6, bytes: 1e12 } });
          let run: Awaited<ReturnType<LedgerStore["open"]>> | undefined;
          return {
            before: () => run?.close(),
            runs: 5,
            async run() {
              run = await store.ledger.open({ ...opening, sessionKey: "long", resume: true });
            },
            async close() {
              await run?.close();
              await store.close();
            },
          };
        },
      },
    },
  ],
};
