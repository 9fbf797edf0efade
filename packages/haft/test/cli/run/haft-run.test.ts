import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { converseHere, haft, haftHere } from "../../support/haft.ts";

const call = (name: string, args: unknown, id?: string) => JSON.stringify({ id, name, arguments: args });

describe("invalid input", () => {
  test.for([
    ["not JSON", "hello"],
    ["a number", "5"],
    ["null", "null"],
    ["an object without a name", "{}"],
    ["tool_calls that is no list", '{"tool_calls":5}'],
    ["a call in a list that is no object", "[5]"],
    ["an id that is a list", '{"id":[5],"name":"read"}'],
    ["arguments under another name", '{"name":"read","args":{"path":"a.txt"}}'],
    ["a call of a tool named reload", '{"name":"reload"}'],
    ["an unknown control", '{"control":"restart"}'],
    ["abort without an id", '{"control":"abort"}'],
    ["approve without a decision", '{"control":"approve","approvalId":"x"}'],
    [
      "approve with an unknown member",
      '{"control":"approve","approvalId":"x","decision":"allow-always","forMS":1000}',
    ],
    ["approve of nothing", '{"control":"approve","approvalId":"x","decision":"deny"}'],
  ])("gets an error line for %s, and the session continues", async ([, line]) => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "a.txt"), "hello\n");
    const run = await haftHere(["run", "--json"], {
      cwd,
      input: `${line}\n${call("read", { path: "a.txt" }, "after")}\n`,
    });
    const [broken, after] = run.lines();
    expect(broken).toMatchObject({ kind: "error" });
    expect(after).toMatchObject({ toolCallId: "after", kind: "ok" });
    expect(run.code).toBe(0);
    expect(run.stderr).toBe("");
  });

  test("discards an open pretty-printed message at the next complete request", async () => {
    const cwd = await temporaryFolder();
    const run = await haftHere(["run", "--json"], {
      cwd,
      input: `{\n  "tool_calls": [\n${call("nope", {}, "1")}\n{\n  "name":`,
    });
    expect(run.lines().map(({ code }) => code)).toEqual(["INVALID_LINE", "UNKNOWN_TOOL", "INVALID_LINE"]);
    expect(run.code).toBe(0);
  });

  test("is rejected if it is not UTF-8, without replacement characters", async () => {
    const cwd = await temporaryFolder();
    const line = call("write", { path: "b.txt", content: "caf?" }, "1").replace("?", "\u{fffd}");
    const input = Buffer.from(line.replace("\u{fffd}", "\u00e9"), "latin1");
    const run = await haftHere(["run", "--json"], { cwd, input });
    expect(run.lines()).toMatchObject([{ kind: "error", code: "INVALID_LINE" }]);
    await expect(readFile(join(cwd, "b.txt"))).rejects.toThrow(/ENOENT/);
  });

  test("keeps the id of an invalid call", async () => {
    const run = await haftHere(["run", "--json"], {
      cwd: await temporaryFolder(),
      input: '{"id":"7","arguments":{}}\n',
    });
    expect(run.lines()).toMatchObject([{ toolCallId: "7", code: "INVALID_LINE" }]);
  });

  test("may have 5 MB; 10 MB of unneeded arguments are rejected with a code", async () => {
    const cwd = await temporaryFolder();
    const content = "sixteen bytes:\n\n".repeat(312_500);
    const input = `${call("write", { path: "big.txt", content }, "big")}\n${call("ls", { path: content.repeat(2) }, "long")}\n`;
    const [written, refused] = (await haftHere(["run", "--json"], { cwd, input })).lines();
    expect(written).toMatchObject({ toolCallId: "big", kind: "ok" });
    expect(await readFile(join(cwd, "big.txt"), "utf8")).toBe(content);
    expect(refused).toMatchObject({ toolCallId: "long", kind: "error", code: "ARGUMENTS_TOO_LARGE" });
  });

  test("cannot open a sandboxed session without a sandbox", async () => {
    const cwd = await temporaryFolder();
    const env = { PATH: cwd, DOCKER_HOST: `unix://${cwd}/no-docker.sock` };
    const run = await haft(["run", "--session", "sandboxed"], { cwd, env });
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(/bubblewrap: .*docker: .*SANDBOX_UNAVAILABLE/s);
  });

  test.for([
    ["a key twice", '{"deny":["write"],"deny":["read"]}', 2, /deny[^]*line 1|line 1[^]*deny|unique/i],
    ["no JSON", '{"deny":[', 2, /is not valid YAML/],
  ] as const)("cannot open a session with a policy file that has %s", async ([, policy, code, message]) => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "policy.json"), policy);
    const run = await haftHere(["run", "--policy", "policy.json"], { cwd });
    expect(run).toMatchObject({ code, stdout: "" });
    expect(run.stderr).toMatch(message);
  });

  test("cannot open a session with an unknown tool in the policy", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "policy.json"), JSON.stringify({ deny: ["wirte"] }));
    const run = await haftHere(["run", "--policy", "policy.json"], { cwd });
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(/wirte/);
    expect(run.stderr).toMatch(/write/);
  });
});

