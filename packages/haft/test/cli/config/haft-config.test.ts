import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createConfiguredWorkspace } from "../../../../../test/support/configured-workspace.ts";
import { haft, haftHere, type Line } from "../../support/haft.ts";

const USER = "xdg/haft/haft.config.yaml";
const INPUT = '{"id":"1","name":"ls","arguments":{}}\n';

describe("invalid input", () => {
  test("ends the command before it runs anything, if the named configuration is invalid", async () => {
    const { at } = await createConfiguredWorkspace({ "w/c.yaml": "polcy: {}" });
    const run = await haftHere(["run", "--config", "c.yaml"], { ...at, input: INPUT });
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(/^haft: .*c\.yaml:1: polcy: There is no such key.*\n.*\[CONFIG_INVALID\]\n$/s);
  });
});

describe("haft run", () => {
  test("uses the user's configuration; --policy and --no-config ignore its rules", async () => {
    const { at } = await createConfiguredWorkspace({
      [USER]: "policy: { deny: [ls] }",
      "w/p.yaml": "deny: [read]",
    });
    const kinds = async (...args: string[]) => {
      const run = await haftHere(["run", "--json", ...args], { ...at, input: INPUT });
      expect(run).toMatchObject({ code: 0, stderr: "" });
      return run.lines().map(({ kind }) => kind);
    };
    expect(await kinds()).toEqual(["blocked"]);
    expect(await kinds("--policy", "p.yaml")).toEqual(["ok"]);
    expect(await kinds("--no-config")).toEqual(["ok"]);
  });

  test("applies restrictions of a workspace file, and continues if that file is invalid", async () => {
    const { above, at } = await createConfiguredWorkspace({
      "w/haft.config.yaml": "policy: { deny: [ls] }",
      "w/p.yaml": "deny: [read]",
    });
    const run = async () => haftHere(["run", "--json", "--policy", "p.yaml"], { ...at, input: INPUT });
    expect((await run()).lines()).toMatchObject([{ kind: "blocked", code: "POLICY_DENIED" }]);
    await writeFile(join(above, "w/haft.config.yaml"), "policy: { grant: [ls] }");
    const broken = await run();
    expect(broken.lines()).toMatchObject([{ kind: "ok" }]);
    expect(broken.code).toBe(0);
    expect(broken.stderr).toMatch(
      /haft\.config\.yaml also says policy\.grant, which holds once you trust it: haft config trust /,
    );
  });
});

test("haft sandbox explain shows the configured sandbox and its restrictions", async () => {
  const { at } = await createConfiguredWorkspace({
    "w/c.yaml": "sandbox: { network: full, workspaceAccess: rw, limits: { tasks: 7 } }",
  });
  // Without any sandbox nothing is opened.
  const env = { ...at.env, PATH: at.cwd, DOCKER_HOST: `unix://${at.cwd}/no-docker.sock` };
  const explain = () => haft(["sandbox", "explain", "--config", "c.yaml", "--json"], { ...at, env });
  const [{ spec, held }] = (await explain()).lines();
  expect(spec).toMatchObject({ network: "full", limits: { tasks: 7 } });
  expect(held).toContainEqual(expect.objectContaining({ hostPath: join(at.cwd, "c.yaml"), access: "ro" }));
  await writeFile(join(at.cwd, "c.yaml"), "sandbox: false");
  expect(await explain()).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/sandbox: false.*\[SANDBOX_REQUIRED\]/s),
  });
});

test("haft config check reports settings that plugins reject", async () => {
  const plugin = `import { definePlugin, Type } from "@haft/plugin-sdk";
export default definePlugin({ id: "told", tools: [], configSchema: Type.Object({ units: Type.String() }) });`;
  const { at } = await createConfiguredWorkspace({
    "w/c.yaml": "plugins:\n  - use: ./told.mjs\n    config:\n      unit: metric\n  - ./none.mjs\n",
    "w/told.mjs": plugin,
  });
  const { code, stderr } = await haftHere(["config", "check", "c.yaml"], at);
  expect(code).toBe(1);
  expect(stderr).toMatch(/c\.yaml:3: plugins\[0\]\.config: It has no units/);
  expect(stderr).toMatch(/c\.yaml:4: plugins\[0\]\.config\.unit: There is no such key.*Did you mean "units"/);
  expect(stderr).toMatch(/plugins\[1\]: There is no file/);
});

