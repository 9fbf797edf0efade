import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import { ASK_FOR_SIGNAL, watchForAsking } from "../../../../test/support/end-runner.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { isSkipped } from "../../../host/test/sandbox/support.ts";
import { haft } from "../support/haft.ts";

const NAMES = ["bwrap", "mkfifo", "mknod", "sh", "script", "stty", "ps", "socat", "rg", "ssh", "which"];
const FOLDER = "node_modules/.bin";

/** A workspace as it is under `npx` or an npm script, and what programs planted in it did on the host. */
async function setUp(folder = FOLDER) {
  const [cwd, outside] = [await temporaryFolder(), await temporaryFolder()];
  const bin = join(cwd, folder);
  await mkdir(bin, { recursive: true });
  const mark = join(outside, "ran");
  return {
    cwd,
    env: { PATH: [bin, process.env["PATH"]].join(delimiter) },
    script: (name: string) => `#!/bin/sh\necho ${name} >>${mark}\nexec /usr/bin/${name} "$@"\n`,
    async plant() {
      for (const name of NAMES) {
        await writeFile(join(bin, name), this.script(name));
        await chmod(join(bin, name), 0o755);
      }
    },
    ran: () => (existsSync(mark) ? readFileSync(mark, "utf8") : ""),
  };
}

const asLines = (...commands: string[]): string =>
  commands.map((command) => `${JSON.stringify({ name: "exec", arguments: { command } })}\n`).join("");

describe.skipIf(isSkipped)("programs planted in the workspace", () => {
  test("a session that plants bwrap and ends its runner gets its next sandbox from the host's bwrap", async () => {
    const { cwd, env, script, ran } = await setUp();
    watchForAsking(cwd);
    const planted = script("bwrap").replaceAll("'", `'\\''`);
    const input = asLines(
      `printf %s '${planted}' >${FOLDER}/bwrap && chmod +x ${FOLDER}/bwrap && echo planted`,
      `${ASK_FOR_SIGNAL}; sleep 600`,
      "echo back; pwd",
    );
    const inside = ["--session", "sandboxed", "--sandbox", "bubblewrap", "--sandbox-access", "rw"];
    const { lines } = await haft(["run", "--json", ...inside], { cwd, env, input });
    const [first, second, third] = lines();
    expect(first).toMatchObject({ kind: "ok" });
    expect(second).toMatchObject({ kind: "error", code: "SANDBOX_LOST" });
    expect(third).toMatchObject({ kind: "ok" });
    expect(JSON.stringify(third)).toContain("back\\n/workspace");
    expect(ran()).toBe("");
  });

  test.each([FOLDER, "bin"])("doctor does not run them in %s", async (folder) => {
    const there = await setUp(folder);
    await there.plant();
    const { cwd, env } = there;
    const { code, lines } = await haft(["sandbox", "doctor", "--json"], { cwd, env });
    expect(code).toBe(0);
    expect(lines()[0][0]).toMatchObject({ available: true, details: { program: "/usr/bin/bwrap" } });
    expect(there.ran()).toBe("");
  });

  test("a main session runs them neither next to its command nor as its shell", async () => {
    const there = await setUp();
    await there.plant();
    const { cwd, env } = there;
    const { lines } = await haft(["run", "--json"], { cwd, env, input: asLines("/bin/echo hi") });
    expect(lines()[0]).toMatchObject({ kind: "ok" });
    expect(there.ran()).toBe("");
  });

  test("if there are no others, no sandbox opens, with the reason", async () => {
    const there = await setUp();
    await there.plant();
    const bin = join(there.cwd, FOLDER);
    const env = { PATH: bin };
    const call = [
      "tools",
      "call",
      "exec",
      '{"command":"true"}',
      "--sandbox",
      "bubblewrap",
      "--sandbox-access",
      "rw",
    ];
    const { code, stderr } = await haft(call, { cwd: there.cwd, env });
    expect(code).toBe(1);
    expect(stderr).toContain("[SANDBOX_UNAVAILABLE]");
    expect(stderr).toMatch(/bwrap is not started from \S+\/bwrap: it lies in /);
    expect(there.ran()).toBe("");
  });

  test("with the workspace /, the excluded programs are named", async () => {
    const cwd = await temporaryFolder();
    const call = [
      "tools",
      "call",
      "exec",
      '{"command":"true"}',
      "--sandbox",
      "bubblewrap",
      "--workspace",
      "/",
    ];
    const { code, stderr } = await haft(call, { cwd });
    expect(code).toBe(1);
    expect(stderr).toMatch(/bwrap is not started from \/\S*bwrap(, which is \S+)?: it lies in \/, where/);
  });

  test("with the home folder, the programs of the system work", async () => {
    const there = await setUp(".local/bin");
    await there.plant();
    const env = { ...there.env, HOME: there.cwd };
    const call = [
      "tools",
      "call",
      "exec",
      '{"command":"echo hi"}',
      "--sandbox",
      "bubblewrap",
      "--workspace",
      there.cwd,
    ];
    const { stdout } = await haft(call, { cwd: there.cwd, env });
    expect(stdout).toContain("hi");
    expect(there.ran()).toBe("");
  });
});