describe("answers", () => {
  test("follow the order of an OpenAI message", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "a.txt"), "hello\n");
    const message = {
      role: "assistant",
      content: null,
      tool_calls: [
        {
          id: "w",
          type: "function",
          function: { name: "write", arguments: '{"file_path":"b.txt","content":"new"}' },
        },
        { id: "r", type: "function", function: { name: "read", arguments: '{"filePath":"a.txt"}' } },
      ],
    };
    for (const [run, input] of [
      [haft, JSON.stringify(message)],
      [haftHere, JSON.stringify(message, null, 2)],
    ] as const) {
      const answers = (await run(["run"], { cwd, input })).lines();
      expect(answers.map(({ role, tool_call_id }) => [role, tool_call_id])).toEqual([
        ["tool", "w"],
        ["tool", "r"],
      ]);
      expect(answers[1]?.content).toContain("hello");
    }
    expect(await readFile(join(cwd, "b.txt"), "utf8")).toBe("new");
  });

  test("contain images as parts of a message, and only text as a string", async () => {
    const cwd = await temporaryFolder();
    const png =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    await writeFile(join(cwd, "dot.png"), png, "base64");
    await writeFile(join(cwd, "a.txt"), "hello\n");
    const input = `${call("read", { path: "dot.png" }, "1")}\n${call("read", { path: "a.txt" }, "2")}\n`;
    const [seen, text] = (await haftHere(["run"], { cwd, input })).lines();
    expect(seen).toEqual({
      role: "tool",
      tool_call_id: "1",
      content: [
        { type: "text", text: expect.stringContaining("image/png") },
        { type: "image_url", image_url: { url: expect.stringMatching(/^data:image\/png;base64,iVBORw0K/) } },
      ],
    });
    expect(text.content).toBe("hello");
  });

  test("are not split at a line separator of Unicode", async () => {
    const cwd = await temporaryFolder();
    const content = "a\u2028b\u2029c";
    const [answer] = (
      await haftHere(["run", "--json"], { cwd, input: call("write", { path: "u.txt", content }, "1") })
    ).lines();
    expect(answer).toMatchObject({ toolCallId: "1", kind: "ok" });
    expect(await readFile(join(cwd, "u.txt"), "utf8")).toBe(content);
  });

  test("accept an indented message and a call inside tool_call, alone and in a list", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "a.txt"), "hello\n");
    const message = JSON.stringify({ tool_call: { name: "read", arguments: { path: "a.txt" } } }, null, 2);
    const indented = message.replace(/^/gm, "    ");
    const list = `[${JSON.stringify(JSON.parse(message))}]`;
    const answers = (await haftHere(["run"], { cwd, input: `${message}\n${indented}\n${list}\n` })).lines();
    expect(answers.map(({ content }) => content)).toEqual(["hello", "hello", "hello"]);
  });

  test("stay in order with --parallel", async () => {
    const cwd = await temporaryFolder();
    const names = Array.from({ length: 20 }, (_, i) => `${i}.txt`);
    const calls = names.map((path, i) => ({ id: `${i}`, name: "write", arguments: { path, content: path } }));
    const answers = (
      await haftHere(["run", "--json", "--parallel"], { cwd, input: JSON.stringify(calls) })
    ).lines();
    expect(answers.map(({ toolCallId, kind }) => [toolCallId, kind])).toEqual(
      names.map((_, i) => [`${i}`, "ok"]),
    );
  });

  test("contain the rule and the smallest fix for a denied write of a group session", async () => {
    const cwd = await temporaryFolder();
    const input = `${call("write", { path: "a.txt", content: "x" }, "1")}\n{"control":"ledger"}\n`;
    const [answer, ledger] = (
      await haftHere(["run", "--json", "--session", "group"], { cwd, input })
    ).lines();
    expect(answer).toMatchObject({ kind: "blocked", code: "POLICY_DENIED", receipt: "none" });
    expect(answer?.details.fix).toMatch(/grant/);
    expect(ledger).toMatchObject([
      { toolCallId: "1", toolName: "write", status: "failed", code: "POLICY_DENIED" },
    ]);
  });

  test("follow a grant of the policy file, and wait for an approve line", async () => {
    const cwd = await temporaryFolder();
    const policy = { sessions: { group: { grant: ["write"], ask: ["write"] } } };
    await writeFile(join(cwd, "policy.json"), JSON.stringify(policy));
    const talk = converseHere(["--json", "--session", "group", "--policy", "policy.json"], cwd);
    talk.send(call("write", { path: "a.txt", content: "x" }, "1"));
    const pending = await talk.answer();
    expect(pending).toMatchObject({
      kind: "pending",
      code: "PENDING_APPROVAL",
      details: { status: "pending_approval" },
    });
    await expect(readFile(join(cwd, "a.txt"))).rejects.toThrow(/ENOENT/);
    talk.send({ control: "approve", approvalId: pending.approvalId, decision: "allow-once" });
    expect(await talk.answer()).toMatchObject({ toolCallId: "1", kind: "ok" });
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("x");
    talk.send({ control: "approve", approvalId: pending.approvalId, decision: "allow-once" });
    expect(await talk.answer()).toMatchObject({ kind: "error", code: "APPROVAL_NOT_FOUND" });
    expect(await talk.end()).toBe(0);
  });

  test("resolve names that are bound to a location, or report that it is missing", async () => {
    const cwd = await temporaryFolder();
    const input = [
      call("host_workspace_write", { file_path: "a.txt", content: "one" }, "write"),
      call("host_workspace_edit", { path: "a.txt", old_string: "one", new_string: "two" }, "edit"),
      call("sandboxed_read", { path: "a.txt" }, "sandboxed"),
    ].join("\n");
    const [write, edit, sandboxed] = (await haftHere(["run", "--json"], { cwd, input })).lines();
    expect(write).toMatchObject({
      toolName: "write",
      kind: "ok",
      details: { path: "a.txt", workspaceOnly: true },
    });
    expect(edit).toMatchObject({ toolName: "edit", kind: "ok", details: { workspaceOnly: true } });
    expect(sandboxed).toMatchObject({ kind: "error", code: "WRONG_PLACE" });
  });

  test("treat named roots as read-only without :rw", async () => {
    const [cwd, ro, rw] = [await temporaryFolder(), await temporaryFolder(), await temporaryFolder()];
    await writeFile(join(ro, "a.txt"), "from ro\n");
    const input = [
      call("read", { path: "docs:a.txt" }, "read"),
      call("write", { path: "docs:b.txt", content: "x" }, "write-ro"),
      call("write", { path: "out:b.txt", content: "x" }, "write-rw"),
    ].join("\n");
    const run = await haftHere(["run", "--json", "--root", `docs=${ro}`, "--root", `out=${rw}:rw`], {
      cwd,
      input,
    });
    expect(run.lines().map(({ kind }) => kind)).toEqual(["ok", "error", "ok"]);
    expect(await readFile(join(rw, "b.txt"), "utf8")).toBe("x");
  });

  test("show tools and explanations without running anything", async () => {
    const cwd = await temporaryFolder();
    const input = `{"control":"tools"}\n${JSON.stringify({ control: "explain", name: "write", arguments: { path: "a", content: "" } })}\n`;
    const [tools, explain] = (await haftHere(["run", "--session", "group"], { cwd, input })).lines();
    expect(tools?.tools.map((tool: { name: string }) => tool.name)).toContain("read");
    expect(tools?.missing).toContainEqual(
      expect.objectContaining({ name: "write", reason: expect.stringMatching(/grant/) }),
    );
    expect(explain).toMatchObject({ verdict: "hidden", toolName: "write" });
  });
});