describe("haft config show", () => {
  test("shows the store of sessions without the credentials of its server", async () => {
    const { at } = await createConfiguredWorkspace({
      [USER]: `store: nats
nats:
  servers: ["nats://ada:hunter22@a.example:4222", "ada:hunter22@b.example"]
  password: hunter22
  token: { env: NATS_TOKEN }
  sealKeyFile: ./seal.key
  tls: { caFile: ~/ca.pem }
`,
    });
    const { lines, stdout } = await haftHere(["config", "show", "--json"], at);
    const shown = lines()[0].values.filter(({ key }: { key: string }) => key.startsWith("nats"));
    expect(stdout).not.toContain("hunter22");
    expect(Object.fromEntries(shown.map(({ key, value }: Line) => [key.slice(5), value]))).toEqual({
      "servers[0]": "nats://a.example:4222",
      "servers[1]": "b.example",
      password: expect.stringMatching(/not shown/) as string,
      "token.env": "NATS_TOKEN",
      sealKeyFile: expect.stringMatching(/^\/.*\/haft\/seal\.key$/) as string,
      "tls.caFile": expect.stringMatching(/^\/.*\/ca\.pem$/) as string,
    });
  });

  test("shows settings of plugins without secrets", async () => {
    const plugin = (id: string, more: string) => `import { definePlugin, Type } from "@haft/plugin-sdk";
export default definePlugin({ id: "${id}", tools: [], ${more} });`;
    const schema = `configSchema: Type.Object({ pin: Type.String({ "x-secret": true }), units: Type.String() }),`;
    const { at } = await createConfiguredWorkspace({
      [USER]: `plugins:
  - use: ./told.mjs
    config:
      units: metric
      pin: "123"
  - { use: ./dark.mjs, config: { key: sk-0123456789 } }
`,
      "xdg/haft/told.mjs": plugin("told", schema),
      "xdg/haft/dark.mjs": plugin("dark", ""),
    });
    const { lines } = await haftHere(["config", "show", "--json"], at);
    const shown = lines()[0].values.filter(({ key }: { key: string }) => key.startsWith("plugins"));
    expect(shown).toMatchObject([
      { key: "plugins[0]", value: "./told.mjs", line: 2 },
      { key: "plugins[0].config.units", value: "metric", line: 4 },
      { key: "plugins[0].config.pin", value: "[secret]", line: 5 },
      { key: "plugins[1]", value: "./dark.mjs", line: 6 },
      { key: "plugins[1].config", value: expect.stringContaining("not shown"), line: 6 },
    ]);
    expect(shown.map(({ value }: { value: unknown }) => value).join("\n")).not.toMatch(/123|sk-/);
  });

  test("shows the source of every value, and the files that were looked for", async () => {
    const { above, at } = await createConfiguredWorkspace({
      [USER]:
        "# mine\npolicy:\n  ask: [write]\nroots:\n  lib: { path: ., access: ro }\nsandbox: { network: full }\n",
      "w/haft.config.yaml": "policy:\n  deny:\n    - exec\n",
      "w/haft.config.json": '{ "roots": {} }',
      "w/haft.config.ts": "export default {}",
    });
    const run = await haftHere(["config", "show", "--json", "--sandbox-network", "none"], at);
    expect(run).toMatchObject({ code: 1, stderr: "" });
    const [{ looked, values, tightens }] = run.lines();
    const user = join(above, USER);
    expect(looked).toMatchObject([
      { path: user, as: "user", outcome: "used" },
      { path: join(at.cwd, "haft.config.yaml"), as: "workspace", outcome: "used" },
      {
        path: join(at.cwd, "haft.config.json"),
        outcome: "used",
        trust: "not trusted",
        notes: [expect.stringMatching(/also says roots, which holds once you trust it/)],
      },
      {
        path: join(at.cwd, "haft.config.ts"),
        outcome: "passed over",
        trust: "not trusted",
        why: expect.stringMatching(/^is code, and that of a workspace is loaded once you trust it/),
      },
    ]);
    const of = (key: string) => values.find((each: { key: string }) => each.key === key);
    expect(of("policy.ask[0]")).toEqual({ key: "policy.ask[0]", value: "write", from: user, line: 3 });
    expect(of("roots.lib.access")).toMatchObject({ value: "ro", from: user, line: 5 });
    expect(of("sandbox.network")).toEqual({ key: "sandbox.network", value: "none", from: "option" });
    expect(of("sandbox.backend")).toEqual({ key: "sandbox.backend", value: "auto", from: "default" });
    expect(of("model.contextTokens")).toEqual({
      key: "model.contextTokens",
      value: 128_000,
      from: "default",
    });
    expect(tightens).toEqual([
      { key: "policy.deny[0]", value: "exec", from: join(at.cwd, "haft.config.yaml"), line: 3 },
    ]);
  });

  test("prints a table, and only defaults without a configuration; creates no folder", async () => {
    const { above, at } = await createConfiguredWorkspace({});
    const run = await haftHere(["config", "show"], at);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toMatch(/Looked for:\n +.*haft\.config\.yaml +user +absent/);
    expect(run.stdout).toMatch(/Values:\n +policy +\{\} +default/);
    expect((await haftHere(["config", "show", "--no-config"], at)).stdout).not.toContain("Looked for");
    await expect(readFile(join(above, "state"))).rejects.toThrow(/ENOENT/);
  });

  test("shows a named policy with line numbers", async () => {
    const { at } = await createConfiguredWorkspace({
      [USER]: "policy: { deny: [ls] }",
      "w/p.yaml": "\ndeny: [read]",
    });
    const run = await haftHere(["config", "show", "--json", "--policy", "p.yaml"], at);
    const rules = run.lines()[0].values.filter(({ key }: { key: string }) => key.startsWith("policy"));
    expect(rules).toEqual([{ key: "policy.deny[0]", value: "read", from: "--policy p.yaml", line: 2 }]);
  });
});

