import { createSandboxRuntimeBackend } from "@haft/sandbox";
import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { isSkipped } from "../../../../host/test/sandbox/support.ts";
import { converse, haft, haftHere } from "../../support/haft.ts";

/** A machine without any sandbox, also of the tests beside. */
async function nothingHere() {
  const cwd = await temporaryFolder();
  return { cwd, env: { PATH: cwd, TMPDIR: cwd, DOCKER_HOST: `unix://${cwd}/no-docker.sock` } };
}

describe("without a working sandbox", () => {
  test("doctor prints reasons and fixes, and fails", async () => {
    const { code, stdout } = await haft(["sandbox", "doctor"], await nothingHere());
    expect(code).toBe(1);
    expect(stdout).toMatch(/bubblewrap +does not work/);
    expect(stdout).toMatch(/docker +does not work/);
    expect(stdout).toMatch(/because +.*bwrap[^]*to have it +/);
    expect(stdout).toContain(
      "No sandbox works here, so sandboxed sessions cannot be opened. They never run on the host instead.",
    );
    const json = await haft(["sandbox", "doctor", "--json"], await nothingHere());
    expect(json.lines()[0]).toMatchObject([
      { backend: "bubblewrap", available: false },
      { backend: "docker", available: false },
      { backend: "sandbox-runtime", available: false },
      { backend: "contained", available: false },
      // No shell is there that would enter a group.
      {
        backend: "host",
        available: true,
        details: { "ended by": expect.stringMatching(/^processes with their mark/) },
      },
    ]);
  });

  test("doctor works without a temporary folder", async () => {
    const { cwd } = await nothingHere();
    const { code, stdout, stderr } = await haft(["sandbox", "doctor"], {
      cwd,
      env: { TMPDIR: join(cwd, "gone"), DOCKER_HOST: `unix://${cwd}/no-docker.sock` },
    });
    expect([code, stderr]).toEqual([1, ""]);
    expect(stdout).toContain(
      `No folder can be created in ${join(cwd, "gone")}, the folder of temporary files`,
    );
    expect(stdout).toContain("set TMPDIR to another");
    expect(stdout).toContain("Commands on the host cannot be contained.");
    expect(stdout).toContain("No command could be tried on the host.");
    expect(stdout).not.toContain("ENOENT");
  });

  test("explain reports that the session cannot be opened, and describes it", async () => {
    const { code, stdout } = await haft(["sandbox", "explain"], await nothingHere());
    expect(code).toBe(1);
    expect(stdout).toContain("could not be opened here");
    expect(stdout).toMatch(/network +none/);
  });

  test("call runs nothing", async () => {
    const run = await haft(
      ["tools", "call", "exec", '{"command":"touch made"}', "--sandbox", "auto"],
      await nothingHere(),
    );
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain("[SANDBOX_UNAVAILABLE]");
  });

  test("a list of hosts needs sandbox-runtime, and explain names its requirements", async () => {
    const hosts = ["--session", "sandboxed", "--sandbox-network", "example.com"];
    const call = ["tools", "call", "exec", '{"command":"touch made"}', ...hosts];
    const auto = await haft(call, await nothingHere());
    expect(auto).toMatchObject({ code: 1, stdout: "" });
    expect(auto.stderr).toMatch(/sandbox-runtime sandboxes on this machine: it needs bwrap and socat and rg/);
    for (const backend of ["bubblewrap", "docker"]) {
      const named = await haft([...call, "--sandbox", backend], await nothingHere());
      expect(named).toMatchObject({ code: 1, stdout: "" });
      expect(named.stderr).toMatch(/SANDBOX_UN(SUPPORTED|AVAILABLE)/);
    }
  });

  test("list and prune find nothing, name backends without an answer, and fail", async () => {
    const where = await nothingHere();
    const list = await haft(["sandbox", "list", "--json"], where);
    expect(list).toMatchObject({ code: 1 });
    expect(list.lines()[0].unasked.map(({ backend }: { backend: string }) => backend)).toEqual(["docker"]);
    const text = await haft(["sandbox", "list"], where);
    expect(text).toMatchObject({ code: 1, stdout: "The backends that answered have no sandboxes.\n" });
    expect(text.stderr).toContain("docker did not answer, and may have sandboxes");
    expect(await haft(["sandbox", "prune"], where)).toMatchObject({ code: 1 });
  });
});

