import { createDockerBackend } from "@haft/sandbox";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { request, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startDockerd } from "../../../../test/support/dockerd.ts";
import { ASK_FOR_SIGNAL, watchForAsking } from "../../../../test/support/end-runner.ts";
import { getStateFolder, temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { call, isSkipped } from "../../../host/test/sandbox/support.ts";
import { createHost } from "../../src/index.ts";
import { haft } from "../support/haft.ts";

const daemon = await startDockerd();
afterAll(() => daemon?.stop());
const socketPath = daemon?.socketPath ?? "";

/** Asks the Engine. */
async function ask(method: string, path: string, body?: Buffer): Promise<unknown> {
  const sent = request({ socketPath, method, path, headers: { "Content-Length": body?.length ?? 0 } });
  sent.end(body);
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  const text = await answer.setEncoding("utf8").reduce((all, part: string) => all + part, "");
  if ((answer.statusCode ?? 500) >= 300) throw new Error(text);
  return text === "" ? undefined : JSON.parse(text.trim().split("\n").at(-1)!);
}
const containers = () => ask("GET", "/containers/json?all=1");

/** The one of the guide: a static shell and nothing else. */
const IMAGE = "my-tools";
beforeAll(async () => {
  if (daemon === undefined) return;
  const folder = await mkdtemp(join(tmpdir(), "haft-image-"));
  const script = `mkdir -p bin dev etc proc sys tmp workspace; cp "$(command -v busybox)" bin/busybox
    for tool in $(bin/busybox --list | grep -v '^busybox$'); do ln -s busybox "bin/$tool"; done
    printf 'root:x:0:0::/:/bin/sh\\n' >etc/passwd; tar -c .`;
  const image = execFileSync("sh", ["-c", script], { cwd: folder, maxBuffer: 64 * 1024 * 1024 });
  await ask("POST", `/images/create?fromSrc=-&repo=${IMAGE}&tag=latest&changes=ENV%20PATH=/bin`, image);
  await rm(folder, { recursive: true });
});

const TARGETS: readonly (readonly [string, boolean, readonly string[]])[] = [
  ["bubblewrap", isSkipped, ["--sandbox", "bubblewrap"]],
  ["the default image", daemon === undefined, ["--sandbox", "docker"]],
  ["an image with a shell", daemon === undefined, ["--sandbox", "docker", "--sandbox-image", IMAGE]],
];

const background = JSON.stringify({
  id: "1",
  name: "exec",
  arguments: { command: "sleep 600", background: true },
});
const ended = JSON.stringify({ id: "2", name: "exec", arguments: { command: "true", background: true } });

describe.each(TARGETS)("haft run with %s", (what, missing, args) => {
  test.skipIf(missing).each([
    ["a command in the background", [background]],
    ["commands in the background, one of which has ended", [background, ended]],
    [
      "one that was asked about",
      [background, JSON.stringify({ id: "3", name: "process", arguments: { action: "list" } })],
    ],
  ])("ends with its input: %s", async (_which, lines) => {
    const cwd = await temporaryFolder();
    const run = await haft(["run", "--json", "--session", "sandboxed", ...args], {
      cwd,
      input: `${lines.join("\n")}\n`,
      env: { DOCKER_HOST: `unix://${socketPath}` },
    });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.lines().map(({ kind }) => kind)).toEqual(lines.map(() => "ok"));
    if (daemon !== undefined) expect(await containers()).toEqual([]);
  });

  test.skipIf(missing)(
    "ends with its input if the server of the sandbox is halted, and leaves no processes",
    async () => {
      const cwd = await temporaryFolder();
      watchForAsking(cwd, "SIGSTOP");
      const stop = what === "bubblewrap" ? ASK_FOR_SIGNAL : "kill -STOP $PPID";
      const halt = { command: `(sleep 0.2; ${stop}) & sleep 600`, background: true };
      const run = await haft(["run", "--json", "--session", "sandboxed", ...args, "--sandbox-access", "rw"], {
        cwd,
        input: `${JSON.stringify({ id: "1", name: "exec", arguments: halt })}\n`,
        env: { DOCKER_HOST: `unix://${socketPath}` },
      });
      expect(run.code).toBe(0);
      if (daemon !== undefined) expect(await containers()).toEqual([]);
    },
  );
});

test.skipIf(daemon === undefined)(
  "reports a sandbox that may still run if the Engine of its host hangs",
  async () => {
    const backend = createDockerBackend({ socketPath, answerMs: 1_000 });
    const workspaceDir = await temporaryFolder();
    const host = await createHost({
      workspaceDir,
      stateDir: getStateFolder(workspaceDir),
      sandbox: { backend },
    });
    const session = await host.openSession({ kind: "sandboxed" });
    expect(await call(session, "exec", { command: "true" })).toMatchObject({ kind: "ok" });
    // Of the daemon that this file has started, and of no other.
    expect(daemon!.pid).toBeGreaterThan(1);
    process.kill(daemon!.pid, "SIGSTOP");
    try {
      await expect(host.close()).rejects.toMatchObject({ code: "SANDBOX_NOT_REMOVED", receipt: "unknown" });
    } finally {
      process.kill(daemon!.pid, "SIGCONT");
    }
    await expect.poll(containers).toEqual([]);
  },
);
