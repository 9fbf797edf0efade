import type { Processes, ToolOutcome } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import {
  createBubblewrapBackend,
  createDockerBackend,
  openSandbox,
  type SandboxBackend,
  type SandboxWorkspace,
} from "@haft/sandbox";
import { withProcesses } from "@haft/workspace/internal/places";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { startDockerd } from "../../../../test/support/dockerd.ts";
import { ASK_FOR_SIGNAL, watchForAsking } from "../../../../test/support/end-runner.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { openTestHost, call, isSkipped, run, getText } from "./support.ts";

const daemon = await startDockerd();
afterAll(() => daemon?.stop());

/** With what ends the program that serves the sandbox. */
const BACKENDS: readonly (readonly [string, boolean, () => SandboxBackend, string])[] = [
  ["bubblewrap", isSkipped, () => createBubblewrapBackend(), ASK_FOR_SIGNAL],
  [
    "docker",
    daemon === undefined,
    () => createDockerBackend({ socketPath: daemon?.socketPath ?? "" }),
    "kill -9 $PPID",
  ],
];

/** What the port of a sandbox does, with something done before it is asked or before its answer is heard. */
type Between = Partial<
  Record<"onRequest" | "onResponse", (op: "start" | "wait" | "read") => void | Promise<void>>
>;

/** The real processes of a sandbox, where a test decides what happens first. */
function between(processes: Processes, { onRequest, onResponse }: Between): Processes {
  const wrap =
    <Args extends unknown[], T>(op: "start" | "wait" | "read", ask: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      const answer = ask(...args);
      answer.catch(() => {});
      await onRequest?.(op);
      const found = await answer;
      await onResponse?.(op);
      return found;
    };
  return {
    start: wrap("start", (...args) => processes.start(...args)),
    wait: wrap("wait", (...args) => processes.wait(...args)),
    read: wrap("read", (...args) => processes.read(...args)),
    identify: (...args) => processes.identify(...args),
    info: (...args) => processes.info(...args),
    list: () => processes.list(),
    write: (...args) => processes.write(...args),
    closeStdin: (...args) => processes.closeStdin(...args),
    signal: (...args) => processes.signal(...args),
    kill: (...args) => processes.kill(...args),
    resize: (...args) => processes.resize(...args),
    release: (...args) => processes.release(...args),
  };
}

