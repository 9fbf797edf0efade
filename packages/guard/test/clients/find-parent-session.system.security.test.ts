import { createHostProcesses, createHostWorkspace, type HostProcessesOptions } from "@haft/workspace";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { conditions } from "../../../../test/support/build-under-test.ts";

const folderOf = (name: string) => join(import.meta.dirname, "../../src/clients", name);
const word = (text: string) => `'${text}'`;

/** Runs scripts as uncontained commands; `probe` is a line that prints why its process counts as one of a session. */
function session(options: Partial<HostProcessesOptions>) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "haft-above-")));
  const processes = createHostProcesses({
    workspace: createHostWorkspace({ root }),
    stateFolder: join(root, "state"),
    ...options,
  });
  onTestFinished(async () => {
    await processes.close({ graceMs: 0 });
    rmSync(root, { recursive: true, force: true });
  });
  writeFileSync(
    join(root, "probe.ts"),
    `import { findParentSession } from ${JSON.stringify(folderOf("find-parent-session.ts"))};
     import { findProcessInProc } from ${JSON.stringify(folderOf("client-process.ts"))};
     console.log("above: " + findParentSession(findProcessInProc));`,
  );
  const probe = [process.execPath, ...conditions, "--no-warnings", join(root, "probe.ts")]
    .map(word)
    .join(" ");
  let count = 0;
  const run = async (script: string) => {
    const out = join(root, "out");
    writeFileSync(join(root, "run.sh"), script);
    const { id } = await processes.start(`run-${++count}`, { script: `sh run.sh >${out} 2>&1`, cwd: root });
    await processes.wait(id);
    return readFileSync(out, "utf8");
  };
  return { root, processes, probe, run };
}

const letGo = (line: string) =>
  `rm -f done; (setsid sh -c "${line} >said 2>&1; echo >done" &)\nuntil [ -e done ]; do sleep 0.05; done; cat said`;

describe.skipIf(process.platform !== "linux")("recognising a process of a command", () => {
  test.each<[string, Partial<HostProcessesOptions>]>([
    ["in a namespace", {}],
    ["among all processes", { isolation: "group" }],
  ])("%s: finds the ancestors without variables and open files", async (_, options) => {
    const { probe, run } = session(options);
    expect(await run(`exec env -i ${probe} 9>&-`)).toMatch(/above: process \d+/);
    expect(await run(`env -i setsid ${probe} 9>&-`)).toMatch(/above: process \d+/);
  });

  test("in a namespace: finds a detached process", async () => {
    const { probe, run, processes } = session({});
    expect(processes.isolation?.kind ?? "namespace").toBe("namespace");
    expect(await run(letGo(`env -i ${probe} 9>&-`))).toMatch(/above: process \d+/);
  });

  test("among all processes: finds a detached process by its open file or control group", async () => {
    const { probe, run, processes } = session({ isolation: "group" });
    expect(await run(letGo(`env -i ${probe}`))).toMatch(/above: process \d+/);
    if (processes.isolation?.ends === "control-groups")
      expect(await run(letGo(`env -i ${probe} 9>&-`))).toMatch(/control group/);
  });

  test("on the host: finds a process by its variables, by its parents' variables, and by its open file", async () => {
    const { probe, run } = session({ startedBy: "host" });
    expect(await run(probe)).toContain("HAFT_PROCESS is set");
    expect(await run(`env -i ${probe} 9>&-`)).toMatch(/above: process \d+ has the variables/);
    expect(await run(`exec env -i ${probe}`)).toMatch(/open file/);
  });

  test("ignores a process that no command started", async () => {
    const { findParentSession } = (await import(folderOf("find-parent-session.ts"))) as {
      findParentSession: (look: unknown, pid?: number) => string | undefined;
    };
    const { findProcessInProc } = (await import(folderOf("client-process.ts"))) as {
      findProcessInProc: unknown;
    };
    expect(findParentSession(findProcessInProc)).toBeUndefined();
  });
});
