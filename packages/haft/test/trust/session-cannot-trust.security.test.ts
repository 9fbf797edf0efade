import { contentToText } from "@haft/core";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { haftCommand } from "../../../../test/support/build-under-test.ts";
import { createConfiguredWorkspace } from "../../../../test/support/configured-workspace.ts";
import { view } from "../../../../test/support/view.ts";
import { openHost } from "../../../host/test/support/open-host.ts";
import type { HostOptions } from "../../src/index.ts";
import { haftHere } from "../support/haft.ts";

const FILE = "policy: { deny: [ls], sessions: { main: { grant: [write] } } }\n";

/** A session in a workspace that asks for trust, with what Haft keeps where its commands could look for it. */
async function session(options: HostOptions = {}, stateName = "state") {
  const workspace = await createConfiguredWorkspace({ "w/haft.config.yaml": FILE });
  for (const [name, value] of Object.entries(workspace.env)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const stateDir = join(workspace.above, stateName);
  const host = await openHost({
    workspaceDir: workspace.cwd,
    config: true,
    stateDir,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    ...options,
  });
  const opened = await host.openSession();
  const call = (name: string, args: object) => opened.call({ name, arguments: args });
  return { ...workspace, host, call, stateDir, records: () => names(join(stateDir, "trust")) };
}

function names(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

test("refuses commands that trust, like those that answer approvals", async () => {
  const { call, records } = await session();
  for (const command of [
    "haft config trust --yes",
    "npx haft config trust . --yes",
    "cd . && haft config untrust .",
  ])
    expect(await call("exec", { command })).toMatchObject({ kind: "error", code: "EXEC_SELF_APPROVAL" });
  expect(records()).toEqual([]);
});

test("neither adds nor removes trust when a session starts Haft", async () => {
  const { at } = await createConfiguredWorkspace({ "w/haft.config.yaml": FILE });
  expect(await haftHere(["config", "trust", "--yes"], at)).toMatchObject({ code: 0 });
  const inSession = { ...at, env: { ...at.env, HAFT_PROCESS: "1" } };
  for (const args of [
    ["trust", "--yes"],
    ["untrust", "."],
    ["untrust", "--all"],
  ])
    expect(await haftHere(["config", ...args], inSession)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("[INSIDE_SESSION]"),
    });
  expect((await haftHere(["config", "trusted", "--json"], inSession)).lines()[0].trusted).toHaveLength(1);
});

test("protects the records of trust from file tools at any path", async () => {
  const { call, records } = await session({}, "w/state");
  for (const path of ["state/trust/x.json", "state/trust"])
    for (const [name, args] of [
      ["write", { path, content: "{}" }],
      ["read", { path }],
    ] as const)
      expect(await call(name, args)).toMatchObject({ code: "PATH_DENIED" });
  expect(records()).toEqual([]);
});

test("prevents file tools from changing configurations without a person", async () => {
  const { call, cwd } = await session({ approvalMode: "deny" });
  for (const path of ["haft.config.json", "deep/haft.config.ts", "haft.config.yaml"])
    expect(await call("write", { path, content: "{}" })).not.toMatchObject({ kind: "ok" });
  expect(existsSync(join(cwd, "haft.config.json"))).toBe(false);
  expect(readFileSync(join(cwd, "haft.config.yaml"), "utf8")).toBe(FILE);
});

test.skipIf(!view.available)(
  "protects records of trust from contained commands, also through Haft, and quarantines their files",
  async () => {
    const { call, cwd, records, stateDir, host } = await session({
      policy: { exec: { preset: "contained" } },
    });
    const run = async (command: string) => contentToText((await call("exec", { command })).content);
    const start = [...haftCommand, "config", "trust", ".", "--yes", "--state", stateDir]
      .map((word) => `'${word}'`)
      .join(" ");
    await writeFile(join(cwd, "start.sh"), `${start}\n`);
    // A checkout in the temporary files of this machine is not in the view.
    const isThere = (await run(`test -e '${haftCommand.at(-1)}' && echo there`)).includes("there");
    const refused = isThere ? /INSIDE_SESSION[^]*ended 1/ : /ended [1-9]/;
    expect(await run("sh start.sh; echo ended $?")).toMatch(refused);
    // Also without what says that a session started it.
    expect(await run("env -u HAFT_PROCESS sh start.sh; echo ended $?")).toMatch(/ended [1-9]/);
    await run(`mkdir -p '${stateDir}/trust'; echo '{}' > '${stateDir}/trust/x.json'`);
    expect(records()).toEqual([]);
    const result = await run(
      `echo '{"policy":{"deny":["*"]}}' > haft.config.json; chmod 777 . ; chmod 777 haft.config.yaml; true`,
    );
    expect(`${result}${await run("true")}`).toContain("haft.config.json");
    expect(existsSync(join(cwd, "haft.config.json"))).toBe(false);
    // Its rights were changed, and its rules stay.
    await host.close();
    const again = await openHost({
      workspaceDir: cwd,
      config: true,
      stateDir,
      logger: { debug() {}, info() {}, warn() {}, error() {} },
    });
    expect((await again.preview()).missing().map(({ name }) => name)).toContain("ls");
    await chmod(cwd, 0o755);
    // The same, started by its user: it is no broken script that gave none.
    expect(spawnSync("sh", ["start.sh"], { cwd, encoding: "utf8" })).toMatchObject({ status: 0 });
    expect(records()).toHaveLength(1);
  },
);
