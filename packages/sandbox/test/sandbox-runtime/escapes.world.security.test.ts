import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSandboxRuntimeBackend } from "../../src/sandbox-runtime/sandbox-runtime-backend.ts";
import { openSandbox } from "../../src/session/open-sandbox.ts";
import { attempts } from "../escapes/attempts.ts";
import { ATTEMPT_LIMITS, openEscapeFixture } from "../escapes/fixture.ts";
import { runAttempt, runInWorkspace } from "../escapes/run-attempts.ts";
import { shareEscapeSandbox } from "../escapes/shared-sandbox.ts";
import { UNENFORCED_ATTEMPTS } from "../escapes/unenforced-attempts.ts";
import { specFor } from "../spec-for.ts";
import { openTestSandbox, createWorkspaceFolder, missing, testInSandbox } from "./support.ts";

describe.skipIf(missing)("escapes from an srt sandbox", () => {
  /** With a list of hosts: then srt has the least to keep them with. */
  const placeOf = shareEscapeSandbox(async () => {
    const fixture = await openEscapeFixture(process.getuid?.() === 0 ? { uid: 4321, gid: 4321 } : undefined);
    const spec = specFor(fixture.workspace, { limits: ATTEMPT_LIMITS, network: { allow: ["example.com"] } });
    const readOnly = {
      name: "ro",
      hostPath: fixture.readOnly,
      path: fixture.readOnly,
      access: "ro",
    } as const;
    const mounts = [...spec.mounts, readOnly];
    return { fixture, sandbox: await openSandbox(createSandboxRuntimeBackend(), { ...spec, mounts }) };
  });

  const promised = attempts.filter(({ name }) => !UNENFORCED_ATTEMPTS["sandbox-runtime"]!.includes(name));
  test.for(promised)("$name", async (attempt) => {
    const { fixture, sandbox } = await placeOf(attempt);
    const inside = runInWorkspace(sandbox);
    // Nothing is moved: what is read-only is where it is on the host.
    const run: typeof inside = (script, env) =>
      inside(script, { ...env, READ_ONLY_INSIDE: fixture.readOnly });
    expect(await runAttempt(attempt, run, fixture, ATTEMPT_LIMITS)).toMatchObject({ verdict: "blocked" });
  });
});

testInSandbox("limits other writable folders to the sandbox", async () => {
  const { run } = await openTestSandbox(specFor(createWorkspaceFolder()));
  const name = `haft-${crypto.randomUUID()}`;
  const folders = [
    "/",
    "/etc",
    "/usr",
    "/usr/bin",
    "/home",
    "/root",
    "/var",
    "/opt",
    "/tmp",
    "/tmp/claude",
    "/run",
  ];
  await run(`for d in ${folders.join(" ")} /dev/shm; do : >"$d/${name}"; done 2>/dev/null; true`);
  expect([...folders, "/dev/shm"].filter((folder) => existsSync(join(folder, name)))).toEqual([]);
});

testInSandbox("passes no variable of the host, and none on a command line", async () => {
  process.env["HAFT_TEST_SECRET"] = "of the host";
  onTestFinished(() => void delete process.env["HAFT_TEST_SECRET"]);
  const secret = crypto.randomUUID();
  const { run } = await openTestSandbox(specFor(createWorkspaceFolder(), { env: { TOKEN: secret } }));
  const { output } = await run("env");
  expect(output).toContain(`TOKEN=${secret}`);
  expect(output).not.toContain("of the host");
  const commandLines = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => readCommandLine(pid));
  expect(commandLines.filter((line) => line.includes(secret))).toEqual([]);
});

function readCommandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}
