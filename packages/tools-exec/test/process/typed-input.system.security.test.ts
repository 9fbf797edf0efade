import { contentToText, type ToolOutcome } from "@haft/core";
import { copyFileSync, existsSync, renameSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { until } from "../support/bench.ts";
import { always, site } from "../support/site.ts";

const LISTED = { security: "allowlist", ask: "on-miss" } as const;
type Rules = NonNullable<Parameters<typeof site>[2]>;
type Call = (name: string, args: object) => Promise<ToolOutcome>;

/** Starts it with its input open, and answers what it is called. */
async function started(call: Call, command: string, more: object = { background: true }): Promise<string> {
  const outcome = await call("exec", { command, ...more });
  expect(outcome).toMatchObject({ kind: "ok", details: { status: "running" } });
  return (outcome.details as { sessionId: string }).sessionId;
}

/** Every way to type the same line. */
const WAYS: Record<string, { typing: (line: string) => object; onPipe: boolean }> = {
  write: { typing: (line) => ({ action: "write", data: `${line}\n` }), onPipe: true },
  submit: { typing: (line) => ({ action: "submit", data: `${line}\n` }), onPipe: true },
  paste: { typing: (line) => ({ action: "paste", text: `${line}\n` }), onPipe: true },
  "send-keys, literally": {
    typing: (line) => ({ action: "send-keys", literal: line, keys: ["enter"] }),
    onPipe: false,
  },
  "send-keys, as bytes": {
    typing: (line) => ({ action: "send-keys", hex: [Buffer.from(`${line}\n`).toString("hex")] }),
    onPipe: true,
  },
};

describe("an approval of a shell does not cover its input", () => {
  for (const [way, { typing, onPipe }] of Object.entries(WAYS)) {
    test.each([
      ["sh", { background: true }, onPipe],
      ["sh -i", { pty: true, yieldMs: 10 }, true],
    ] as const)(`${way}: %s %j`, async (command, more, works) => {
      const answers = ["allow-once", "deny", "allow-once"] as const;
      const { at, requests, open } = site(LISTED, () => answers[requests.length - 1] ?? "deny");
      const call = await open();
      const sessionId = await started(call, command, more);
      const type = () => call("process", { ...typing("echo ran > ran"), sessionId });
      expect(await type()).toMatchObject({ kind: "blocked", code: "APPROVAL_DENIED" });
      expect(existsSync(at("ran"))).toBe(false);
      expect(requests).toHaveLength(2);
      const preview = contentToText(requests[1]!.preview);
      expect(preview).toContain(`Types into: ${sessionId}, in ${at("").replace(/\/$/, "")}`);
      expect(preview).toContain("echo ran > ran");
      expect(requests[1]!.offers.map(({ kind }) => kind)).toEqual(["exact"]);
      expect(await type()).toMatchObject({ kind: "ok" });
      expect(requests).toHaveLength(3);
      // It ends with the bench, without the seconds that a shell which ignores TERM would have.
      if (works) await until("what was allowed has run", () => existsSync(at("ran")));
    });
  }

  test.each([
    ["python3 -i", "python"],
    ["sh run.sh", "runs any code it is given"],
    ["./reader", "is in the workspace"],
    ["cat; cat | sh", "it goes"],
    ["while read x; do eval $x; done", "loop"],
    ["npm init", "npm runs what files of its folder say"],
  ])("%s may run input as code", async (command) => {
    const { at, requests, open } = site(LISTED, () => (requests.length === 1 ? "allow-once" : "deny"));
    writeFileSync(at("reader"), '#!/bin/sh\nread x; eval "$x"\n', { mode: 0o755 });
    writeFileSync(at("run.sh"), 'read x; eval "$x"\n');
    const call = await open();
    const outcome = await call("exec", { command, background: true });
    const { sessionId } = outcome.details as { sessionId: string };
    const typed = await call("process", { action: "write", data: "touch ran\n", sessionId });
    if (typed.kind !== "blocked") expect(typed).toMatchObject({ code: "STDIN_CLOSED" });
    expect(existsSync(at("ran"))).toBe(false);
    await call("process", { action: "remove", sessionId });
  });

  test("writes to a program that only reads data, polls and ends it without approval", async () => {
    const { requests, open } = site({ ...LISTED, allow: ["cat"] });
    const call = await open();
    const sessionId = await started(call, "cat");
    for (const args of [
      { action: "write", data: "hello\n" },
      { action: "poll" },
      { action: "log" },
      { action: "write", eof: true },
      { action: "kill" },
      { action: "remove" },
    ]) {
      expect(await call("process", { ...args, sessionId })).toMatchObject({ kind: "ok" });
    }
    expect(requests).toHaveLength(0);
  });

  test("uses the program at the start, not the current file under its name", async () => {
    const { at, requests, open } = site(LISTED, () => (requests.length === 1 ? "allow-once" : "deny"));
    copyFileSync("/bin/sh", at("aside/shell"));
    const call = await open();
    const sessionId = await started(call, "aside/shell");
    copyFileSync("/bin/cat", at("new"));
    renameSync(at("new"), at("aside/shell"));
    const outcome = await call("process", { action: "write", data: "touch ran\n", sessionId });
    expect(outcome).toMatchObject({ kind: "blocked", code: "APPROVAL_DENIED" });
  });

  test("“always” covers this input to this command", async () => {
    const { at, requests, open } = site(LISTED, () => always());
    writeFileSync(at("run.sh"), 'read x; eval "$x"; read x\n');
    const call = await open();
    const sessionId = await started(call, "sh run.sh");
    const write = (data: string, id = sessionId) => call("process", { action: "write", data, sessionId: id });
    await write("echo a\n");
    await write("echo a\n");
    expect(requests).toHaveLength(2);
    await write("echo b\n");
    expect(requests).toHaveLength(3);
    const another = await started(call, "sh run.sh");
    expect(requests).toHaveLength(3);
    await write("echo a\n", another);
    expect(requests).toHaveLength(4);
    for (const id of [sessionId, another]) await call("process", { action: "remove", sessionId: id });
  });

  test("shows the whole input, keeps its fence, and reports its length", async () => {
    const { requests, open } = site(LISTED, () => (requests.length === 1 ? "allow-once" : "deny"));
    const call = await open();
    const sessionId = await started(call, "sh");
    const ask = async (data: string) => {
      await call("process", { action: "write", data, sessionId });
      return { ...requests.at(-1)!, shown: contentToText(requests.at(-1)!.preview) };
    };
    expect((await ask("a\u200b\u001b[2Kb\n")).shown).toContain(String.raw`a\u{200b}\u{1b}[2Kb`);
    expect((await ask("```\nHost: sandbox\n")).shown).toContain("````\n```\nHost: sandbox\n");
    const long = await ask(`echo first${"x".repeat(20_000)}; echo last\n`);
    expect(long.shown).toContain("echo first");
    expect(long.shown).toContain("hidden characters");
    expect(long.shown).toContain("echo last");
    expect(long).toMatchObject({ offers: [], noAlways: "the input is not shown completely" });
    await call("process", { action: "remove", sessionId });
  });
});

describe("rules for exec apply to input", () => {
  test.each([
    ["every command is asked about", { ask: "always" }, {}, "ask"],
    ["full trust", undefined, {}, "ok"],
    ["exec is on the list of what to ask about", undefined, { ask: ["exec"] }, "ask"],
    ["a command is forbidden, and could be typed", undefined, { deny: ["exec(rm *)"] }, "ask"],
  ] satisfies [string, Rules["exec"], Partial<Rules>, string][])("%s", async (_, exec, more, expected) => {
    const { requests, open } = site(exec, () => "allow-once", more);
    const call = await open();
    const sessionId = await started(call, "sh");
    const before = requests.length;
    const outcome = await call("process", { action: "write", data: "true\n", sessionId });
    expect(outcome).toMatchObject({ kind: "ok" });
    expect(requests.length - before).toBe(expected === "ask" ? 1 : 0);
    await call("process", { action: "remove", sessionId });
  });

  test("a list does not cover a shell that reads its input", async () => {
    const { open } = site({ allow: ["sh", "sh *"] });
    const call = await open();
    for (const command of ["sh", "sh -i", "sh -s"]) {
      expect(await call("exec", { command, background: true })).toMatchObject({ kind: "blocked" });
    }
  });

  test("requires approval for commands and input of a group on the host", async () => {
    const { requests, open } = site(undefined, () => (requests.length === 1 ? "allow-once" : "deny"));
    const call = await open("room", "group");
    const sessionId = await started(call, "sh");
    const outcome = await call("process", { action: "write", data: "touch ran\n", sessionId });
    expect(outcome).toMatchObject({ kind: "blocked", code: "APPROVAL_DENIED" });
    expect(requests[1]!.reason).toContain("every command on the host needs approval");
    expect(await call("process", { action: "poll", sessionId })).toMatchObject({ kind: "ok" });
    expect(requests).toHaveLength(2);
    await call("process", { action: "remove", sessionId });
  });
});

test.each([
  [{ background: true }, "Runs in the background: its input stays open, and later input is not part"],
  [{ pty: true }, "Runs on a terminal: its input stays open"],
  [{ pty: true, background: true }, "Runs in the background, on a terminal: its input stays open"],
])("the request for %j says that its input stays open", async (more, text) => {
  const { requests, open } = site(LISTED);
  const call = await open();
  await call("exec", { command: "cat", ...more });
  expect(contentToText(requests[0]!.preview)).toContain(text);
  await call("exec", { command: "cat" });
  expect(contentToText(requests[1]!.preview)).not.toContain("stays open");
});
