import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { longestTurn } from "../../../../test/support/longest-turn.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { ReplayLine } from "../../src/wire/api.ts";
import { openInspectedHost, send } from "../support/inspector-client.ts";

const RULES = "# who may write\nsessions:\n  main:\n    ask: [write]\n";

/** A host whose rules stand in a file beside its workspace. */
async function withRules(text = RULES) {
  const file = join(await temporaryFolder(), "policy.yaml");
  writeFileSync(file, text);
  const opened = await openInspectedHost({ policy: file, approvalMode: "deny" });
  const [{ id }] = (await opened.page.get("/api/policy")).files;
  return { ...opened, file, id };
}

function linesOf(text: string): ReplayLine[] {
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as ReplayLine);
}

test("each cell opens with its complete trace and the smallest change", async () => {
  const { page, file } = await withRules();
  const view = await page.get("/api/policy");
  expect(view.files).toMatchObject([{ path: file, owner: "policy", editable: true }]);
  const write = view.lines.find(({ name }: { name: string }) => name === "write");
  expect(write.cells.main).toMatchObject({ word: "ask", source: expect.stringContaining("policy.yaml") });
  const cell = await page.get("/api/policy/cell?kind=group&tool=exec");
  expect(cell).toMatchObject({ effect: "ask", toolId: "commands/exec", kind: "group" });
  expect(cell.trace.filter(({ decided }: { decided: boolean }) => decided)).toHaveLength(1);
  expect((await page.ask("/api/policy/cell?kind=main&tool=nothing")).status).toBe(404);
  expect((await page.ask("/api/policy/cell?kind=owner&tool=exec")).status).toBe(400);
});

