import { spawnSync } from "node:child_process";
import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { haftHere } from "../support/haft.ts";
import {
  claude,
  configure,
  env,
  home,
  hook,
  makeHome,
  policy,
  project,
  claudeRead,
  readReason,
  withVariables,
} from "./guard-home.ts";

beforeEach(() => makeHome());

describe("an unusable policy", () => {
  it.each([
    ["is broken", async () => writeFile(policy, "deny: [")],
    ["means nothing", async () => writeFile(policy, "denny: []")],
    ["is gone", async () => rm(policy)],
    ["is a folder", async () => rm(policy).then(async () => mkdir(policy))],
    [
      "is a pipe",
      async () => {
        await rm(policy);
        expect(spawnSync("mkfifo", [policy]).status).toBe(0);
      },
    ],
  ])("denies all calls except reads of it: %s", async (_what, change) => {
    expect((await hook(claude("ls"))).stdout).toBe("");
    await change();
    const { code, stdout, stderr } = await hook(claude("ls"));
    expect(code).toBe(2);
    expect(readReason(stdout)).toMatch(
      /^Haft denies every call: .*policy\.yaml.*To end the denials, a person runs: haft guard uninstall \(with --project .*\)$/,
    );
    expect(stderr).toBe(`${readReason(stdout)}\n`);
    for (const input of [claudeRead(policy), claude("haft guard status"), claude(`cat '${policy}'`)])
      expect(await hook(input)).toMatchObject({ code: 0, stdout: "" });
    for (const command of [
      `haft guard status; cat ${policy}`,
      "./haft guard status",
      `cat ${policy} ${home}/x`,
    ])
      expect([command, (await hook(claude(command))).code]).toEqual([command, 2]);
    expect((await hook(claudeRead(join(project, "other")))).code).toBe(2);
  });

  it("includes the operator's configuration", async () => {
    const userFile = await configure('policy: { deny: ["exec(rm *)"] }\n');
    expect(readReason((await hook(claude("rm x"), ["claude"])).stdout)).toContain("haft.config.yaml");
    await writeFile(userFile, "policy: { denny: [] }\n");
    expect((await hook(claude("ls"), ["claude"])).code).toBe(2);
    expect((await hook(claudeRead(userFile), ["claude"])).code).toBe(0);
  });

  it("is a deleted file that was in force, until a person accepts its deletion", async () => {
    const userFile = await configure('policy: { deny: ["exec(rm *)"] }\n');
    expect(readReason((await hook(claude("rm x"), ["claude"])).stdout)).toContain("haft.config.yaml");
    await rm(userFile);
    for (let times = 0; times < 2; times++) {
      const { code, stdout } = await hook(claude("ls"), ["claude"]);
      expect(code).toBe(2);
      expect(readReason(stdout)).toContain(`${userFile} was in force and no longer exists`);
      expect(readReason(stdout)).toMatch(
        /To end the denials, a person runs: haft guard forget \S+haft\.config\.yaml$/,
      );
    }
    expect((await hook(claude("haft guard status"), ["claude"])).code).toBe(0);
    const forgotten = await haftHere(["guard", "forget", userFile, join(home, "other.yaml")], {
      cwd: project,
      env,
    });
    expect(forgotten.code).toBe(1);
    expect(forgotten.stdout).toContain("it was never in force");
    expect(await hook(claude("rm x"), ["claude"])).toMatchObject({ code: 0, stdout: "", stderr: "" });
    // Under another of its names it is there.
    await writeFile(userFile, 'policy: { deny: ["exec(rm *)"] }\n');
    await hook(claude("ls"), ["claude"]);
    await rename(userFile, userFile.replace(".yaml", ".json"));
    await writeFile(userFile.replace(".yaml", ".json"), '{ "policy": { "deny": ["exec(mv *)"] } }');
    expect(readReason((await hook(claude("mv x y"), ["claude"])).stdout)).toContain("haft.config.json");
  });

  it("is not forgotten if an installed guard needs it", async () => {
    expect(
      (await haftHere(["guard", "install", "claude", "--policy", policy], { cwd: project, env })).code,
    ).toBe(0);
    await rm(policy);
    const { code, stdout } = await haftHere(["guard", "forget", policy], { cwd: project, env });
    expect(code).toBe(1);
    expect(stdout).toContain("--policy");
    expect(stdout).not.toContain("never in force");
  });

  it("of a workspace does not affect other rules, and is named", async () => {
    const file = join(project, "haft.config.yaml");
    await writeFile(file, 'policy: { deny: ["exec(mv *)"] }\n');
    expect(readReason((await hook(claude("mv x y"))).stdout)).toContain("haft.config.yaml");
    expect(readReason((await hook(claude("rm x"))).stdout)).toContain("policy.yaml");
    await writeFile(file, "policy: { denny: [");
    const moved = await hook(claude("mv x y"));
    expect([moved.code, moved.stdout]).toEqual([0, ""]);
    expect(moved.stderr).toContain(`${file} is not in force, but the other rules are`);
    expect(readReason((await hook(claude("rm x"))).stdout)).toContain(`${file} is not in force`);
  });

  it("of a workspace that was in force and is deleted is named in every answer in its folder", async () => {
    const file = join(project, "haft.config.yaml");
    expect((await hook(claude("ls"))).stderr).toBe("");
    await writeFile(file, 'policy: { deny: ["exec(mv *)"] }\n');
    expect(readReason((await hook(claude("mv x y"))).stdout)).toContain("haft.config.yaml");
    await rm(file);
    const note = `${file} was in force here and no longer exists; the other rules apply.`;
    for (let times = 0; times < 2; times++) {
      const { code, stdout, stderr } = await hook(claude("mv x y"));
      expect([code, stdout]).toEqual([0, ""]);
      expect(stderr).toContain(note);
      expect(readReason((await hook(claude("rm x"))).stdout)).toContain(note);
    }
    const elsewhere = JSON.parse(claude("ls")) as object;
    expect((await hook(JSON.stringify({ ...elsewhere, cwd: home }), ["claude"])).stdout).toBe("");
    await writeFile(file, 'policy: { deny: ["exec(mv *)"] }\n');
    expect(readReason((await hook(claude("mv x y"))).stdout)).not.toContain("no longer exists");
    await rm(file);
    await hook(claude("ls"));
    expect((await haftHere(["guard", "forget", file], { cwd: project, env })).code).toBe(0);
    expect((await hook(claude("ls"))).stderr).toBe("");
  });

  it.each([
    ["a pipe", async (file: string) => void spawnSync("mkfifo", [file])],
    [
      "a link to a pipe",
      async (file: string) => {
        spawnSync("mkfifo", [join(home, "pipe")]);
        await symlink(join(home, "pipe"), file);
      },
    ],
    ["a link to what never ends", async (file: string) => symlink("/dev/zero", file)],
    ["a link to nothing", async (file: string) => symlink(join(home, "nothing"), file)],
    ["too large", async (file: string) => writeFile(file, `# ${"x".repeat(2_000_000)}`)],
  ])("of a workspace blocks no calls if it is %s", async (_what, make) => {
    const file = join(project, "haft.config.yaml");
    await make(file);
    for (let times = 0; times < 2; times++) {
      const { code, stderr } = await hook(claude("ls"));
      expect(code).toBe(0);
      expect(stderr).toContain(`${file} is not in force`);
      expect(readReason((await hook(claude("rm x"))).stdout)).toContain("policy.yaml");
    }
  });

  it("of a workspace never loosens rules", async () => {
    await writeFile(join(project, "haft.config.yaml"), 'policy: { mode: "off", allow: ["*"] }\n');
    expect(readReason((await hook(claude("rm x"))).stdout)).toContain("policy.yaml");
  });

  it("of the administrator applies before all others", async () => {
    const machine = join(home, "machine.yaml");
    await writeFile(machine, 'deny: ["effect:network"]\n');
    withVariables({ HAFT_ADMIN_POLICY: machine });
    const fetched = claude("", {
      tool_name: "WebFetch",
      tool_input: { url: "https://example.com", prompt: "x" },
    });
    expect(readReason((await hook(fetched)).stdout)).toContain("machine.yaml");
    await rm(machine);
    expect((await hook(claude("ls"))).code).toBe(2);
  });
});
