import { proposeTrust } from "@haft/config/internal/document";
import { execFileSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { chmod, chown, mkdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { HostOptions } from "../../src/host/host-options.ts";
import { createHost } from "../../src/host/host.ts";
import { openHost } from "../support/open-host.ts";

// A workspace can be anybody's: what is found in it takes away, or is passed over, and what the operator says stays.

beforeEach(async () => {
  const home = await temporaryFolder();
  vi.stubEnv("XDG_CONFIG_HOME", home);
  vi.stubEnv("HAFT_CONFIG", "");
  vi.stubEnv("HAFT_POLICY", "");
  onTestFinished(() => void vi.unstubAllEnvs());
});

/** A repository with a workspace below its root, in a folder that is nobody else's. */
async function repository(files: Readonly<Record<string, string>> = {}) {
  const above = realpathSync(await temporaryFolder());
  const root = join(above, "repo");
  const workspaceDir = join(root, "sub");
  await mkdir(join(root, ".git"), { recursive: true });
  await mkdir(workspaceDir);
  for (const [name, text] of Object.entries(files)) await writeFile(join(root, name), text);
  return { above, root, workspaceDir };
}

/** What a main session may do there, and what its host tells. */
async function inspect(workspaceDir: string, options: HostOptions = {}) {
  const warnings: string[] = [];
  const log = (text: string) => void warnings.push(text);
  const logger = { debug() {}, info() {}, warn: log, error: log };
  const host = await createHost({
    workspaceDir,
    stateDir: false,
    administratorPolicy: false,
    config: true,
    logger,
    policy: { ask: ["write"] },
    ...options,
  });
  const preview = await host.preview();
  const answers: Record<string, string> = {};
  for (const name of ["read", "write", "exec"])
    answers[name] = (await preview.explain(name)).call?.effect ?? "deny";
  await host.close();
  return { answers, warnings: warnings.join("\n"), lines: warnings, roots: host.workspace.describe() };
}

const OPERATORS_ANSWERS = { read: "allow", write: "ask", exec: "allow" };
const DENIES = "policy: { deny: [exec] }\n";

describe("ignored workspace configurations with a warning", () => {
  test.each([
    ["extends", "extends: ../other.yaml", /:1: extends: There is no such key/],
    ["hooks", "hooks: [./evil.js]", /:1: hooks: There is no such key/],
    ["hosts", "hosts: { path: /tmp/x }", /:1: hosts: There is no such key/],
    ["a misspelt key", "polcy: { deny: [exec] }", /:1: polcy: There is no such key.*Did you mean "policy"\?/],
    [
      "a misspelt rule",
      "policy: { dney: [exec] }",
      /:1: policy\.dney: There is no such key.*Did you mean "deny"\?/,
    ],
    [
      "a tool that nobody has",
      "policy: { allow: [raed] }",
      /:1: policy\.allow\[0\]: .*Did you mean "read" or/,
    ],
    ["a list of rules", "policy: [exec]", /:1: policy: Expected an object/],
    ["no YAML", "policy: {", /:1: it is not valid YAML/],
    ["nothing", "", /it is empty/],
  ])("%s, together with the rules next to it", async (_what, text, message) => {
    const beside = text.startsWith("policy") || text === "" ? text : `${text}\n${DENIES}`;
    const { workspaceDir, root } = await repository({ "haft.config.yaml": beside });
    const { answers, warnings } = await inspect(workspaceDir);
    expect(answers).toEqual(OPERATORS_ANSWERS);
    expect(warnings).toMatch(message);
    expect(warnings).toContain(`${root}/haft.config.yaml is not used; other files stay in force.`);
  });

  test("leave other files in force if one is broken", async () => {
    const { workspaceDir } = await repository({ "haft.config.yaml": DENIES, "sub/haft.config.json": "{" });
    const { answers, warnings } = await inspect(workspaceDir);
    expect(answers).toMatchObject({ write: "ask", exec: "deny" });
    expect(warnings).toContain("haft.config.json");
  });

  test("include code, which does not run", async () => {
    const { workspaceDir, root } = await repository();
    const evil = `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(join(root, "ran"))}, "");`;
    await writeFile(join(root, "haft.config.ts"), evil);
    await writeFile(join(workspaceDir, "haft.config.js"), evil);
    const { answers, warnings } = await inspect(workspaceDir);
    expect(answers).toEqual(OPERATORS_ANSWERS);
    expect(warnings.match(/is code, and that of a workspace is loaded once you trust it/g)).toHaveLength(2);
    expect(existsSync(join(root, "ran"))).toBe(false);
  });

  const cases: readonly [string, RegExp, (file: string) => Promise<unknown>][] = [
    [
      "a link",
      /is a link, which can lead anywhere/,
      async (file) => {
        await rename(file, `${file}.real`);
        await symlink(`${file}.real`, file);
      },
    ],
    [
      "a pipe, which nobody waits for",
      /is no file/,
      async (file) => {
        await rename(file, `${file}.real`);
        execFileSync("mkfifo", [file]);
      },
    ],
    ["a folder of that name", /is no file/, (file) => rename(file, `${file}.real`).then(() => mkdir(file))],
    [
      "more than a page",
      /bytes, and an untrusted configuration may have at most 65536/,
      // What it costs to read goes with more than its size.
      (file) => writeFile(file, `${DENIES}#${" ".repeat(2 ** 16)}`),
    ],
    ["what is no text", /is not UTF-8/, (file) => writeFile(file, Buffer.from([0xff, 0xfe, 0x00]))],
  ];
  test.each(cases)("%s", async (_what, message, change) => {
    const { root, workspaceDir } = await repository({ "haft.config.yaml": DENIES });
    await change(join(root, "haft.config.yaml"));
    const { answers, warnings, lines } = await inspect(workspaceDir);
    expect(lines.filter((line) => line.includes("\n"))).toEqual([]);
    expect(warnings).toMatch(message);
    expect(answers).toEqual(OPERATORS_ANSWERS);
  });
});

describe("workspace configurations with more than tightening rules", () => {
  test.each([
    ["roots: { etc: { path: /etc, access: rw } }", "roots"],
    ["sandbox: false", "sandbox"],
    ["plugins: [evil]", "plugins"],
    ["model: { contextTokens: 1 }", "model"],
    ["policy: { deny: [exec], grant: ['*'] }", "policy.grant"],
    ["policy: { deny: [exec], mode: off }", "policy.mode"],
    ["policy: { deny: [exec], exec: { elevated: { mode: full } } }", "policy.exec.elevated"],
    ["policy: { deny: [exec], exec: { preset: contained } }", "policy.exec.preset"],
    ["policy: { deny: [exec], sessions: { main: { grant: ['*'] } } }", "policy.sessions"],
  ])("%s", async (text, key) => {
    const { workspaceDir, root } = await repository({
      "haft.config.yaml": text.startsWith("policy") ? text : `${text}\n${DENIES}`,
    });
    const { answers, warnings, roots } = await inspect(workspaceDir);
    expect(answers).toEqual({ ...OPERATORS_ANSWERS, exec: "deny" });
    expect(warnings).toContain(
      `${root}/haft.config.yaml also says ${key}, which ${key.endsWith("mode") || key.endsWith("elevated") ? "would lift rules of others, and cannot be trusted either" : "holds once you trust it"}`,
    );
    expect(roots.mounts).toHaveLength(1);
  });

  test.each([
    ["record: none", "record"],
    ["durability: process", "durability"],
    ["keep: { days: 0.001 }", "keep"],
    ["onStoreFault: record-later", "onStoreFault"],
    ["store: sqlite", "store"],
    ["nats: { servers: nats://evil.example.com }", "nats"],
    ["approvals: { notify: [{ command: [/tmp/evil] }] }", "approvals"],
    ["mcp: { servers: { a: { command: evil } } }", "mcp"],
    ["serve: { tokens: {} }", "serve"],
    ["chat: { baseUrl: https://evil.example.com }", "chat"],
    ["telemetry: {}", "telemetry"],
    ["audit: { file: /tmp/evil }", "audit"],
  ])("cannot set records and notices, even if trusted: %s", async (text, key) => {
    const { workspaceDir, root } = await repository({ "haft.config.yaml": `${text}\n${DENIES}` });
    const file = `${root}/haft.config.yaml`;
    const { answers, warnings } = await inspect(workspaceDir);
    expect(answers).toEqual({ ...OPERATORS_ANSWERS, exec: "deny" });
    expect(warnings).toContain(`${file} also says ${key}: only the operator may set`);
    await expect(proposeTrust(file)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });

  test("cannot make Haft read a policy file", async () => {
    const { workspaceDir } = await repository({ "haft.config.yaml": "policy: /etc/passwd" });
    const { answers, warnings } = await inspect(workspaceDir);
    expect(answers).toEqual(OPERATORS_ANSWERS);
    expect(warnings).toMatch(/also says policy, which holds once you trust it/);
  });
});

describe("tightening rules from files that other users may write", () => {
  const cases: readonly [string, RegExp, (file: string) => Promise<unknown>][] = [
    ["a file that others may write", /is a file that others may write to/, (file) => chmod(file, 0o666)],
    ["a file that its group may write", /is a file that others may write to/, (file) => chmod(file, 0o664)],
    ["a folder that others may write", /is in .*others may write to/, (file) => chmod(dirname(file), 0o777)],
    ["such a folder, though sticky", /is in .*others may write to/, (file) => chmod(dirname(file), 0o1777)],
    [
      "a folder in one that others may write",
      /is in .*others may/,
      (file) => chmod(dirname(dirname(file)), 0o777),
    ],
  ];
  test.each(cases)("%s", async (_what, message, change) => {
    const { root, workspaceDir } = await repository({ "haft.config.yaml": DENIES });
    await change(join(root, "haft.config.yaml"));
    const { answers, warnings } = await inspect(workspaceDir);
    expect(answers).toMatchObject({ exec: "deny" });
    expect(warnings).toMatch(message);
    expect(warnings).toContain("they hold, since they only tighten.");
  });

  // Only root can give files away.
  test.runIf(process.getuid?.() === 0)(
    "apply with a warning if another user owns the file or folder",
    async () => {
      for (const of of ["haft.config.yaml", "."]) {
        const { root, workspaceDir } = await repository({ "haft.config.yaml": DENIES });
        await chown(join(root, of), 65_534, 65_534);
        const { answers, warnings } = await inspect(workspaceDir);
        expect(warnings).toMatch(/belongs to user 65534/);
        expect(answers).toMatchObject({ exec: "deny" });
      }
    },
  );
});

describe("tightening rules", () => {
  test("apply from above a .git that a command made in the workspace", async () => {
    const { workspaceDir } = await repository({ "haft.config.yaml": DENIES });
    await mkdir(join(workspaceDir, ".git"));
    expect((await inspect(workspaceDir)).answers).toMatchObject({ exec: "deny" });
  });

  test("add up from the workspace and folders above up to the root of the repository", async () => {
    const { above, workspaceDir } = await repository({
      "haft.config.yaml": DENIES,
      "sub/haft.config.json": '{ "$schema": "x", "policy": { "deny": ["write"] } }',
      "sub/haft.config.yaml": "policy: { ask: [read] }",
    });
    await writeFile(join(above, "haft.config.yaml"), "policy: { deny: [read] }");
    const { answers, warnings } = await inspect(workspaceDir);
    expect(answers).toEqual({ read: "ask", write: "deny", exec: "deny" });
    expect(warnings).toBe("");
  });

  test("come only from the workspace without a repository", async () => {
    const above = await temporaryFolder();
    const workspaceDir = join(above, "w");
    await mkdir(workspaceDir);
    await writeFile(join(above, "haft.config.yaml"), DENIES);
    expect((await inspect(workspaceDir)).answers).toEqual(OPERATORS_ANSWERS);
    await writeFile(join(workspaceDir, "haft.config.yaml"), DENIES);
    expect((await inspect(workspaceDir)).answers).toMatchObject({ exec: "deny" });
  });

  test("allow nothing if two files contradict each other", async () => {
    const { workspaceDir } = await repository({
      "haft.config.yaml": "policy: { allow: [read] }",
      "haft.config.json": '{ "policy": { "allow": ["write"] } }',
    });
    expect((await inspect(workspaceDir)).answers).toEqual({ read: "deny", write: "deny", exec: "deny" });
  });

  test("apply to a policy from a program and to a policy in mode off", async () => {
    const { workspaceDir } = await repository({ "haft.config.yaml": DENIES });
    for (const policy of [{ allow: ["exec"] }, { mode: "off" as const }])
      expect((await inspect(workspaceDir, { policy })).answers).toMatchObject({ exec: "deny" });
  });

  test("do not apply if no configuration is read", async () => {
    const { workspaceDir } = await repository({ "haft.config.yaml": DENIES });
    for (const config of [undefined, false]) {
      const { config: _, ...without } = { config };
      const options = config === undefined ? without : { config };
      const host = await createHost({
        workspaceDir,
        stateDir: false,
        administratorPolicy: false,
        ...options,
      });
      expect((await host.preview()).tools().map(({ name }) => name)).toContain("exec");
      await host.close();
    }
  });
});

describe("files that the next start reads", () => {
  test("include used files and the user's own file, and sessions cannot change them", async () => {
    const { root } = await repository({ "haft.config.yaml": "policy: { ask: [bash] }\n" });
    const user = join(root, "user");
    await mkdir(join(user, "haft"), { recursive: true });
    await writeFile(join(user, "haft", "haft.config.yaml"), "{}");
    vi.stubEnv("XDG_CONFIG_HOME", user);
    const host = await openHost({
      workspaceDir: root,
      stateDir: false,
      config: true,
    });
    const session = await host.openSession();
    const call = (name: string, args: object) => session.call({ name, arguments: args });
    expect(await call("write", { path: "haft.config.yaml", content: "{}" })).not.toMatchObject({
      kind: "ok",
    });
    const patch = "*** Begin Patch\n*** Delete File: haft.config.yaml\n*** End Patch";
    expect(await call("apply_patch", { input: patch })).not.toMatchObject({ kind: "ok" });
    for (const [name, args] of [
      ["read", {}],
      ["write", { content: "policy: { grant: ['*'] }" }],
    ] as const)
      expect(await call(name, { path: "user/haft/haft.config.yaml", ...args })).toMatchObject({
        code: "PATH_DENIED",
      });
    expect(await call("write", { path: "user/haft/haft.config.json", content: "{}" })).toMatchObject({
      code: "PATH_DENIED",
    });
    expect(await readFile(join(root, "haft.config.yaml"), "utf8")).toBe("policy: { ask: [bash] }\n");
  });
});