describe.for(BACKENDS)("a command whose sandbox is lost, in %s", ([, missing, make, END]) => {
  /** Waits for a file that the test makes, then ends the program that serves the sandbox, and goes on. */
  const WHEN_SIGNALLED = `until [ -e go ]; do sleep 0.02; done; ${END}; sleep 600`;

  async function open(steps: (sandbox: SandboxWorkspace) => Between = () => ({})) {
    const cwd = await temporaryFolder();
    watchForAsking(cwd);
    const backend = make();
    const mounts = [{ name: "", hostPath: cwd, path: "/workspace", access: "rw" as const }];
    const sandbox = await openSandbox(backend, {
      key: "lost",
      scope: "session",
      workspace: "rw",
      mounts,
      env: {},
      network: "none",
      limits: { memoryMb: 256, tasks: 128, cpus: 0, fileMb: 64, tmpMb: 32 },
      lifetime: "tethered",
    });
    onTestFinished(() => sandbox.close());
    const host = await openTestHost(cwd, {});
    const processes = between(sandbox.processes, steps(sandbox));
    const given = { ...sandbox, ...withProcesses(sandbox, () => processes), facts: sandbox.facts };
    Object.defineProperty(given, "processes", { value: processes });
    const session = await host.openSession({ kind: "sandboxed", sandbox: given });
    /** Ends the runner, and waits until that is known here. */
    const lose = async (): Promise<void> => {
      const { ended } = sandbox;
      await sandbox.processes.start(crypto.randomUUID(), { script: END }).catch(() => {});
      await ended;
    };
    return { cwd, session, sandbox, lose, tell: () => writeFile(join(cwd, "go"), "") };
  }

  function expectLost(outcome: ToolOutcome): void {
    expect(outcome).toMatchObject({ kind: "error", code: "SANDBOX_LOST", receipt: "unknown" });
    expect(getText(outcome)).toMatch(/because its runner (ended with exit code 137|was ended by SIGKILL)/);
  }

  const inBackground = async (session: Session, command: string): Promise<string> => {
    const outcome = await call(session, "exec", { command, background: true });
    const { details } = outcome as unknown as { details: { sessionId: string } };
    return details.sessionId;
  };

  test.skipIf(missing).for(["exec", "bash"])("%s, while it starts", async (tool) => {
    const { session } = await open();
    const command = `${END}; sleep 600`;
    expectLost(await call(session, tool, tool === "bash" ? { script: command } : { command }));
    expect(await run(session, "echo again")).toBe("again");
  });

  test.skipIf(missing).for(["exec", "bash"])("%s, while its call waits", async (tool) => {
    let signal = async (): Promise<void> => {};
    const { session, ...opened } = await open(() => ({
      onRequest: (op) => (op === "wait" ? signal() : undefined),
    }));
    signal = opened.tell;
    expectLost(
      await call(session, tool, tool === "bash" ? { script: WHEN_SIGNALLED } : { command: WHEN_SIGNALLED }),
    );
    expect(await run(session, "echo again")).toBe("again");
  });

  test.skipIf(missing)("exec reports a kill if it sees the end of the command first", async () => {
    let lose = async (): Promise<void> => {};
    const { session, ...opened } = await open(() => ({
      onResponse: (op) => (op === "start" ? lose() : undefined),
    }));
    lose = opened.lose;
    const outcome = await call(session, "exec", { command: "kill -9 $$" });
    expectLost(outcome);
    expect(getText(outcome)).toContain("so its end is unknown");
  });

  test.skipIf(missing).for(["exec", "bash"])(
    "%s, between its end and its output, reports the loss",
    async (tool) => {
      let lose = async (): Promise<void> => {};
      const { session, ...opened } = await open(() => ({
        onResponse: (op) => (op === "start" ? lose() : undefined),
      }));
      lose = opened.lose;
      const command = "echo something; exit 3";
      const outcome = await call(session, tool, tool === "bash" ? { script: command } : { command });
      expectLost(outcome);
      expect(getText(outcome)).toContain("had already ended with exit code 3; its output is lost");
    },
  );

  test.skipIf(missing)(
    "reports the loss of a background command to every caller that waits, asks, reads, writes or kills",
    async () => {
      let signal = async (): Promise<void> => {};
      const { session, ...opened } = await open(() => ({
        onRequest: (op) => (op === "read" ? signal() : undefined),
      }));
      signal = opened.tell;
      const sessionId = await inBackground(session, WHEN_SIGNALLED);
      expectLost(await call(session, "process", { action: "poll", sessionId, timeout: 30_000 }));
      for (const more of [
        { action: "poll" },
        { action: "log" },
        { action: "log", offset: 0 },
        { action: "write", data: "x" },
        { action: "submit" },
        { action: "kill" },
      ]) {
        expectLost(await call(session, "process", { ...more, sessionId }));
      }
      const list = await call(session, "process", { action: "list" });
      expect(list).toMatchObject({
        kind: "ok",
        details: { sessions: [{ status: "failed", failureKind: "lost" }] },
      });
      expect(await call(session, "process", { action: "remove", sessionId })).toMatchObject({ kind: "ok" });
      expect(await run(session, "echo again")).toBe("again");
    },
  );

  test.skipIf(missing)("reports the exit of an ended background command but not its output", async () => {
    const { session, lose } = await open();
    const sessionId = await inBackground(session, "echo something; exit 3");
    const polled = await call(session, "process", { action: "poll", sessionId, timeout: 30_000 });
    expect(getText(polled)).toContain("exited with code 3");
    await lose();
    expect(getText(await call(session, "process", { action: "poll", sessionId }))).toContain(
      "exited with code 3",
    );
    const log = await call(session, "process", { action: "log", sessionId });
    expectLost(log);
    expect(getText(log)).toContain("had already ended with exit code 3; its output is lost");
  });
});