describe("an unsaved edit", () => {
  test("changes cells and past calls, and writes nothing", async () => {
    const { page, host, folder, file, id } = await withRules("{}\n");
    writeFileSync(join(folder, "a.txt"), "x");
    const session = await host.openSession();
    await session.call({ id: "w", name: "write", arguments: { path: "a.txt", content: "y" } });
    await session.call({ id: "r", name: "read", arguments: { path: "a.txt" } });
    // What only reads is recorded a moment later.
    await vi.waitUntil(async () => (await page.get("/api/calls")).items.length === 2);
    const text = "deny: [write]\n";
    const tried = (await page.post("/api/policy/try", { id, text })).body;
    expect(tried.lint).toEqual([]);
    expect(tried.changed).toMatchObject(
      ["main", "group", "sandboxed"].map((kind) => ({ name: "write", kind, after: { word: "deny" } })),
    );
    const replayed = await page.post("/api/policy/replay", { id, text });
    expect(replayed.headers["content-type"]).toMatch(/^application\/x-ndjson/);
    const lines = linesOf(replayed.text);
    expect(lines.filter(({ type }) => type === "call")).toMatchObject([
      { call: { toolCallId: "w" }, before: "allow", after: "deny" },
    ]);
    expect(lines.at(-1)).toMatchObject({ type: "end", looked: 2, changed: 1, isAll: true });
    // What was called before is not called again, where the rules would let it through.
    writeFileSync(join(folder, "a.txt"), "by hand");
    await page.post("/api/policy/replay", { id, text: "ask: [exec]\n" });
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("by hand");
    expect((await page.get("/api/calls")).items).toHaveLength(2);
    expect(readFileSync(file, "utf8")).toBe("{}\n");
    expect(host.policy.version).toBe((await page.get("/api/policy")).version);
  });

  test.each([
    ["no YAML", "deny: [write\n", { line: expect.any(Number), severity: "error" }],
    [
      "a tool that there is not",
      "# first\ndeny:\n  - wriet\n",
      { line: 3, severity: "error", nearest: expect.arrayContaining(["write"]) },
    ],
    [
      "a key that there is not",
      "sessions:\n  main:\n    denny: [write]\n",
      { line: 3, column: 5, severity: "error" },
    ],
  ])("with an error reports its line, and changes nothing: %s", async (_name, text, lint) => {
    const { page, id } = await withRules();
    const tried = (await page.post("/api/policy/try", { id, text })).body;
    expect(tried.lint[0]).toMatchObject(lint);
    expect(tried.changed).toEqual([]);
    expect(linesOf((await page.post("/api/policy/replay", { id, text })).text)).toMatchObject([
      { type: "error" },
    ]);
  });

  test.each(["try", "lint", "replay"])(
    "cannot name files that the host has not loaded, and no answer contains them: %s",
    async (route) => {
      const { page, file, id } = await withRules();
      const secret = join(dirname(file), "secret");
      writeFileSync(secret, "ghp_contentOfAnotherFile\n");
      const pipe = join(dirname(file), "pipe");
      execFileSync("mkfifo", [pipe]);
      const link = join(dirname(file), "link");
      symlinkSync(secret, link);
      for (const path of [secret, "./secret", link, pipe, "/dev/zero", join(dirname(file), "missing")])
        for (const part of ["agents", "sessions"]) {
          const text = `${part}:\n  main: ${path}\n`;
          const answer = await page.post(`/api/policy/${route}`, { id, text });
          expect(answer.text).toContain("the host did not load this file as rules");
          expect(answer.text).not.toContain("contentOfAnotherFile");
        }
    },
  );

  test("keeps the scope file that the host has loaded", async () => {
    const folder = await temporaryFolder();
    const [file, scope] = [join(folder, "policy.yaml"), join(folder, "group.yaml")];
    writeFileSync(scope, "deny: [write]\n");
    writeFileSync(file, "sessions:\n  group: ./group.yaml\n");
    const { page } = await openInspectedHost({ policy: file, approvalMode: "deny" });
    const [{ id }] = (await page.get("/api/policy")).files;
    writeFileSync(scope, "ghp_contentOfAnotherFile\n");
    const text = "sessions:\n  group: ./group.yaml\n  main:\n    deny: [write]\n";
    const tried = (await page.post("/api/policy/try", { id, text })).body;
    expect(tried.lint).toEqual([]);
    expect(tried.changed).toMatchObject([{ name: "write", kind: "main", after: { word: "deny" } }]);
  });

  test("warns about missing programs after the cells, like the rules in force", async () => {
    const { page, id, host } = await withRules();
    const text = 'exec:\n  ask: on-miss\n  allow:\n    - "git status*"\n    - "no-such-program-here *"\n';
    const missing = {
      severity: "warning",
      line: 5,
      path: "exec.allow[1]",
      message: 'This machine has no program "no-such-program-here".',
    };
    for (const edited of [text, `${text}    - pwd\n`]) {
      const tried = (await page.post("/api/policy/try", { id, text: edited })).body;
      expect(tried.lint).toEqual([]);
      expect(tried.changed.length).toBeGreaterThan(0);
      expect((await page.post("/api/policy/lint", { id, text: edited })).body.lint).toMatchObject([missing]);
    }
    const edit = { id, text: `# first\ndeny: [lss]\n` };
    expect((await page.post("/api/policy/lint", edit)).body.lint).toMatchObject([
      { severity: "error", line: 2 },
    ]);
    // Of two things about one rule the first is said, and in the order of the file.
    const both = `# first\n${text}sessions:\n  group:\n    deny: [ls, ls]\n`;
    const { lint } = (await page.post("/api/policy/lint", { id, text: both })).body;
    expect(lint).toMatchObject([{ ...missing, line: 6 }, { path: "sessions.group.deny[1]" }]);
    expect((await page.get("/api/policy/lint")).lint).toEqual([]);
    const { sha256 } = await page.get(`/api/policy/file?id=${id}`);
    expect((await page.post("/api/policy/file", { id, text: both, sha256 }, "PUT")).status).toBe(200);
    expect((await page.get("/api/policy/lint")).lint).toEqual(lint);
    expect((await page.get("/api/policy")).lint).toEqual(lint.slice(1));
    expect(host.policy.warnings).toHaveLength(1);
  });

  test("rules of the administrator and rules without a file are checked for programs as well", async () => {
    const administrator = join(await temporaryFolder(), "above.yaml");
    writeFileSync(administrator, 'deny: ["exec(no-such-above *)", "bash(no-such-above *)"]\n');
    const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    const linked = join(await temporaryFolder(), "tool");
    symlinkSync(process.execPath, linked);
    const allow = ["no-such-program-given *", `${linked} --token ${secret}`];
    const policy = { exec: { ask: "on-miss" as const, allow } };
    const { page } = await openInspectedHost({ policy, administratorPolicy: administrator });
    const { lint } = await page.get("/api/policy/lint");
    expect(JSON.stringify(lint)).not.toContain(secret);
    lint.sort((one: { path: string }, other: { path: string }) => (one.path < other.path ? -1 : 1));
    const above = { file: administrator, line: 1, message: expect.stringContaining("no-such-above") };
    expect(lint).toMatchObject([
      { ...above, path: "deny[0]" },
      { ...above, path: "deny[1]" },
      { path: "exec.allow[0]", message: expect.stringContaining("no-such-program-given") },
      { path: "exec.allow[1]", nearest: [expect.stringContaining(realpathSync(process.execPath))] },
    ]);
  });

  test("replaying decisions ends with the request", async () => {
    const { page, host, id } = await withRules("{}\n");
    const session = await host.openSession();
    for (let index = 0; index < 150; index++)
      await session.call({ name: "ls", arguments: { path: ".", limit: index + 1 } });
    const ended = new AbortController();
    const response = await fetch(`http://127.0.0.1:${page.served.port}/api/policy/replay`, {
      method: "POST",
      headers: { authorization: `Bearer ${page.token}`, "content-type": "application/json" },
      body: JSON.stringify({ id, text: "deny: [ls]\n" }),
      signal: ended.signal,
    });
    const reader = response.body!.getReader();
    await reader.read();
    ended.abort();
    await expect(reader.read()).rejects.toThrow(/abort/i);
    expect((await page.ask("/api/about")).status).toBe(200);
  });
});

