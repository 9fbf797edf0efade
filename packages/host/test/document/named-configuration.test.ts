import { defineConfig } from "@haft/config";
import { configSchema } from "@haft/config/internal/document";
import { realpathSync } from "node:fs";
import { mkdir, symlink, writeFile, chmod } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { HostOptions } from "../../src/host/host-options.ts";
import { createHost } from "../../src/host/host.ts";
import { replaceConfiguredPolicy } from "../../src/host/read-rules.ts";
import { openHost } from "../support/open-host.ts";

let folder = "";

beforeEach(async () => {
  folder = realpathSync(await temporaryFolder());
  await mkdir(join(folder, "w"));
  vi.stubEnv("XDG_CONFIG_HOME", join(folder, "xdg"));
  vi.stubEnv("HAFT_CONFIG", "");
  vi.stubEnv("HAFT_POLICY", "");
  onTestFinished(() => void vi.unstubAllEnvs());
});

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}

async function host(options: HostOptions = {}) {
  const made = await openHost({
    workspaceDir: join(folder, "w"),
    stateDir: false,
    config: true,
    ...options,
  });
  return made;
}

async function denied(options: HostOptions = {}): Promise<string[]> {
  const made = await host(options);
  return (await made.preview()).missing().map(({ name }) => name);
}

describe("a policy of a program and configured rules", () => {
  const refused = (source: string) => ({
    code: "INVALID_OPTIONS",
    message: expect.stringContaining(source),
    fix: expect.stringContaining("policy"),
  });

  test("are an error at the start, so that no denial is lost", async () => {
    const config = await file("c.yaml", "policy: { deny: [write] }\n");
    await file("p.yaml", "deny: [bash]\n");
    for (const policy of [{}, { ask: ["exec"] }, join(folder, "p.yaml")])
      await expect(host({ config, policy })).rejects.toMatchObject(refused(config));
    vi.stubEnv("HAFT_POLICY", await file("e.yaml", "deny: [write]\n"));
    await expect(host({ policy: {} })).rejects.toMatchObject(refused(join(folder, "e.yaml")));
  });

  test("are an error of a reload, which leaves the rules of the program in force", async () => {
    const config = await file("c.yaml", "roots: {}\n");
    const made = await host({ config, policy: { deny: ["write"] } });
    await file("c.yaml", "policy: { deny: [read] }\n");
    expect(await made.reload()).toMatchObject({ changed: false, problems: [{ code: "INVALID_OPTIONS" }] });
    expect((await made.preview()).missing().map(({ name }) => name)).toContain("write");
  });
});

