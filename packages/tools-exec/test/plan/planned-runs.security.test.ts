import { contentToText } from "@haft/core";
import { existsSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { always, ASK_ALL, site } from "../support/site.ts";

describe("with a list, only the plan runs", () => {
  test("words are passed unchanged, without expansion or lookup", async () => {
    const { at, open } = site({ allow: ["printf*", "tool*", "wc*"] });
    const call = await open();
    const run = async (command: string) => contentToText((await call("exec", { command })).content);
    expect(await run(`printf '%s|' '$HOME' "a b" '*' \\; x`)).toBe("$HOME|a b|*|;|x|");
    expect(await run("tool a b")).toBe("good 2");
    expect((await run("tool a b | wc -l")).trim()).toBe("1");
    expect(await run("tool && tool c")).toBe("good 0\ngood 1");
    expect((await call("process", { action: "list" })).kind).toBe("ok");
    expect(existsSync(at("ran"))).toBe(false);
  });

  // None of them runs, so each finds the site as it was.
  const listed = site({ allow: ["tool*"] }, undefined, {}, {}, afterAll);
  test.each([
    "tool; touch ran",
    "tool && touch ran",
    "tool || touch ran",
    "tool | touch ran",
    "tool & touch ran",
    "tool\ntouch ran",
    "tool $(touch ran)",
    "tool `touch ran`",
    "tool <(touch ran)",
    'tool "$(touch ran)"',
    "tool > .git/ran",
    "tool > ../ran",
    'tool > "$(touch ran)"',
    "tool $(tool) > ran | touch ran",
    "tool <<E\n$(touch ran)\nE",
    "env -S 'touch ran'",
    "X=1 touch ran",
    "{ touch ran; }",
    "(touch ran)",
    "t'ou'ch ran",
    "\\touch ran",
    "${x:-touch} ran",
    "touch${IFS}ran",
    "eval touch ran",
    "exec touch ran",
    "tool; . ./evil",
    "function tool { touch ran; }; tool",
    "alias tool=touch; tool ran",
    "tool \\\n; touch ran",
    "busybox touch ran",
    "xargs touch ran",
    "nice touch ran",
    "sh -c 'touch ran'",
    "command touch ran",
  ])("runs no part of %j", async (command) => {
    const outcome = await (await listed.open())("exec", { command });
    expect(outcome).toMatchObject({ kind: "blocked", receipt: "none" });
    expect(existsSync(listed.at("ran"))).toBe(false);
  });

  test("the refusal says why a safe bin does not apply", async () => {
    const { open } = site({ security: "allowlist", safeBins: ["grep", "cut"] });
    const call = await open();
    const answer = async (command: string) => contentToText((await call("exec", { command })).content);
    expect(await answer("echo a | grep -e a")).toBe("a");
    expect(await answer("echo -- -v | grep -e -v")).toBe("-- -v");
    expect(await answer("echo a | grep a")).toContain(
      '"grep a" is not listed (grep is a safe bin only with its pattern behind -e, as in grep -e PATTERN)',
    );
    expect(await answer("echo a | grep -- -a")).toContain("behind -e");
    expect(await answer("cut -f1 run.sh")).toContain(
      "(cut is a safe bin only with arguments that name no files and do nothing else)",
    );
    expect(await answer("tool")).not.toContain("safe bin");
  });

  test("aliases of parameters are the same call", async () => {
    const { requests, open, at } = site({ allow: ["tool"], ask: "on-miss" }, () => always());
    const call = await open();
    for (const args of [
      { command: "./tool x", workdir: "sub" },
      { cmd: "./tool x", cwd: "sub" },
      { command: "./tool x", cwd: at("sub") },
      { cmd: "./tool x", workdir: "./sub/" },
    ]) {
      expect(contentToText((await call("exec", args)).content)).toContain("good 1");
    }
    expect(requests).toHaveLength(1);
    expect(await call("exec", { cmd: "touch ran" })).toMatchObject({ kind: "ok" });
    expect(requests).toHaveLength(2);
  });
});

describe("a grant covers this call in this place (E19)", () => {
  test("not other variables, folders or sessions", async () => {
    const { requests, open } = site({ security: "allowlist", ask: "on-miss" }, () => always());
    const call = await open();
    const command = "tool x";
    await call("exec", { command });
    for (const args of [
      { command, title: "x" },
      { command, timeoutSeconds: 9 },
    ])
      await call("exec", args);
    expect(requests).toHaveLength(1);
    await call("exec", { command, env: { MODE: "fast" } });
    await call("exec", { command, env: { MODE: "slow" } });
    await call("exec", { command, workdir: "sub" });
    await call("exec", { command: "tool  x" });
    expect(requests).toHaveLength(5);
    await (
      await open("another")
    )("exec", { command });
    expect(requests).toHaveLength(6);
  });

  test("programs can be granted with any arguments, alone and with other granted programs", async () => {
    const { requests, open } = site({ security: "allowlist", ask: "on-miss" }, ({ offers }) =>
      always(offers.some(({ kind }) => kind === "program") ? "program" : "exact"),
    );
    const call = await open();
    await call("exec", { command: "basename a" });
    await call("exec", { command: "basename b" });
    await call("exec", { command: "basename b && basename c" });
    expect(requests).toHaveLength(1);
    const more = ["basename a > out", "sh -c 'basename a'", "basename $(id)", "basename a && tool"];
    for (const command of more) await call("exec", { command });
    await call("exec", { command: "basename d", env: { MODE: "x" } });
    expect(requests).toHaveLength(6);
    const whys = requests
      .slice(1)
      .map(({ offers, noAlways, noProgramGrant }) => [
        offers.map(({ kind }) => kind).join(),
        noAlways ?? noProgramGrant,
      ]);
    const once = ["", expect.stringContaining("so only this once")];
    const exact = (why: string) => ["exact", expect.stringContaining(why)];
    expect(whys).toEqual([
      exact("by redirection"),
      exact("sh runs any code"),
      exact("unknown before the start"),
      exact("in the workspace"),
      once,
    ]);
  });

  test("programs of the workspace cannot be granted, because the agent could replace them", async () => {
    const { at, requests, open } = site({ security: "allowlist", ask: "on-miss" }, ({ offers }) =>
      always(offers.some(({ kind }) => kind === "program") ? "program" : "exact"),
    );
    const call = await open();
    for (const command of ["tool a", "bin/tool a", at("bin/tool")]) await call("exec", { command });
    expect(requests.map(({ noProgramGrant }) => noProgramGrant)).toEqual([
      "tool is in the workspace, where it can change at any time",
      "bin/tool is in the workspace, where it can change at any time",
      `${at("bin/tool")} is in the workspace, where it can change at any time`,
    ]);
  });
});

describe("the decision", () => {
  test("treats requests of the call as one more layer of the policy", async () => {
    const { requests, open } = site({ allow: ["tool*"] }, () => "allow-once");
    const call = await open();
    const command = "tool";
    expect(await call("exec", { command })).toMatchObject({ kind: "ok" });
    expect(await call("exec", { command, security: "deny" })).toMatchObject({ kind: "blocked" });
    expect(await call("exec", { command, elevated: true })).toMatchObject({ kind: "blocked" });
    expect(requests).toHaveLength(0);
    for (const title of ["a", "b"]) {
      expect(await call("exec", { command, ask: "always", title })).toMatchObject({ kind: "ok" });
    }
    expect(requests).toHaveLength(2);
    expect(requests[0]?.offers).toEqual([]);
  });

  test("never ignores a request, even without rules about commands", async () => {
    const { requests, open } = site(undefined, () => "allow-once");
    const call = await open();
    const command = "tool";
    expect(await call("exec", { command, ask: "always" })).toMatchObject({ kind: "ok" });
    expect(requests).toHaveLength(1);
    expect(await call("exec", { command, security: "deny" })).toMatchObject({ kind: "blocked" });
    expect(await call("exec", { command, security: "allowlist" })).toMatchObject({ kind: "blocked" });
    expect(await call("exec", { command, elevated: true })).toMatchObject({ kind: "blocked" });
    expect(await call("exec", { command, ask: "off", security: "full" })).toMatchObject({ kind: "ok" });
    expect(requests).toHaveLength(1);
  });

  test("is never made by the agent, and no approval is requested for it", async () => {
    const { requests, open } = site(ASK_ALL, () => "allow-once");
    const outcome = await (await open())("exec", { command: "haft approvals answer abc allow-always" });
    expect(outcome).toMatchObject({ kind: "error", code: "EXEC_SELF_APPROVAL", receipt: "none" });
    expect(requests).toHaveLength(0);
  });

  test("uses rules on actions of process", async () => {
    const { open } = site(undefined, undefined, { deny: ["process:kill"] });
    const call = await open();
    expect(await call("process", { action: "kill", sessionId: "x" })).toMatchObject({ kind: "blocked" });
    expect(await call("process", { action: "list" })).toMatchObject({ kind: "ok" });
  });

  test("runs the text unchanged without rules about commands", async () => {
    const { open } = site(undefined);
    const outcome = await (await open())("exec", { command: "for i in 1 2; do tool $i; done" });
    expect(contentToText(outcome.content)).toBe("good 1\ngood 1");
  });

  test("shows a person the whole command and its result", async () => {
    const { at, requests, open } = site(ASK_ALL, () => "deny");
    await (
      await open()
    )("exec", { command: "tool 'a\u200bb'", workdir: "sub" });
    const preview = contentToText(requests[0]!.preview);
    expect(preview).toContain(`CWD: ${at("sub")}`);
    expect(preview).toContain("```sh\ntool 'a\\u{200b}b'\n```");
    expect(preview).toContain(`tool: ${at("bin/tool")}`);
  });
});
