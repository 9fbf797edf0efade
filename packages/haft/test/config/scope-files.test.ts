import { defineConfig, readPolicyFile } from "@haft/config";
import { type HostOptions, createHost } from "@haft/host";
import { realpathSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { haftHere } from "../support/haft.ts";

// One policy file for each agent, or kind of session, beside the one for all.

let folder = "";

beforeEach(async () => {
  folder = realpathSync(await temporaryFolder());
  await mkdir(join(folder, "w"));
  for (const name of ["HAFT_CONFIG", "HAFT_POLICY", "HAFT_ADMIN_POLICY"]) vi.stubEnv(name, "");
  vi.stubEnv("XDG_CONFIG_HOME", join(folder, "xdg"));
  onTestFinished(() => void vi.unstubAllEnvs());
});

async function file(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  return path;
}

async function host(options: HostOptions) {
  const made = await createHost({ workspaceDir: join(folder, "w"), stateDir: false, ...options });
  onTestFinished(() => made.close());
  return made;
}

async function missing(options: HostOptions, agentId: string): Promise<string[]> {
  const preview = await (await host(options)).preview({ agentId });
  return preview.missing().map(({ name, reason }) => `${name}: ${reason}`);
}

describe("an invalid file of rules rejects the configuration", () => {
  test.each([
    ["that is not there", "none.yaml", "{}", /none\.yaml: cannot read it: there is no such file/],
    ["that is no YAML", "mail.yaml", "deny: [", /mail\.yaml:1: it is not valid YAML/],
    ["with a key twice", "mail.yaml", "deny: [ls]\ndeny: [read]", /mail\.yaml:2: /],
    [
      "with an unknown tool",
      "mail.yaml",
      "# rules\ndeny: [wriet]",
      /mail\.yaml, line 2, agents\.mail\.deny\[0\]/,
    ],
    ["with scopes of its own", "mail.yaml", "agents: {}", /mail\.yaml, line 1, agents\.mail\.agents/],
    ["that is a list", "mail.yaml", "- ls", /agents\.mail/],
    ["without a name", '""', "", /p\.yaml:1: agents\.mail names no file/],
  ])("%s", async (_what, named, content, message) => {
    await file("mail.yaml", content);
    const policy = await file("p.yaml", `agents: { mail: ${named} }`);
    await expect(host({ policy })).rejects.toThrow(message);
    const checked = await haftHere(["policy", "check", policy], { cwd: folder });
    expect(checked.code).toBe(1);
    expect(checked.stderr).not.toBe("");
  });

  test("in a configuration", async () => {
    await file("mail.yaml", "deny: [wriet]");
    const config = await file("c.yaml", "policy:\n  agents: { mail: ./mail.yaml }");
    await expect(host({ config })).rejects.toThrow(/mail\.yaml, line 1, agents\.mail\.deny\[0\]/);
    await file("mail.yaml", "dney: [write]");
    await expect(host({ config })).rejects.toThrow(
      /mail\.yaml:1: policy\.agents\.mail\.dney: .*Did you mean "deny"/,
    );
  });

  test("a workspace cannot name files of rules", async () => {
    await file("w/haft.config.yaml", "policy: { agents: { mail: /etc/passwd } }");
    const warnings: string[] = [];
    const logger = { debug() {}, info() {}, warn: (line: string) => void warnings.push(line), error() {} };
    await host({ config: true, logger });
    expect(warnings.join("\n")).toMatch(/also says policy\.agents, which holds once you trust it/);
  });
});

test.each([
  "--policy",
  "HAFT_POLICY",
  "a configuration",
  "a configuration's policy file",
  "the administrator's",
])("applies rules of an agent from a separate file: %s", async (by) => {
  await file("rules/mail.yaml", "# for the mail agent\ndeny: [write]");
  const rules =
    "deny: [ls]\nagents:\n  mail: ./mail.yaml\n  other: { deny: [edit] }\nsessions: { group: ./mail.yaml }";
  const policy = await file("rules/p.yaml", rules);
  const indented = `policy:\n  ${rules.replaceAll("\n", "\n  ")}`;
  if (by === "HAFT_POLICY") vi.stubEnv("HAFT_POLICY", policy);
  const options: HostOptions =
    by === "--policy"
      ? { policy }
      : by === "the administrator's"
        ? { administratorPolicy: policy }
        : by === "a configuration"
          ? { config: await file("rules/c.yaml", indented) }
          : by === "HAFT_POLICY"
            ? { config: true }
            : { config: await file("rules/c.yaml", "policy: ./p.yaml") };
  const [first, ...others] = await missing(options, "mail");
  expect([first, ...others].filter((each) => /^(ls|write|edit):/.test(each!))).toEqual([
    expect.stringMatching(/^write: .*mail\.yaml:2: agents\.mail\.deny\[0\]/),
    expect.stringMatching(/^ls: .*(?:p|c)\.yaml:[12]: deny\[0\]/),
  ]);
  expect((await missing(options, "main")).filter((each) => each.startsWith("write"))).toEqual([]);
});

test("names that file in fixes and in `config show`", async () => {
  const mail = await file("mail.yaml", "# x\ndeny: [write]");
  const policy = await file("p.yaml", "agents: { mail: ./mail.yaml }");
  const preview = await (await host({ policy })).preview({ agentId: "mail" });
  expect((await preview.explain("write")).fix).toBe(`Remove "write" from agents.mail.deny[0] in ${mail}.`);
  const shown = await haftHere(["config", "show", "--policy", policy, "-w", "w"], { cwd: folder });
  expect(shown.stdout).toMatch(/policy\.agents\.mail\.deny\[0\] +"write" +\S+mail\.yaml:2/);
});

test("types such files in code", async () => {
  const mail = await file("mail.yaml", "deny: [write]");
  const config = defineConfig({
    policy: { agents: { mail: "./mail.yaml" }, sessions: { group: "./mail.yaml" } },
  });
  const path = await file("haft.config.ts", `export default ${JSON.stringify(config)};`);
  expect(await missing({ config: path }, "mail")).toContainEqual(
    expect.stringContaining(`${mail}:1: agents.mail.deny[0]`),
  );
});

test("protects such a file like the policy, and reloads it with the policy", async () => {
  const mail = await file("w/mail.yaml", "deny: [edit]");
  const policy = await file("w/p.yaml", "agents: { mail: mail.yaml }");
  expect((await readPolicyFile(policy)).files).toEqual([mail]);
  const made = await host({ policy, administratorPolicy: false });
  const session = await made.openSession({ agentId: "mail" });
  const write = () => session.call({ name: "write", arguments: { path: "mail.yaml", content: "{}" } });
  expect(await write()).toMatchObject({ code: "READ_ONLY" });
  await writeFile(mail, "deny: [write]");
  expect(await made.reload()).toMatchObject({ changed: true, problems: [] });
  expect(await write()).toMatchObject({ code: "POLICY_DENIED" });
});