describe("errors of a configuration", () => {
  test.each([
    ["polcy: {}", /c\.yaml:1: polcy: There is no such key; known here: .*Did you mean "policy"\?/],
    ["# x\nstores: {}", /c\.yaml:2: stores: There is no such key/],
    ["# x\nstore: mysql", /c\.yaml:2: store: Expected .*sqlite/],
    ["nats: { server: x }", /nats\.server: .*Did you mean "servers"/],
    ["nats: { servers: [] }", /nats\.servers: Expected/],
    ["store: nats", /store: The server is missing/],
    ["nodes: { name: x }", /nodes: It has no server/],
    ["nats: { servers: x, sealKeyFile: 5 }", /nats\.sealKeyFile: Expected string/],
    ["durability: full\nstore: nats\nnats: { servers: x }", /c\.yaml:1: durability: full is for sqlite/],
    ["record: all", /record: Expected one of "plan", "full", "none"/],
    ["keep: { days: 0 }", /keep\.days: Expected number above 0/],
    ["keep: { bytes: 5 XB }", /keep\.bytes: Write a number of bytes, or like 500 MB/],
    [
      "approvals: { notify: [{ uri: x }] }",
      /approvals\.notify\[0\]\.uri: There is no such key.*Did you mean "url"/,
    ],
    [
      "approvals:\n  notify:\n    - url: http://notify.example.com/",
      /c\.yaml:3: approvals\.notify\[0\]\.url: .*use https/,
    ],
    ["hooks: {}", /c\.yaml:1: hooks: There is no such key/],
    ["roots:\n  lib: { path: . }", /c\.yaml:2: roots\.lib: It has no access \(.*"ro", "rw"/],
    ["roots: { lib: { path: ., access: rwx } }", /roots\.lib\.access: Expected one of/],
    [
      "sandbox:\n  netwrok: none",
      /c\.yaml:2: sandbox\.netwrok: There is no such key.*Did you mean "network"\?/,
    ],
    ["sandbox: { backend: { open: 1 } }", /sandbox\.backend: Expected one of/],
    ["model: { contextTokens: 0 }", /model\.contextTokens: Expected integer/],
    ["policy:\n  dney: [exec]", /c\.yaml:2: policy\.dney: .*Did you mean "deny"\?/],
    ["policy:\n  deny: [exec]\n  allow: [exec]", /c\.yaml:3: policy\.allow\[0\]: "exec" is also denied/],
    ["plugins: haft-plugin-weather", /c\.yaml:1: plugins: Expected array/],
    ["[policy]", /c\.yaml: Expected object/],
    ["a: 1\na: 2", /c\.yaml:2: it cannot be read/],
  ])("%j", async (text, message) => {
    const config = await file("c.yaml", text);
    await expect(host({ config })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringMatching(message),
    });
  });

  test("list every problem", async () => {
    const config = await file("c.json", '{ "a": 1,\n "b": 2,\n "policy": { "deny": 7 } }');
    await expect(host({ config })).rejects.toThrow(
      /c\.json:1: a: [^]*c\.json:2: b: [^]*c\.json:3: policy\.deny: /,
    );
  });

  test("suggest an existing tool for an unknown name in a policy", async () => {
    const config = await file("c.yaml", "policy:\n  deny: [wriet]");
    await expect(host({ config })).rejects.toThrow(
      /c\.yaml is not a valid policy: line 2, deny\[0\]: .*write/,
    );
  });

  test("name a missing file and a missing policy file", async () => {
    await expect(host({ config: join(folder, "none.yaml") })).rejects.toThrow(
      /none\.yaml: cannot read it: there is no such file/,
    );
    await expect(host({ config: await file("c.yaml", "policy: ./p.yaml") })).rejects.toMatchObject({
      code: "POLICY_UNREADABLE",
    });
  });

  test.each(["HAFT_CONFIG", "HAFT_POLICY"])(
    "refuse a relative %s, because it could name a file of the workspace",
    async (variable) => {
      vi.stubEnv(variable, "haft.config.yaml");
      await expect(host()).rejects.toMatchObject({
        code: "PATH_RELATIVE",
        fix: `Give ${variable} an absolute path.`,
      });
    },
  );

  test("refuse two files of the user, and a file that others may write", async () => {
    const userFile = await file("xdg/haft/haft.config.yaml", "{}");
    await chmod(userFile, 0o666);
    await expect(host()).rejects.toMatchObject({
      code: "CONFIG_UNSAFE",
      message: expect.stringMatching(/others may write/),
    });
    await chmod(userFile, 0o644);
    await file("xdg/haft/haft.config.json", "{}");
    await expect(host()).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });

  test.each([5, "", [], {}])("config: %j", async (config) => {
    await expect(createHost({ config: config as string })).rejects.toMatchObject({ code: "INVALID_OPTIONS" });
  });
});