describe("haft config check", () => {
  test("reports all problems of all files, and forbidden keys of workspace files", async () => {
    const { at } = await createConfiguredWorkspace({
      "w/a.yaml": "store: 1\npolicy: { dney: [] }\n",
      "w/b.yaml": "policy: { deny: [exec] }\nroots: { lib: { path: .., access: ro } }\n",
      "w/c.json": '{ "policy": { "deny": ["wriet"] } }',
    });
    const run = await haftHere(["config", "check", "a.yaml", "b.yaml", "c.json", "none.yaml"], at);
    expect(run).toMatchObject({ code: 1, stdout: "b.yaml: no problems.\n" });
    expect(run.stderr).toMatch(
      /^a\.yaml:1: store: [^]*a\.yaml:2: policy\.dney: [^]*c\.json:1: .*wriet[^]*none\.yaml: cannot read/,
    );
    const found = await haftHere(["config", "check", "--project", "--json", "b.yaml"], at);
    expect(found.lines()).toMatchObject([
      { ok: false, files: [{ file: "b.yaml", problems: [{ path: "roots", line: 2 }] }] },
    ]);
    await writeFile(join(at.cwd, "haft.config.ts"), "export default {};\n");
    const code = await haftHere(["config", "check", "--project", "haft.config.ts"], at);
    expect(code).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("It is code, which loads only after you trust it"),
    });
  });

  test("the published schema equals the generated schema", async () => {
    const { at } = await createConfiguredWorkspace({});
    const published = await readFile(new URL("../../../config.schema.json", import.meta.url), "utf8");
    const { stdout } = await haftHere(["config", "schema"], at);
    expect(JSON.parse(stdout)).toEqual(JSON.parse(published));
  });
});
