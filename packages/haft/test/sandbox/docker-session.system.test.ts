import { createDockerBackend } from "@haft/sandbox";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { startDockerd } from "../../../../test/support/dockerd.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { openTestHost, call, run, getText } from "../../../host/test/sandbox/support.ts";
import { openInspectedHost } from "../../../inspector/test/support/inspector-client.ts";
import { haft, haftHere } from "../support/haft.ts";

const daemon = await startDockerd();
afterAll(() => daemon?.stop());
const socketPath = daemon?.socketPath ?? "";
const backend = () => createDockerBackend({ socketPath });

describe.skipIf(daemon === undefined)("a session in a container", () => {
  test("runs every tool inside, and leaves nothing", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "a.txt"), "of the host\n");
    const host = await openTestHost(cwd, { sandbox: { backend: backend(), workspaceAccess: "rw" } });
    const session = await host.openSession({ kind: "group", sandbox: {} });
    expect(session.facts).toMatchObject({ kind: "sandboxed", sandbox: { mount: "rw", network: "none" } });
    expect(getText(await call(session, "sandboxed_read", { path: join(cwd, "a.txt") }))).toBe(
      "of the host\n",
    );
    expect(
      await call(session, "edit", { path: "a.txt", oldText: "host", newText: "container" }),
    ).toMatchObject({
      kind: "ok",
    });
    expect(await run(session, "cat a.txt; pwd")).toBe("of the container\n/workspace");
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("of the container\n");
    expect(await call(session, "exec", { command: "true", host: "gateway" })).toMatchObject({
      code: "EXEC_UNAVAILABLE",
    });
    expect(await run(session, "cat /proc/net/dev | grep -v 'lo:' | grep -c ': ' || true")).toBe("0");
    await session.close();
    expect(await backend().list()).toEqual([]);
  });

  test("reports its use as far as the Engine measures it, and never as 0", async () => {
    const { host, page } = await openInspectedHost({ sandbox: { backend: backend() } });
    await host.openSession({ kind: "sandboxed" });
    const [{ use = {}, limits }] = (await page.get("/api/places")).sandboxes;
    // What it has used of time has no limit.
    const limited = Object.keys(use).filter((name) => !name.startsWith("cpu"));
    expect(Object.keys(limits)).toEqual(expect.arrayContaining(limited));
    for (const name of ["memoryMb", "tasks"]) if (name in use) expect(Number(use[name])).toBeGreaterThan(0);
  });

  test("protects code that the host loads, and settings that start programs", async () => {
    const cwd = await temporaryFolder();
    await mkdir(join(cwd, "node_modules/plugin"), { recursive: true });
    await mkdir(join(cwd, ".vscode"));
    for (const path of ["node_modules/plugin/lazy.js", ".vscode/tasks.json", ".envrc"])
      await writeFile(join(cwd, path), "one\n");
    const host = await openTestHost(cwd, {
      sandbox: { backend: backend(), workspaceAccess: "rw" },
      boundary: { code: [join(cwd, "node_modules/plugin")] },
    });
    const session = await host.openSession({ kind: "sandboxed" });
    const plant = `
      echo evil > node_modules/plugin/lazy.js
      rm -rf node_modules/plugin
      mv node_modules away && mkdir -p node_modules/plugin && echo evil > node_modules/plugin/lazy.js
      echo evil > .vscode/tasks.json
      mv .vscode v && mkdir .vscode && echo evil > .vscode/tasks.json
      echo evil > .envrc; rm -f .envrc; mv -f node_modules/other .envrc
      echo other > node_modules/ordinary; true`;
    expect(await call(session, "exec", { command: plant })).toMatchObject({ kind: "ok" });
    for (const path of ["node_modules/plugin/lazy.js", ".vscode/tasks.json", ".envrc"])
      expect(await readFile(join(cwd, path), "utf8")).toBe("one\n");
    expect(await readFile(join(cwd, "node_modules/ordinary"), "utf8")).toBe("other\n");
    expect(await call(session, "write", { path: ".envrc", content: "evil" })).toMatchObject({
      code: "READ_ONLY",
    });
  });

  test("explains why only this container cannot be opened", async () => {
    const where = { cwd: await temporaryFolder(), env: { DOCKER_HOST: `unix://${socketPath}` } };
    const explain = ["sandbox", "explain", "--sandbox", "docker"];
    expect(await haftHere(explain, where)).toMatchObject({ code: 0 });
    const missing = await haftHere([...explain, "--sandbox-image", "nope/none"], where);
    expect(missing.code).toBe(1);
    expect(missing.stdout).toMatch(/could not be opened here[^]*nope\/none/);
    expect(await backend().list()).toEqual([]);
  });

  test("opens a removed container again at the next call", async () => {
    const host = await openTestHost(await temporaryFolder(), { sandbox: { backend: backend() } });
    const session = await host.openSession({ kind: "sandboxed" });
    const running = call(session, "exec", { command: "sleep 30" });
    await run(session, "true");
    await backend().destroy(host.sandboxes()[0]!);
    expect(await running).toMatchObject({ code: "SANDBOX_LOST" });
    expect(await run(session, "echo again")).toBe("again");
  });

  test("reports exceeded memory with its limit and a fix, also after a lost sandbox", async () => {
    const image = createDockerBackend({ socketPath, runners: ["image-node"] });
    const sandbox = { backend: image, limits: { memoryMb: 128 } };
    const host = await openTestHost(await temporaryFolder(), { sandbox });
    const session = await host.openSession({ kind: "sandboxed" });
    const hog = `node -e 'const a=[];for(;;)a.push(Buffer.alloc(1048576,1))'`;
    const outcome = await call(session, "exec", { command: `${hog}; exit $?` });
    expect(getText(outcome)).toMatch(/more memory than its sandbox may use \(128 MiB\).*limits\.memoryMb/);
    expect(await run(session, "echo there")).toBe("there");
    // Everything else is made to go first, the runner, too.
    const command = `until grep -q 1000 /proc/self/oom_score_adj; do :; done
      for p in /proc/[0-9]*; do echo 1000 > $p/oom_score_adj; done 2>/dev/null
      echo 0 > /proc/self/oom_score_adj; ${hog}; exit $?`;
    const lost = await call(session, "exec", { command });
    expect(lost).toMatchObject({ code: "SANDBOX_LOST" });
    expect(getText(lost)).toContain("it used more than 128 MiB of memory");
    expect(await run(session, "echo again")).toBe("again");
  });

  test("opens by name from the command line", async () => {
    const [cwd, env] = [await temporaryFolder(), { DOCKER_HOST: `unix://${socketPath}` }];
    const args = ["tools", "call", "exec", '{"command":"pwd"}', "--sandbox", "docker"];
    expect(await haft(args, { cwd, env })).toMatchObject({ code: 0, stdout: "/workspace\n" });
    const missing = await haftHere([...args, "--sandbox-image", "haft-no-such-image"], { cwd, env });
    expect(missing).toMatchObject({ code: 1, stdout: "" });
    expect(missing.stderr).toContain("[SANDBOX_START_FAILED]");
    const doctor = await haftHere(["sandbox", "doctor", "--sandbox", "docker"], { cwd, env });
    expect(doctor.stdout).toMatch(/docker +works/);
    expect(await haftHere(["sandbox", "prune", "--json"], { cwd, env })).toMatchObject({ code: 0 });
  });
});