describe("the selected configuration", () => {
  test("stops the start if the user's file is a dangling link", async () => {
    await mkdir(join(folder, "xdg/haft"), { recursive: true });
    await symlink(join(folder, "gone.yaml"), join(folder, "xdg/haft/haft.config.yaml"));
    await expect(host()).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining("there is no such file"),
    });
  });

  test("is the named file, else HAFT_CONFIG, else the user's file, which may be a link", async () => {
    const userFile = await file("dotfiles/h.yaml", "policy: { deny: [read] }");
    await mkdir(join(folder, "xdg/haft"), { recursive: true });
    await symlink(userFile, join(folder, "xdg/haft/haft.config.yaml"));
    expect(await denied()).toEqual(["read"]);
    vi.stubEnv("HAFT_CONFIG", await file("env.json", '{ "policy": { "deny": ["write"] } }'));
    expect(await denied()).toEqual(["write"]);
    expect(await denied({ config: await file("named.yaml", "policy: { deny: [ls] }") })).toEqual(["ls"]);
    expect(await denied({ config: false })).toEqual([]);
  });

  test("uses a replacing policy (--policy) before HAFT_POLICY, and HAFT_POLICY before the configuration's policy", async () => {
    vi.stubEnv("HAFT_CONFIG", await file("c.yaml", "policy: rules/p.yaml"));
    await file("rules/p.yaml", "deny: [read]");
    expect(await denied()).toEqual(["read"]);
    vi.stubEnv("HAFT_POLICY", await file("p.yaml", "deny: [write]"));
    expect(await denied()).toEqual(["write"]);
    vi.stubEnv("HAFT_POLICY", join(folder, "not-there.yaml"));
    expect(await denied(replaceConfiguredPolicy({ policy: { deny: ["ls"] } }))).toEqual(["ls"]);
  });
});

describe("values of a configuration", () => {
  test("merge roots by name with the program's roots, relative to its folder", async () => {
    await mkdir(join(folder, "lib"));
    const config = await file(
      "conf/c.yaml",
      "roots:\n  lib: { path: ../lib, access: ro }\n  two: { path: ../lib, access: ro }",
    );
    const made = await host({ config, roots: { two: { path: folder, access: "ro" } } });
    expect(made.workspace.describe().mounts.map(({ name, access }) => [name, access])).toContainEqual([
      "lib",
      "ro",
    ]);
    const session = await made.openSession();
    await file("lib/a.txt", "hello\n");
    expect(await session.call({ name: "read", arguments: { path: "lib:a.txt" } })).toMatchObject({
      kind: "ok",
    });
    expect(await session.call({ name: "read", arguments: { path: "two:lib/a.txt" } })).toMatchObject({
      kind: "ok",
    });
  });

  test("set the model of sessions that name none", async () => {
    const config = await file(
      "c.yaml",
      "model: { name: acme/large }\npolicy: { models: { acme: { deny: [exec] } } }",
    );
    const made = await host({ config });
    const names = async (model?: string) =>
      (await made.preview(model === undefined ? {} : { model: { name: model } }))
        .missing()
        .map(({ name }) => name);
    expect(await names()).toEqual(["exec"]);
    expect(await names("other/small")).toEqual([]);
  });

  test("can disable sandboxes", async () => {
    const made = await host({ config: await file("c.yaml", "sandbox: false") });
    await expect(made.openSession({ kind: "sandboxed" })).rejects.toMatchObject({ code: "SANDBOX_REQUIRED" });
  });

  test("are returned unchanged by defineConfig", () => {
    const config = { policy: { deny: ["exec"] }, roots: { lib: { path: "../lib", access: "ro" } } } as const;
    expect(defineConfig(config)).toBe(config);
  });

  test("have the same keys in the schema for editors", () => {
    const { properties, additionalProperties } = configSchema() as never as {
      properties: object;
      additionalProperties: boolean;
    };
    expect(Object.keys(properties)).toEqual([
      "$schema",
      "policy",
      "roots",
      "sandbox",
      "network",
      "model",
      "plugins",
      "record",
      "durability",
      "keep",
      "onStoreFault",
      "store",
      "audit",
      "nats",
      "approvals",
      "mcp",
      "telemetry",
      "chat",
      "nodes",
      "node",
      "serve",
    ]);
    expect(additionalProperties).toBe(false);
    expect(JSON.stringify(configSchema())).not.toContain("haft:kind");
  });
});
