import { rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { operatorsFolder } from "../support/operators-folder.ts";

// What files say is put in force when the operator says so, whole and checked, or not at all.

const operators = operatorsFolder();
const { file, start } = operators;

const UNCHANGED = { changed: false, problems: [], later: [] };
const DENIES_WRITE = "policy: { deny: [write] }\n";

describe("an error in a trusted file is reported and changes nothing", () => {
  test.each([
    ["what is no YAML", "policy: { deny: [", "CONFIG_INVALID", /c\.yaml:1: /],
    ["an empty file", "", "CONFIG_INVALID", /it is empty/],
    ["a key that does not exist", "polcy: {}", "CONFIG_INVALID", /c\.yaml:1: polcy: .*Did you mean "policy"/],
    ["a tool that does not exist", "policy: { deny: [wriet] }", "POLICY_INVALID", /Did you mean "write"/],
    [
      "a policy file that is not there",
      "policy: ./none.yaml",
      "POLICY_UNREADABLE",
      /none\.yaml: .*no such file/,
    ],
  ])("%s", async (_what, content, code, message) => {
    const config = await file("c.yaml", DENIES_WRITE);
    const { host, told, effectOf } = await start({ config });
    const { version } = host.policy;
    await file("c.yaml", content);
    // What the workspace says anew does not come into force by halves either.
    await file("w/haft.config.yaml", "policy: { deny: [ls] }");
    expect(await host.reload()).toMatchObject({
      changed: false,
      problems: [{ code, message: expect.stringMatching(message) }],
      later: [],
    });
    expect(host.policy.version).toBe(version);
    expect([await effectOf("write"), await effectOf("ls")]).toEqual(["deny", "allow"]);
    expect(told.join("\n")).toMatch(message);
    await file("c.yaml", "policy: { deny: [edit] }");
    expect(await host.reload()).toEqual({ changed: true, problems: [], later: [] });
    expect([await effectOf("write"), await effectOf("edit"), await effectOf("ls")]).toEqual([
      "allow",
      "deny",
      "deny",
    ]);
  });

  test("a missing configuration", async () => {
    const config = await file("c.yaml", DENIES_WRITE);
    const { host, effectOf } = await start({ config });
    await rm(config);
    expect(await host.reload()).toMatchObject({ changed: false, problems: [{ code: "CONFIG_INVALID" }] });
    expect(await effectOf("write")).toBe("deny");
  });

  test("a missing file of the user, which otherwise looks as if it never existed", async () => {
    const userFile = await file("xdg/haft/haft.config.yaml", DENIES_WRITE);
    const { host, effectOf } = await start({ config: true });
    await rm(userFile);
    expect(await host.reload()).toMatchObject({
      problems: [{ code: "CONFIG_INVALID", message: expect.stringContaining("no longer exists") }],
    });
    expect(await effectOf("write")).toBe("deny");
    await file("xdg/haft/haft.config.json", "{}");
    expect(await host.reload()).toMatchObject({ changed: true, problems: [] });
    expect(await effectOf("write")).toBe("allow");
  });

  test("a missing or no longer named administrator's file", async () => {
    const above = await file("admin.yaml", "deny: [write]");
    vi.stubEnv("HAFT_ADMIN_POLICY", above);
    const { host, effectOf } = await start({});
    await rm(above);
    expect(await host.reload()).toMatchObject({ problems: [{ code: "POLICY_UNREADABLE" }] });
    vi.stubEnv("HAFT_ADMIN_POLICY", "");
    expect(await host.reload()).toMatchObject({
      problems: [{ code: "POLICY_UNREADABLE", message: expect.stringContaining("no longer exists") }],
    });
    expect(await effectOf("write")).toBe("deny");
    vi.stubEnv("HAFT_ADMIN_POLICY", await file("admin.yaml", "deny: [edit]"));
    expect(await host.reload()).toMatchObject({ changed: true, problems: [] });
    expect([await effectOf("write"), await effectOf("edit")]).toEqual(["allow", "deny"]);
  });

  test("a newly named file that sessions could have written", async () => {
    const config = await file("c.yaml", DENIES_WRITE);
    const { host, call, effectOf } = await start({ config });
    expect(await call("write", { path: "p.yaml", content: "{}" })).toMatchObject({ code: "POLICY_DENIED" });
    await file("w/p.yaml", "{}");
    await file("c.yaml", "policy: ./w/p.yaml");
    expect(await host.reload()).toMatchObject({
      changed: false,
      problems: [
        { code: "CONFIG_UNSAFE", message: expect.stringMatching(/w\/p\.yaml was not read .* is in/) },
      ],
    });
    expect(await effectOf("write")).toBe("deny");
    await file("p.yaml", "{}");
    await file("c.yaml", "policy: ./p.yaml");
    expect(await host.reload()).toMatchObject({ changed: true, problems: [] });
  });
});

test("a link to a path that sessions could have written since the start", async () => {
  const link = join(dirname(await file("a.yaml", "deny: [write]")), "p.yaml");
  await symlink("a.yaml", link);
  const { host, call, effectOf } = await start({ policy: link, administratorPolicy: false });
  expect(await host.reload()).toEqual(UNCHANGED);
  await file("w/mine.yaml", "{}");
  await rm(link);
  await symlink("w/mine.yaml", link);
  expect(await host.reload()).toMatchObject({ changed: false, problems: [{ code: "CONFIG_UNSAFE" }] });
  expect(await effectOf("write")).toBe("deny");
  await rm(link);
  await symlink("a.yaml", link);
  expect(await host.reload()).toEqual(UNCHANGED);
  expect(await call("write", { path: "x", content: "x" })).toMatchObject({ code: "POLICY_DENIED" });
});

test("named policy files cannot be changed by their session", async () => {
  await file("w/p.yaml", "deny: [exec]");
  await file("w/admin.yaml", "deny: [bash]");
  const policy = join(operators.workspaceDir, "p.yaml");
  const administratorPolicy = join(operators.workspaceDir, "admin.yaml");
  const { host, call } = await start({ policy, administratorPolicy });
  for (const path of ["p.yaml", "admin.yaml"])
    expect(await call("write", { path, content: "{}" })).toMatchObject({ code: "READ_ONLY" });
  expect(await call("write", { path: "other.yaml", content: "{}" })).toMatchObject({ kind: "ok" });
  expect(await host.reload()).toEqual(UNCHANGED);
  await file("w/p.yaml", "deny: [edit]");
  expect(await host.reload()).toMatchObject({ changed: true });
  expect(await call("edit", { path: "a", oldText: "a", newText: "b" })).toMatchObject({
    code: "POLICY_DENIED",
    details: { reason: expect.stringContaining("p.yaml:1: deny[0]") },
  });
});

describe("files of the workspace in a reload", () => {
  const FOUND = "w/haft.config.yaml";
  const options = async () => ({
    administratorPolicy: false as const,
    config: await file("c.yaml", "policy: { ask: [write] }"),
  });

  test("tighten if they are new and stop tightening if they are removed", async () => {
    const { host, effectOf } = await start(await options());
    const path = await file(FOUND, DENIES_WRITE);
    expect(await host.reload()).toEqual({ changed: true, problems: [], later: [] });
    expect(await effectOf("write")).toBe("deny");
    await rm(path);
    expect(await host.reload()).toMatchObject({ changed: true });
    expect(await effectOf("write")).toBe("ask");
  });

  test.each([
    ["broken", (path: string) => writeFile(path, "policy: { deny: [")],
    ["with a key that does not exist", (path: string) => writeFile(path, "policy: { gratn: ['*'] }")],
    [
      "a link",
      async (path: string) => {
        await rename(path, `${path}.real`);
        await symlink(`${path}.real`, path);
      },
    ],
  ])("that are %s now keep their rules, and other files are read", async (_what, change) => {
    const path = await file(FOUND, DENIES_WRITE);
    const { host, effectOf, told } = await start(await options());
    await change(path);
    await file("c.yaml", "policy: { ask: [edit] }");
    expect(await host.reload()).toMatchObject({
      changed: true,
      problems: [{ code: "CONFIG_INVALID", message: expect.stringContaining(path) }],
    });
    expect([await effectOf("write"), await effectOf("edit")]).toEqual(["deny", "ask"]);
    expect(told.at(-1)).toBe(`${path} is not used; its earlier content stays in force.`);
    await host.reload();
    expect(await effectOf("write")).toBe("deny");
  });

  test("that were never valid are reported again and do not prevent tightening", async () => {
    const path = await file(FOUND, "policy: { gratn: ['*'] }");
    const { host, effectOf, told } = await start(await options());
    await file("c.yaml", DENIES_WRITE);
    expect(await host.reload()).toMatchObject({ changed: true, problems: [{ code: "CONFIG_INVALID" }] });
    expect(await effectOf("write")).toBe("deny");
    expect(told.at(-1)).toBe(`${path} is not used; other files stay in force.`);
  });
});

test("reports values that only the next host applies", async () => {
  const config = await file("c.yaml", "{}");
  const { host } = await start({ config });
  await file(
    "c.yaml",
    "model: { images: false }\nroots: { lib: { path: ., access: ro } }\nsandbox: { network: full }",
  );
  await file("w/haft.config.yaml", "sandbox: { limits: { memoryMb: 100 } }");
  expect(await host.reload()).toEqual({
    changed: true,
    problems: [],
    later: [
      { key: "roots", source: config },
      { key: "sandbox", source: config },
      { key: "model", source: config },
      { key: "sandbox.limits", source: join(operators.workspaceDir, "haft.config.yaml") },
    ],
  });
  await file("c.yaml", "{}");
  expect(await host.reload()).toMatchObject({ later: [{ key: "sandbox.limits" }] });
});

test("loads code once, but reads the policy file that it names again", async () => {
  await file("p.yaml", "deny: [write]");
  const config = await file("haft.config.ts", 'export default { policy: "./p.yaml" };');
  const { host, effectOf } = await start({ config });
  await file("p.yaml", "deny: [edit]");
  expect(await host.reload()).toEqual({ changed: true, problems: [], later: [] });
  expect([await effectOf("write"), await effectOf("edit")]).toEqual(["allow", "deny"]);
  await file("haft.config.ts", "export default { policy: { deny: ['*'] } };");
  expect(await host.reload()).toEqual({
    changed: false,
    problems: [],
    later: [{ key: "code", source: config }],
  });
  expect(await effectOf("edit")).toBe("deny");
});

test("keeps the view of open sessions, and asks about commands that need a stricter view", async () => {
  const config = await file("c.yaml", "{}");
  const { host, effectOf } = await start({ config });
  expect((await host.containment()).wanted).toBeUndefined();
  expect(await effectOf("exec")).toBe("allow");
  await file("c.yaml", "policy: { exec: { containment: workspace } }");
  await host.reload();
  expect((await host.containment()).wanted).toMatchObject({ mode: "workspace" });
  expect(await effectOf("exec")).toBe("ask");
});
