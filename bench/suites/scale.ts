import type { Session } from "@haft/core/kernel";
import { createHost } from "haft";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Metric, SampledSubject, Suite } from "../suite.ts";
import { createArguments, heapInUse } from "../work/calls.ts";
import { measureWork } from "../work/commands.ts";
import { noopPlugin, makeCalls } from "../work/noop-tool.ts";

const SESSIONS = 10_000;
/** A session runs at most 256. */
const COMMANDS = { sessions: 10, each: 100 };
const CALLS = 1_000_000;
const LAST_CALLS = 10_000;

const stall: Metric = { key: "stall", label: "longest stall of the event loop", unit: "time" };

/** Idle open sessions. */
async function manySessions(): Promise<SampledSubject> {
  const host = await createHost({ workspaceDir: import.meta.dirname, stateDir: false });
  await (await host.openSession()).close();
  return {
    async sample() {
      const open: Session[] = [];
      const before = heapInUse();
      const opening = await measureWork(async () => {
        while (open.length < SESSIONS) {
          for (let i = 0; i < 100; i++) open.push(await host.openSession());
          await nextTurn();
        }
      });
      const memory = heapInUse() - before;
      const closing = await measureWork(async () => {
        await Promise.all(open.map((session) => session.close()));
      });
      return {
        open: opening.time / SESSIONS,
        memory: memory / SESSIONS,
        close: closing.time / SESSIONS,
        stall: opening.stall,
      };
    },
    close: () => host.close(),
  };
}

/** Background commands of several sessions, and one more. */
function manyCommands(): SampledSubject {
  let made = 0;
  const exec = async (session: Session, command: string, background: boolean) => {
    const outcome = await session.call({
      name: "exec",
      arguments: { command: `${command} # ${made++}`, background },
    });
    if (outcome.kind !== "ok") throw new Error(JSON.stringify(outcome));
  };
  return {
    async sample() {
      const host = await createHost({ workspaceDir: import.meta.dirname, stateDir: false, loopGuard: false });
      const sessions = await Promise.all(Array.from({ length: COMMANDS.sessions }, () => host.openSession()));
      for (const session of sessions) await exec(session, "true", false);
      const starting = await measureWork(async () => {
        const all = sessions.flatMap((session) =>
          Array.from({ length: COMMANDS.each }, () => exec(session, "sleep 600", true)),
        );
        await Promise.all(all);
      });
      const beside = await measureWork(() => exec(sessions[0]!, "true", false));
      const ending = await measureWork(() => host.close());
      return {
        start: starting.time,
        stall: starting.stall,
        memory: starting.memory,
        beside: beside.time,
        end: ending.time,
      };
    },
  };
}

async function longHistory(): Promise<SampledSubject> {
  const host = await createHost({ plugins: [noopPlugin], stateDir: false });
  return {
    async sample() {
      const session = await host.openSession();
      session.subscribe(() => {});
      const before = heapInUse();
      let longest = 0;
      for (let call = 0; call < CALLS; call += 100) {
        const start = performance.now();
        await makeCalls(session, 100, call);
        longest = Math.max(longest, performance.now() - start);
        await nextTurn();
      }
      const memory = (heapInUse() - before) / CALLS;
      const start = performance.now();
      for (let call = 0; call < LAST_CALLS; call++)
        await session.call({ id: `id_${call}`, name: "look", arguments: createArguments(call) });
      const time = (performance.now() - start) / LAST_CALLS;
      if (session.ledger().length !== CALLS + LAST_CALLS)
        throw new Error("Some calls are not in the ledger.");
      await session.close();
      return { time: time * 1e6, memory, longest: longest * 1e6 };
    },
    close: () => host.close(),
  };
}

export const suite: Suite = {
  name: "scale",
  title: "At scale",
  cases: [
    {
      name: "10,000 sessions open",
      about: "In one host, with built-in tools.",
      rounds: 3,
      metrics: [
        { key: "open", label: "opening, each", unit: "time" },
        { key: "memory", label: "memory, each", unit: "bytes" },
        { key: "close", label: "closing, each", unit: "time" },
        stall,
      ],
      subjects: { Haft: manySessions },
    },
    {
      name: "1,000 running commands",
      about: "`sleep` in the background of ten sessions, started together.",
      rounds: 3,
      metrics: [
        { key: "start", label: "until all run", unit: "time" },
        { key: "beside", label: "one more command", unit: "time" },
        { key: "end", label: "until all have ended", unit: "time" },
        { key: "memory", label: "growth of the host's memory", unit: "bytes" },
        stall,
      ],
      subjects: { Haft: manyCommands },
    },
    {
      name: "1,000,000 calls of history",
      about:
        "In one session, with a tool that does nothing, policy, duplicate check, loop guard, ledger and a listener.",
      rounds: 3,
      metrics: [
        { key: "time", label: "one call after them", unit: "time" },
        { key: "memory", label: "memory, each", unit: "bytes" },
        { key: "longest", label: "slowest 100 calls", unit: "time" },
      ],
      subjects: { Haft: longHistory },
    },
  ],
};