test("apply reloaded files to later calls and to pending calls", async () => {
  const cwd = await temporaryFolder();
  const policy = join(cwd, "policy.yaml");
  await writeFile(policy, "ask: [write]");
  const { send, answer, end } = converseHere(["--json", "--policy", "policy.yaml"], cwd);
  const write = (id: string) => send({ id, name: "write", arguments: { path: `${id}.txt`, content: "x" } });
  write("a");
  expect(await answer()).toMatchObject({ toolCallId: "a", kind: "pending" });
  await writeFile(policy, "deny: [");
  send({ control: "reload" });
  expect(await answer()).toMatchObject({
    control: "reload",
    changed: false,
    problems: [{ code: "POLICY_UNREADABLE", message: expect.stringContaining("policy.yaml:1") }],
  });
  await writeFile(policy, "deny: [write]");
  send({ control: "reload" });
  write("b");
  const answers = [await answer(), await answer(), await answer()];
  expect(answers).toContainEqual({ control: "reload", changed: true, problems: [], later: [] });
  expect(answers.find(({ toolCallId }) => toolCallId === "a")).toMatchObject({ code: "POLICY_DENIED" });
  expect(answers.find(({ toolCallId }) => toolCallId === "b")).toMatchObject({ code: "POLICY_DENIED" });
  await writeFile(policy, "{}");
  send({ control: "reload" });
  write("c");
  expect([await answer(), await answer()]).toMatchObject([
    { changed: true },
    { toolCallId: "c", kind: "ok" },
  ]);
  expect(await end()).toBe(0);
});