describe("saving", () => {
  test("applies the rules, keeps the access of the file, and notifies open pages", async () => {
    const { page, host, file, id } = await withRules();
    chmodSync(file, 0o640);
    const session = await host.openSession();
    const write = { name: "write", arguments: { path: "a.txt", content: "x" } };
    expect((await session.call(write)).kind).toBe("blocked");
    const events = await page.events();
    await events.until(({ type }) => type === "hello");
    const { sha256 } = await page.get(`/api/policy/file?id=${id}`);
    const saved = await page.post("/api/policy/file", { id, text: "{}\n", sha256 }, "PUT");
    expect(saved.body).toMatchObject({ inForce: true, problems: [] });
    expect(readFileSync(file, "utf8")).toBe("{}\n");
    expect(statSync(file).mode & 0o777).toBe(0o640);
    await events.until(({ type }) => type === "policy");
    expect((await session.call({ ...write, id: "again" })).kind).toBe("ok");
    // Whoever tries a tool by hand then, tries it under the rules that were saved.
    const { body: scratch } = await page.post("/api/scratch", {});
    const tried = { tool: write.name, args: write.arguments };
    expect((await page.post(`/api/scratch/${scratch.id}/call`, tried)).body.kind).toBe("ok");
  });

  test("fails if the file changed, has an error or is not a file of rules", async () => {
    const { page, file, id } = await withRules();
    const { sha256 } = await page.get(`/api/policy/file?id=${id}`);
    const broken = await page.post("/api/policy/file", { id, text: "deny: [wriet]\n", sha256 }, "PUT");
    expect(broken.body.error).toMatchObject({ code: "INSPECT_FILE", details: { lint: [{ line: 1 }] } });
    writeFileSync(file, "# by somebody else\n{}\n");
    const late = await page.post("/api/policy/file", { id, text: "{}\n", sha256 }, "PUT");
    expect([late.status, late.body.error.code]).toEqual([409, "POLICY_FILE_CHANGED"]);
    expect(readFileSync(file, "utf8")).toBe("# by somebody else\n{}\n");
    const other = await page.post("/api/policy/file", { id: "000000000000", text: "{}", sha256 }, "PUT");
    expect(other.status).toBe(400);
    expect(
      (await send(page.served.port, "/api/policy/file?id=../../etc/hostname", { token: page.token })).status,
    ).toBe(404);
  });
});

test("a missing file of rules is named without an error", async () => {
  const { page, file, id } = await withRules();
  const { text, sha256 } = await page.get(`/api/policy/file?id=${id}`);
  rmSync(file);
  const read = await page.ask(`/api/policy/file?id=${id}`);
  expect([read.status, read.body.error]).toMatchObject([
    400,
    { code: "INSPECT_FILE", message: `${file} does not exist.` },
  ]);
  const saved = await page.post("/api/policy/file", { id, text, sha256 }, "PUT");
  expect([saved.status, saved.body.error.code]).toEqual([400, "INSPECT_FILE"]);
});

