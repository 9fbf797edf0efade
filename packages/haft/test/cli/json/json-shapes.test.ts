import { checkValue } from "@haft/core/internal";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packed } from "../../../../../test/support/build-under-test.ts";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { until } from "../../../../../test/support/until.ts";
import { haft, haftHere, type Line } from "../../support/haft.ts";
import { toJsonSchema, type Shape } from "./shape.ts";
import { errorShape, names, shapes } from "./shapes.ts";

// What docs/reference/command.md says is what is printed.

function problemsOf(value: Line, shape: Shape) {
  return checkValue(toJsonSchema(shape, names), value, 5);
}

function expectShape(value: Line, shape: Shape): void {
  expect(problemsOf(value, shape)).toEqual([]);
}

const PATCH =
  "*** Begin Patch\n*** Add File: new.txt\n+hello\n*** Move File: from.txt -> to.txt\n*** End Patch\n";

const PLUGIN = `import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
export default definePlugin({ id: "hello", tools: [defineTool({
  name: "greet", description: "Greets.", parameters: Type.Object({}), effects: [],
  execute: async () => ({ content: [text("hello")], details: {} }),
})] });
`;

async function folder(): Promise<string> {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "from.txt"), "moved\n");
  await writeFile(join(cwd, "policy.yaml"), "sessions: { group: { grant: [write], ask: [write] } }\n");
  await writeFile(join(cwd, "broken.yaml"), "deny: [raed]\nsessionz: {}\n");
  await writeFile(join(cwd, "claude.json"), '{"permissions":{"allow":["Bash(ls)"]}}');
  await writeFile(join(cwd, "plugin.mjs"), PLUGIN);
  await writeFile(join(cwd, "broken.mjs"), "export default {};\n");
  await mkdir(join(cwd, "more"));
  await writeFile(join(cwd, "more/broken.mjs"), "export default {};\n");
  await mkdir(join(cwd, "sub"));
  const config = "model: { contextTokens: 5000 }\nplugins: [../plugin.mjs]\n";
  await writeFile(join(cwd, "sub/haft.config.yaml"), config);
  await writeFile(
    join(cwd, "tests.yaml"),
    "- { tool: read, expect: allow }\n- { tool: read, expect: deny }\n",
  );
  return cwd;
}

/** A command line for each shape, and what it is about. Those that are not here stand in a test of their own. */
const lines: readonly [shape: string, args: readonly string[], more?: { input?: string }][] = [
  ["--version", ["--version"]],
  ["tools list", ["tools", "--session", "group"]],
  ["tools list --all", ["tools", "--all", "--policy", "policy.yaml", "--agent", "ada"]],
  ["explain", ["explain", "write", "--session", "group"]],
  ["explain", ["explain", "exec", '{"command":"git status | sh > out.txt"}']],
  ["explain", ["explain", "wriet"]],
  ["tools call", ["tools", "call", "ls", "{}"]],
  ["tools call", ["tools", "call", "read", '{"path":"nowhere"}']],
  ["tools patch", ["tools", "patch"], { input: PATCH }],
  ["policy check", ["policy", "check", "policy.yaml", "broken.yaml"]],
  ["policy test", ["policy", "test", "tests.yaml"]],
  ["policy schema", ["policy", "schema"]],
  ["policy import", ["policy", "import", "claude", "claude.json"]],
  ["sandbox doctor", ["sandbox", "doctor", "contained"]],
  ["sandbox list", ["sandbox", "list", "--sandbox", "bubblewrap"]],
  ["sandbox prune", ["sandbox", "prune", "--sandbox", "bubblewrap"]],
  ["sandbox restore", ["sandbox", "restore"]],
  ["sandbox explain", ["sandbox", "explain", "--sandbox", "bubblewrap"]],
  ["sandbox explain contained", ["sandbox", "explain", "contained"]],
  ["plugins add --dry-run", ["plugins", "add", "./plugin.mjs", "--dry-run"]],
  ["plugins list", ["plugins", "list", "--plugin", "plugin.mjs", "--plugin", "broken.mjs"]],
  ["plugins info", ["plugins", "info", "hello", "--plugin", "plugin.mjs"]],
  ["plugins why", ["plugins", "why", "greet", "--plugin", "plugin.mjs"]],
  ["plugins why", ["plugins", "why", "nobody"]],
  ["plugins check", ["plugins", "check", "plugin.mjs", "more/broken.mjs", "--limit", "2"]],
  ["plugins manifest", ["plugins", "manifest", "plugin.mjs", "--dry-run"]],
  ["config show", ["config", "show"]],
  ["config check", ["config", "check", "broken.yaml"]],
  ["config schema", ["config", "schema"]],
  ["config init", ["config", "init", "--project", "--yes", "--deny", "bash"]],
  ["config trust", ["config", "trust", "sub", "--yes"]],
  ["config trusted", ["config", "trusted"]],
  ["config trusted FILE", ["config", "trusted", "sub"]],
  ["config untrust", ["config", "untrust", "."]],
  ["approvals list", ["approvals"]],
  ["approvals grants", ["approvals", "grants"]],
  ["approvals revoke", ["approvals", "revoke", "nosuchid"]],
];

