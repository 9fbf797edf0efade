import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished } from "vitest";
import { openSandbox } from "../../src/open-sandbox.ts";
import { attempts } from "../escapes/attempts.ts";
import { ATTEMPT_LIMITS, openEscapeFixture } from "../escapes/fixture.ts";
import { NOT_KEPT } from "../escapes/not-kept.ts";
import { runAttempt, runInWorkspace } from "../escapes/run-attempts.ts";
import { aBackend, anOpen, aWorkspace, specFor, testInside } from "./support.ts";

/** The attempts where srt has the least to keep them with: a list of hosts. */
async function tried(name: string) {
  const owner = process.getuid?.() === 0 ? { uid: 4321, gid: 4321 } : undefined;
  const fixture = await openEscapeFixture(owner);
  onTestFinished(() => fixture.close());
  const spec = specFor(fixture.workspace, { limits: ATTEMPT_LIMITS, network: { allow: ["example.com"] } });
  const readOnly = { name: "ro", hostPath: fixture.readOnly, path: fixture.readOnly, access: "ro" } as const;
  const sandbox = await openSandbox(aBackend(), { ...spec, mounts: [...spec.mounts, readOnly] });
  onTestFinished(() => sandbox.close());
  const run = runInWorkspace(sandbox);
  const attempt = attempts.find((one) => one.name === name)!;
  // Nothing is moved: what is read-only is where it is on the host.
  const moved = { READ_ONLY_INSIDE: fixture.readOnly };
  return runAttempt(attempt, (script, env) => run(script, { ...env, ...moved }), fixture, ATTEMPT_LIMITS);
}

describe("escapes from an srt sandbox", () => {
  testInside.for(attempts.filter(({ name }) => !NOT_KEPT["sandbox-runtime"]!.includes(name)))(
    "$name",
    async ({ name }) => {
      expect(await tried(name)).toMatchObject({ verdict: "kept" });
    },
  );
});

testInside("what can be written beside the workspace is of the sandbox alone", async () => {
  const { run } = await anOpen(specFor(aWorkspace()));
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

testInside(
  "nothing of the host's environment comes along, and its own variables are on no command line",
  async () => {
    process.env["HAFT_TEST_SECRET"] = "of the host";
    onTestFinished(() => void delete process.env["HAFT_TEST_SECRET"]);
    const secret = crypto.randomUUID();
    const { run } = await anOpen(specFor(aWorkspace(), { env: { TOKEN: secret } }));
    const { output } = await run("env");
    expect(output).toContain(`TOKEN=${secret}`);
    expect(output).not.toContain("of the host");
    const commandLines = readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => readCommandLine(pid));
    expect(commandLines.filter((line) => line.includes(secret))).toEqual([]);
  },
);

function readCommandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    // Ended in between.
    return "";
  }
}
