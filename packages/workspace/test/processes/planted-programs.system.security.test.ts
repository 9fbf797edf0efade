import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { stateFolderIn } from "../../../../test/support/compile-cache.ts";
import { createHostProcesses, createHostWorkspace } from "../../src/index.ts";
import { launchRunner } from "../../src/processes/launch-runner.ts";
import { findLeftoverGroups } from "../../src/processes/session-group.ts";
import { SHELLS } from "../../src/run/shell-program.ts";
import { EACH_START_MODE, folder, run, session, until } from "./support.ts";

const NAMES = ["bash", "bwrap", "mkfifo", "ps", "script", "sh", "stty"];

/** As under `npx`: a folder of the workspace comes first on the PATH, and is full of programs that tell on themselves. */
function planted(): { root: string; ran: () => string } {
  const base = folder();
  const root = join(base, "ws");
  const bin = join(root, "node_modules/.bin");
  const mark = join(base, "ran");
  mkdirSync(bin, { recursive: true });
  for (const name of NAMES) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho "${name} $*" >>'${mark}'\nexec /usr/bin/${name} "$@"\n`);
    chmodSync(join(bin, name), 0o755);
  }
  vi.stubEnv("PATH", [bin, process.env["PATH"]].join(delimiter));
  onTestFinished(() => void vi.unstubAllEnvs());
  return { root, ran: () => (existsSync(mark) ? readFileSync(mark, "utf8") : "") };
}

function isOnMachine(name: string): boolean {
  return (process.env["PATH"] ?? "")
    .split(delimiter)
    .some((each) => !each.includes("node_modules") && existsSync(join(each, name)));
}

function openSession(root: string, options: Parameters<typeof session>[0]) {
  const stateFolder = stateFolderIn(folder());
  const processes = createHostProcesses({
    workspace: createHostWorkspace({ root }),
    stateFolder,
    ...options,
  });
  onTestFinished(() => processes.close({ graceMs: 0 }));
  return processes;
}

describe.each(EACH_START_MODE)("programs in the workspace, $name", ({ options }) => {
  test("are not started for a command, its pipes or its end", async () => {
    const { root, ran } = planted();
    const processes = openSession(root, options);
    const spec = { argv: ["/bin/cat"], stdin: "open" } as const;
    const { id } = await processes.start("one", spec);
    await processes.write(id, Buffer.from("hi\n"));
    await processes.closeStdin(id);
    await processes.wait(id);
    expect(Buffer.concat((await processes.read(id, 0)).chunks.map(({ bytes }) => bytes)).toString()).toBe(
      "hi\n",
    );
    await processes.close({ graceMs: 0 });
    expect(ran()).toBe("");
  });

  test.each(["sh", "bash"])("are not used as %s for a script, also not as a waiting shell", async (shell) => {
    const { root, ran } = planted();
    const processes = openSession(root, { ...options, spareShell: true });
    for (const script of ["echo $0", "echo $0; echo again", "echo $0"]) {
      expect((await run(processes, { script, shell })).text).toMatch(new RegExp(`^${shell}\n`));
    }
    const { files } = await processes.identify([{ name: shell, shell: true }, { name: shell }], {});
    expect(files.map((file) => file?.path.startsWith(root))).toEqual([false, true]);
    const { id } = await processes.start("pty", {
      script: "echo on a terminal",
      shell,
      pty: { cols: 80, rows: 24 },
    });
    await processes.wait(id);
    await processes.close({ graceMs: 0 });
    expect(ran()).toBe("");
  });

  test("are not used if only the workspace has the shell", async () => {
    const { root, ran } = planted();
    const shell = SHELLS.find((name) => !isOnMachine(name))!;
    writeFileSync(join(root, "node_modules/.bin", shell), "#!/bin/sh\n", { mode: 0o755 });
    const processes = openSession(root, options);
    await expect(processes.start("one", { script: "true", shell })).rejects.toMatchObject({
      code: "HOST_PROGRAM_MISSING",
      message: expect.stringContaining(`node_modules/.bin/${shell}`),
    });
    await expect(processes.start("two", { script: "true", shell: "no-such-shell" })).rejects.toMatchObject({
      code: "PROGRAM_NOT_FOUND",
      message: expect.stringContaining("by its path"),
    });
    expect((await run(processes, { script: "echo $0", shell: "/bin/sh" })).text).toBe("/bin/sh\n");
    expect(ran()).toBe("");
  });

  test("are not started for a terminal or its size", async () => {
    const { root, ran } = planted();
    const processes = openSession(root, { ...options, scriptTerminals: true });
    const argv = ["/bin/sh", "-c", "/usr/bin/stty size; read x; /usr/bin/stty size"];
    const { id } = await processes.start("one", { argv, pty: { cols: 71, rows: 17 } });
    const text = async () =>
      Buffer.concat((await processes.read(id, 0)).chunks.map(({ bytes }) => bytes)).toString();
    await expect.poll(text).toContain("17 71");
    await processes.resize(id, { cols: 72, rows: 18 });
    await until("it has read a line", async () => {
      await processes.write(id, Buffer.from("\n")).catch(() => {});
      return (await processes.info(id))?.state !== "running";
    });
    await processes.close({ graceMs: 0 });
    expect(ran()).toBe("");
  });

  test("are still found by commands", async () => {
    const { root, ran } = planted();
    const processes = openSession(root, options);
    await run(processes, { argv: ["stty", "--version"] });
    expect(ran()).toBe("stty --version\n");
  });
});

test("rejects a program that was replaced between two starts, without a fallback", async () => {
  const bin = folder();
  const bwrap = join(bin, "bwrap");
  writeFileSync(bwrap, '#!/bin/sh\nexec /usr/bin/bwrap "$@"\n');
  chmodSync(bwrap, 0o755);
  vi.stubEnv("PATH", [bin, process.env["PATH"]].join(delimiter));
  onTestFinished(() => void vi.unstubAllEnvs());
  const first = session();
  expect((await run(first.processes, { argv: ["/bin/echo", "hi"] })).text).toBe("hi\n");
  appendFileSync(bwrap, "# more\n");
  const stateFolder = folder();
  const second = session({ stateFolder });
  const starting = second.processes.start("two", { argv: ["/bin/touch", join(second.root, "ran")] });
  await expect(starting).rejects.toMatchObject({
    code: "HOST_PROGRAM_CHANGED",
    category: "operational",
    receipt: "none",
    message: expect.stringContaining(`${bwrap} is not the file any more that this host found as bwrap`),
    fix: expect.stringContaining("restart the host"),
  });
  expect(existsSync(join(second.root, "ran"))).toBe(false);
  expect(readdirSync(stateFolder)).toEqual([]);
  const another = {
    runId: Buffer.from(crypto.getRandomValues(new Uint8Array(4))).toString("hex"),
    folder: folder(),
  };
  const table = { ...another, maxRunning: 1, spareShell: false };
  const launched = launchRunner({
    isolation: "namespace",
    table,
    controlGroups: true,
    env: {},
    maxTasks: 100,
    onLost: () => {},
  });
  await expect(launched).rejects.toMatchObject({ code: "HOST_PROGRAM_CHANGED" });
  expect(findLeftoverGroups(another)).toEqual([]);
  rmSync(bwrap);
});

test("rejects a silent bubblewrap instead of weakening the isolation", async () => {
  const bin = folder();
  vi.stubEnv("PATH", [bin, process.env["PATH"]].join(delimiter));
  onTestFinished(() => void vi.unstubAllEnvs());
  writeFileSync(join(bin, "bwrap"), "#!/bin/sh\nexec sleep 1000\n", { mode: 0o755 });
  const stateFolder = folder();
  const processes = openSession(folder(), { startMs: 100, stateFolder });
  await expect(processes.start("one", { argv: ["true"] })).rejects.toMatchObject({
    code: "RUNNER_UNAVAILABLE",
    message: expect.stringContaining("it said nothing for 0.1 seconds"),
  });
  expect(processes.isolation).toBeUndefined();
  expect(readdirSync(stateFolder)).toEqual([]);
});