describe("senders", () => {
  const setUp = async () => {
    const cwd = await temporaryFolder();
    const rules = {
      sessions: { group: { grant: ["write"] } },
      senders: { "id:mallory": { deny: ["write"] } },
    };
    await writeFile(join(cwd, "p.json"), JSON.stringify(rules));
    return { cwd, args: ["run", "--json", "--session", "group", "--policy", join(cwd, "p.json")] };
  };
  const sender = (value: unknown) => JSON.stringify({ control: "sender", sender: value });
  const write = (id: string) => call("write", { path: `${id}.txt`, content: "x" }, id);

  test("apply to calls of later lines, with the rules for that sender", async () => {
    const { cwd, args } = await setUp();
    const lines = [write("1"), sender({ id: "mallory" }), write("2"), sender(null), write("3")];
    const explain = JSON.stringify({
      control: "explain",
      name: "write",
      arguments: { path: "e", content: "" },
    });
    const run = await haftHere(args, {
      cwd,
      input: [...lines, sender({ id: "mallory" }), explain, sender({ id: "ada" }), write("4")].join("\n"),
    });
    const [one, mallory, two, noSender, three, , explained, , four] = run.lines();
    expect([one, two, three, four]).toMatchObject([
      { kind: "ok" },
      { kind: "blocked" },
      { kind: "ok" },
      { kind: "ok" },
    ]);
    expect(mallory).toEqual({ control: "sender", sender: { id: "mallory" } });
    expect(noSender).toEqual({ control: "sender", sender: null });
    expect(explained).toMatchObject({ control: "explain", verdict: "denied" });
    await expect(readFile(join(cwd, "2.txt"))).rejects.toThrow(/ENOENT/);
  });

  test.for([
    ["a text", "mallory"],
    ["another member", { user: "mallory" }],
    ["nothing", undefined],
  ] as const)("block all calls after a line with %s", async ([, value]) => {
    const { cwd, args } = await setUp();
    const run = await haftHere(args, { cwd, input: `${sender(value)}\n${write("1")}\n` });
    expect(run.lines()).toMatchObject([
      { kind: "error", code: "INVALID_OPTIONS" },
      { kind: "error", code: "INVALID_OPTIONS" },
    ]);
    await expect(readFile(join(cwd, "1.txt"))).rejects.toThrow(/ENOENT/);
  });
});