describe.skipIf(isSkipped)("with bubblewrap", () => {
  const inside = ["--session", "sandboxed", "--sandbox", "bubblewrap"];

  test("doctor measures it", async () => {
    const run = await haftHere(["sandbox", "doctor", "--sandbox", "bubblewrap", "--json"], {
      cwd: await temporaryFolder(),
    });
    expect(run.code).toBe(0);
    const [probe] = run.lines()[0];
    expect(probe).toMatchObject({ backend: "bubblewrap", available: true });
    expect(probe.startMs).toBeGreaterThan(0);
  });

  test("call, run, tools and explain work in it", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "a.txt"), "x\n");
    const read = await haftHere(
      ["tools", "call", "read", '{"path":"a.txt"}', ...inside, "--sandbox-access", "ro"],
      {
        cwd,
      },
    );
    expect(read).toMatchObject({ code: 0, stdout: "x\n" });
    const hidden = await haftHere(["tools", "call", "read", '{"path":"a.txt"}', ...inside], { cwd });
    expect(hidden.code).toBe(1);
    const exec = await haft(["tools", "call", "exec", '{"command":"pwd; ls -A"}', ...inside], { cwd });
    expect(exec.stdout.trim()).toBe("/workspace");
    const answers = await haftHere(["run", "--json", ...inside], {
      cwd,
      input:
        '{"name":"write","arguments":{"path":"b","content":"1"}}\n{"name":"read","arguments":{"path":"b"}}\n',
    });
    expect(answers.lines().map(({ kind }) => kind)).toEqual(["ok", "ok"]);
    expect((await haftHere(["tools", "--session", "sandboxed"], { cwd })).stdout).toContain(
      "Tools of a sandboxed session",
    );
    const explained = await haftHere(["explain", "write", '{"path":"b","content":""}', ...inside], { cwd });
    expect(explained.stdout).toContain("acts on the sandbox (mount none, network none)");
  });

  test("explain shows backend, folders, limits and tools", async () => {
    const cwd = await temporaryFolder();
    execFileSync("mkfifo", [join(cwd, "queue")]);
    const { code, stdout } = await haftHere(["sandbox", "explain", ...inside, "--sandbox-access", "rw"], {
      cwd,
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/backend +bubblewrap/);
    expect(stdout).toContain("as /workspace (rw)");
    expect(stdout).toMatch(/limits +1024 MiB of memory, 512 processes/);
    expect(stdout).toMatch(/read-only means +the content of files: commands can lock/);
    expect(stdout).toMatch(/sockets, FIFOs +masked, by their paths on the host: \S+\/queue; while/);
    if (process.getuid?.() === 0) expect(stdout).toContain("also files that only root may read");
    expect(stdout).toMatch(/exec +yes/);
  });

  test("list shows a sandbox of another process while it exists", async () => {
    const cwd = await temporaryFolder();
    const key = `list-${process.pid}`;
    // Sandboxes are listed, and ended, by their records there: those of the tests beside are not meant.
    const env = { TMPDIR: await temporaryFolder() };
    const explained = await haft(["sandbox", "explain", ...inside, "--session-key", key], { cwd, env });
    const [, name] = /^ *name +(session-[0-9a-f]{16})$/m.exec(explained.stdout) ?? [];
    const other = converse([...inside, "--session-key", key, "--json"], cwd, env);
    other.send({ name: "exec", arguments: { command: "echo there" } });
    expect(await other.answer()).toMatchObject({ kind: "ok" });
    const listed = async () =>
      (await haft(["sandbox", "list", "--json"], { cwd, env }))
        .lines()[0]
        .sandboxes.filter(({ key: one }: { key: string }) => one === name);
    const there = [{ backend: "bubblewrap", state: "running", detached: false }];
    expect(await listed()).toMatchObject(there);
    // Those of another backend are not meant.
    await haft(["sandbox", "prune", "--all", "--sandbox", "sandbox-runtime"], { cwd, env });
    expect(await listed()).toMatchObject(there);
    await other.end();
    expect(await listed()).toEqual([]);
  });
});

const runtime = await createSandboxRuntimeBackend().probe();

describe.skipIf(!runtime.available && process.env["HAFT_REQUIRE_SERVICES"] !== "1")(
  "with sandbox-runtime",
  () => {
    test("doctor measures it, and says when it is used", async () => {
      const cwd = await temporaryFolder();
      const { code, stdout } = await haftHere(["sandbox", "doctor"], { cwd });
      expect(code).toBe(0);
      expect(stdout).toMatch(/sandbox-runtime +works +\d+ ms to the first answer/);
      expect(stdout).toContain("With a list of hosts as their network they use sandbox-runtime.");
      expect(stdout).not.toContain("Sandboxed sessions use sandbox-runtime");
      expect(stdout).toMatch(
        /without containment:\n +separated by +a PID namespace[^]+ended by +(?:everything in their control group|processes with)/,
      );
    });

    test("a list of hosts selects it", async () => {
      const cwd = await temporaryFolder();
      const hosts = ["--session", "sandboxed", "--sandbox-network", "localhost:1,example.com"];
      const explained = await haftHere(["sandbox", "explain", ...hosts], { cwd });
      expect(explained.stdout).toMatch(/backend +sandbox-runtime/);
      expect(explained.stdout).toMatch(/network +only localhost:1, example\.com/);
      const called = await haftHere(["tools", "call", "exec", '{"command":"echo $HTTP_PROXY"}', ...hosts], {
        cwd,
      });
      expect(called).toMatchObject({ code: 0, stdout: expect.stringMatching(/^http:\/\/.*@localhost:\d+/) });
    });
  },
);