test.each([
  ["makes its reader wait", (file: string) => execFileSync("mkfifo", [file]), "is no file"],
  ["is too large", (file: string) => writeFileSync(file, "x".repeat(3 * 1024 * 1024)), "has 3145728 bytes"],
  ["is a folder", (file: string) => mkdirSync(file), "is no file"],
])("a file of rules that now %s is named at once, and is not overwritten", async (_, replace, why) => {
  const { page, file, id } = await withRules();
  const { text, sha256 } = await page.get(`/api/policy/file?id=${id}`);
  rmSync(file);
  replace(file);
  const read = await page.ask(`/api/policy/file?id=${id}`);
  expect([read.status, read.body.error]).toMatchObject([
    400,
    { code: "INSPECT_FILE", message: expect.stringContaining(`${file} ${why}`) },
  ]);
  const saved = await page.post("/api/policy/file", { id, text, sha256 }, "PUT");
  expect([saved.status, saved.body.error.code]).toEqual([400, "INSPECT_FILE"]);
});

test("rules of a workspace are not read through a link from a session", async () => {
  const folder = realpathSync(await temporaryFolder());
  const file = join(folder, "haft.config.yaml");
  writeFileSync(file, "policy: { ask: [write] }\n");
  const secret = join(await temporaryFolder(), "id_x");
  writeFileSync(secret, "a private key");
  const { page } = await openInspectedHost({ workspaceDir: folder, config: true });
  const [{ id, owner }] = (await page.get("/api/policy")).files;
  expect(owner).toBe("workspace");
  expect(await page.get(`/api/policy/file?id=${id}`)).toMatchObject({ text: "policy: { ask: [write] }\n" });
  rmSync(file);
  symlinkSync(secret, file);
  const read = await page.ask(`/api/policy/file?id=${id}`);
  expect([read.status, read.body.error]).toMatchObject([
    400,
    { message: `${file} is a link, which can lead anywhere.` },
  ]);
});

describe("an edit that would block the host for seconds", () => {
  const many = (count: number) =>
    `deny:\n${Array.from({ length: count }, (_, index) => `  - "exec(p${index} *)"\n`).join("")}`;

  test.each(["try", "lint", "replay"])(
    "is rejected by its size, with the limit in the answer: %s",
    async (route) => {
      const { page, id } = await withRules();
      const short = `deny:\n${"- a\n".repeat(2_001)}`;
      const aliases = `agents:\n  a: &a { deny: [${"exec, ".repeat(200)}exec] }\n${Array.from({ length: 20 }, (_, index) => `  b${index}: *a\n`).join("")}`;
      for (const [text, limit] of [
        [many(80_000), /at most 65536 bytes/],
        [short, /at most 2000 entries/],
        [aliases, /at most 2000 entries/],
      ] as const) {
        const turn = await longestTurn(async () => {
          const answer = await page.post(`/api/policy/${route}`, { id, text });
          expect(answer.text).toMatch(limit);
        });
        // It was fifteen seconds; the body of the request is read in this process as well.
        expect(turn).toBeLessThan(2_000);
      }
    },
  );

  test("of the largest size does not block other requests", async () => {
    const { page, host, id } = await withRules();
    const session = await host.openSession();
    const order: string[] = [];
    const tried = page.post("/api/policy/try", { id, text: many(1_900) }).then(({ body }) => {
      order.push("try");
      return body;
    });
    await page.get("/api/policy");
    await session.call({ name: "find", arguments: { pattern: "*" } });
    order.push("call");
    expect((await tried).changed.map(({ name }: { name: string }) => name)).toContain("exec");
    expect(order).toEqual(["call", "try"]);
  });

  test("reports the first hundred problems, and the number of others", async () => {
    const { page, id } = await withRules();
    const { lint } = (await page.post("/api/policy/try", { id, text: "]\n".repeat(500) })).body;
    expect(lint).toHaveLength(101);
    expect(lint.at(-1).message).toMatch(/^There are \d+ more problems\.$/);
  });
});