test.each(lines)("haft %s", async (shape, args, { input } = {}) => {
  const cwd = await folder();
  const { stdout } = await haftHere([...args, "--json"], { cwd, ...(input !== undefined && { input }) });
  expect(problemsOf(JSON.parse(stdout), shapes[shape]!)).toEqual([]);
});

test("haft undo, for changes that can and cannot be reverted", async () => {
  const cwd = await folder();
  expect((await haftHere(["tools", "patch"], { cwd, input: PATCH })).code).toBe(0);
  await writeFile(join(cwd, "new.txt"), "changed\n");
  expect((await haftHere(["tools", "call", "write", '{"path":"b.txt","content":"b"}'], { cwd })).code).toBe(
    0,
  );
  const [value] = (await haftHere(["undo", "--json"], { cwd })).lines();
  expect(value.changes.map(({ undoable }: Line) => undoable)).toEqual([true, false]);
  expectShape(value, shapes["undo"]!);
});

test("haft approvals, from the question to the grant, and haft tools call --follow", async () => {
  const cwd = await folder();
  const command = "touch made; echo begun; sleep 1.2; echo done";
  const call = haftHere(
    [
      "tools",
      "call",
      "exec",
      JSON.stringify({ command }),
      "--session",
      "group",
      "--approvals",
      "wait",
      "--follow",
    ],
    { cwd },
  );
  let request: Line;
  await until("it is asked about", async () => {
    const [value] = (await haftHere(["approvals", "list", "--json"], { cwd })).lines();
    [request] = value.requests;
    if (request !== undefined) expectShape(value, shapes["approvals list"]!);
    return request !== undefined;
  });
  expectShape(request, shapes["approvals list --watch"]!);
  const answer = await haftHere(["approvals", "answer", request.approvalId, "always", "--json"], { cwd });
  expectShape(answer.lines()[0], shapes["approvals answer"]!);

  const { code, lines: streamed } = await call;
  // The grant is kept by who asked.
  const [grants] = (await haftHere(["approvals", "grants", "--json"], { cwd })).lines();
  expect(grants.grants).toHaveLength(1);
  expectShape(grants, shapes["approvals grants"]!);
  const updates = streamed().slice(0, -1);
  expect(code).toBe(0);
  expect(updates.map(({ details }: Line) => details.added ?? "").join("")).toBe("begun\ndone\n");
  for (const update of updates) expectShape(update, shapes["tools call --follow"]!);
  expectShape(streamed().at(-1), shapes["tools call"]!);
});

describe("errors have one shape, with a message on standard error", () => {
  test.each([
    [["nosuch", "--json"], 2, "USAGE"],
    [["tools", "--json", "--nosuch"], 2, "USAGE"],
    [["policy", "--json"], 2, "USAGE"],
    [["tools", "call", "--follow"], 2, "USAGE"],
    [["tools", "--json", "--config", "broken.yaml"], 1, "CONFIG_INVALID"],
    [["tools", "--all", "--json", "--policy", "nowhere.yaml"], 2, "USAGE"],
    [["undo", "--json", "nope"], 1, "TRANSACTION_NOT_FOUND"],
    [["approvals", "answer", "nope", "allow", "--json"], 1, "APPROVAL_NOT_FOUND"],
    [["config", "init", "--json", "--project", "--yes", "--network", "full"], 2, "USAGE"],
  ] as const)("%j", async (args, code, error) => {
    const cwd = await folder();
    const run = await haftHere(args, { cwd });
    expect(run.code).toBe(code);
    const [value, ...more] = run.lines();
    expect(more).toEqual([]);
    expect(value.error).toBe(error);
    expectShape(value, errorShape);
    expect(run.stderr).toContain(`haft: ${value.message}`);
  });

  test("except for run, which prints only answers", async () => {
    const run = await haftHere(["run", "--json", "--nosuch"], { cwd: await folder() });
    expect(run).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("--nosuch") });
  });
});

// What is packed is no source to look into.
test.skipIf(packed !== undefined)("every command and action with --json has a shape", async () => {
  const source: string = join(import.meta.dirname, "../../../src/cli", "command-line.ts");
  const { commands } = (await import(source)) as { commands: Record<string, () => Promise<Line>> };
  const missing: string[] = [];
  for (const [name, load] of Object.entries(commands)) {
    const { options, actions } = await load();
    // What these answer line by line has pages of its own.
    if (name === "run" || name === "chat" || options.json === undefined) continue;
    const all = Object.entries<Line>(actions ?? { "": {} });
    for (const [action, { options: taken }] of all) {
      if (taken !== undefined && !("json" in taken)) continue;
      const line = `${name} ${action}`.trim();
      if (shapes[line] === undefined) missing.push(line);
    }
  }
  expect(missing).toEqual([]);
});

test("haft mcp, without servers and with one; haft guard, with a payload and an installed hook", async () => {
  const cwd = await folder();
  const env = { HOME: cwd, XDG_CONFIG_HOME: join(cwd, "xdg"), XDG_STATE_HOME: join(cwd, "state") };
  const payload = JSON.stringify({
    session_id: "s",
    cwd,
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "ls" },
    tool_use_id: "t",
  });
  const [listed] = (await haftHere(["mcp", "list", "--json"], { cwd, env })).lines();
  expect(problemsOf(listed, shapes["mcp list"]!)).toEqual([]);
  const [status] = (await haftHere(["guard", "status", "--json"], { cwd, env })).lines();
  expect(problemsOf(status, shapes["guard status"]!)).toEqual([]);
  const [tried] = (
    await haft(["guard", "try", "claude", "--policy", "policy.yaml", "--json"], {
      cwd,
      env,
      input: payload,
    })
  ).lines();
  expect(problemsOf(tried, shapes["guard try"]!)).toEqual([]);
  const log = join(cwd, "xdg-state-watched.jsonl");
  await writeFile(log, guardedLines(cwd));
  const suggest = ["guard", "suggest", "--policy", "first.yaml", "--file", log, "--json"];
  const [suggested] = (await haftHere(suggest, { cwd, env })).lines();
  expect(problemsOf(suggested, shapes["guard suggest"]!)).toEqual([]);
  expect(suggested).toMatchObject({ proposals: [{ entry: "cat a" }], leftOut: [{ example: "curl b" }] });
});

/** A log of two commands, each run twice. */
function guardedLines(folder: string): string {
  const guard = { agent: "claude", event: "PreToolUse", folder, answer: "allow" };
  const session = { kind: "main", agentId: "claude", model: "", messageChannel: "", guarded: true };
  const lines = ["cat a", "cat a", "curl b", "curl b"].map((command, index) => {
    const entry = { toolCallId: `t${index}`, toolName: "Bash", args: { command }, session, guard };
    return `{"audit":1,"at":${1_790_000_000_000 + index},${JSON.stringify(entry).slice(1)}\n`;
  });
  return lines.join("");
}

test("haft undo, of a change and of its revert", async () => {
  const cwd = await folder();
  const write = await haftHere(["tools", "call", "write", '{"path":"new.txt","content":"x"}'], { cwd });
  expect(write.code).toBe(0);
  const [run] = (await haftHere(["ledger", "list", "--json"], { cwd })).lines();
  const { sessionKey, toolCallId } = run.calls[0];
  for (const more of [["--dry-run"], []]) {
    const [value] = (
      await haftHere(["undo", sessionKey, "--to", toolCallId, ...more, "--json"], { cwd })
    ).lines();
    expect(problemsOf(value, shapes["undo SESSION --to CALL"]!)).toEqual([]);
    expect(value.files).toMatchObject([{ path: "new.txt", kind: "deleted" }]);
  }
});

test("haft ledger, from the call to its record, replay and removal", async () => {
  const cwd = await folder();
  await writeFile(join(cwd, "next.yaml"), "deny: [ls]\n");
  expect((await haftHere(["tools", "call", "ls", "{}"], { cwd })).code).toBe(0);
  for (const [shape, args] of [
    ["ledger list", ["list"]],
    ["ledger show", ["show", "last"]],
    ["ledger show", ["show", "last", "call_1"]],
    ["ledger replay", ["replay", "last"]],
    ["ledger replay --policy", ["replay", "last", "--policy", "next.yaml"]],
    ["ledger check", ["check"]],
    ["ledger forget", ["forget", "--run", "last", "--yes"]],
  ] as const) {
    const [value] = (await haftHere(["ledger", ...args, "--json"], { cwd })).lines();
    expect([shape, problemsOf(value, shapes[shape]!)]).toEqual([shape, []]);
  }
});
