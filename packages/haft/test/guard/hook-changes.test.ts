import { readFileSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import type { Line } from "../support/haft.ts";
import { guard, install, makeHome, policy, trustInCodex } from "./guard-home.ts";
import { settings } from "./installed-settings.ts";

beforeEach(() => makeHome());

const AGENTS = ["claude", "gemini", "cursor", "copilot", "codex", "pi", "opencode"];

/** Installs it, changes the text of its settings, and looks. */
async function changed(agent: string, change: (text: string) => string, ...words: string[]) {
  await install(agent, "--policy", policy);
  const file = settings(agent);
  if (agent === "codex") await trustInCodex(file);
  const was = readFileSync(file, "utf8");
  writeFileSync(file, change(was));
  if (words.includes("changed")) expect(readFileSync(file, "utf8")).not.toBe(was);
  const { code, stdout } = await guard("status", "--json");
  const looked: Line = (JSON.parse(stdout).agents as Line[]).find((each) => each.agent === agent);
  return { code, state: looked.state as string, problems: (looked.problems as string[]).join("\n") };
}

const inHook = (key: string) => (text: string) => text.replace(/"timeout": ?15/, `$&, ${key}`);
const timeout = (value: string) => (text: string) =>
  text.replace(/(timeout(?:Sec)?"?(?::| =) ?)15/, `$1${value}`);

describe("a hook that was changed after its installation", () => {
  it.each<[string, (text: string) => string, string]>([
    [
      "claude",
      (text) => text.replace('"matcher": "*"', '"matcher": "Read"'),
      'matcher is "Read" instead of "*"',
    ],
    [
      "claude",
      (text) => text.replace('"type": "command"', '"type": "prompt"'),
      'hooks[0].type is "prompt" instead of "command"',
    ],
    ["claude", inHook('"async": true'), "hooks[0].async is true instead of missing"],
    ["claude", inHook('"if": "Read(*)"'), 'hooks[0].if is "Read(*)" instead of missing'],
    ["claude", timeout("0.001"), "hooks[0].timeout is 0.001 instead of 15"],
    [
      "claude",
      (text) => text.replace('"block"', '"allow"'),
      'hooks[0].onFailure is "allow" instead of "block"',
    ],
    ["claude", inHook('"shell": "powershell"'), 'hooks[0].shell is "powershell" instead of missing'],
    [
      "claude",
      (text) => text.replace('"command": "', '"command": "true # '),
      "hooks[0].command differs from the text that this version of Haft installs",
    ],
    [
      "claude",
      (text) => text.replace(" -i HOME=", " -i NODE_OPTIONS=--import=/x.mjs HOME="),
      "hooks[0].command differs from",
    ],
    [
      "gemini",
      (text) => text.replace('"matcher": ".*"', '"matcher": "read_file"'),
      'matcher is "read_file" instead of ".*"',
    ],
    ["gemini", timeout("1"), "hooks[0].timeout is 1000 instead of 15000"],
    [
      "cursor",
      (text) => text.replace('"failClosed": true', '"failClosed": false'),
      "failClosed is false instead of true",
    ],
    ["cursor", inHook('"matcher": "Read"'), 'matcher is "Read" instead of missing'],
    ["copilot", timeout("0"), "hooks.preToolUse[0].timeoutSec is 0 instead of 15"],
    ["copilot", (text) => text.replace('"version": 1', '"version": 2'), "version is 2 instead of 1"],
    ["codex", (text) => text.replace('matcher = ".*"', 'matcher = "x"'), 'matcher is "x" instead of ".*"'],
    ["codex", timeout("1"), "hooks[0].timeout is 1 instead of 15"],
    [
      "pi",
      (text) => text.replace("answer.block === true", "false"),
      "its module differs from the text that this version of Haft installs",
    ],
    ["opencode", (text) => text.replace("answer.block === true", "false"), "its module differs from"],
  ])("is reported with the previous value: %s %#", async (agent, change, previous) => {
    const { code, state, problems } = await changed(agent, change, "changed");
    expect([code, state]).toEqual([1, "changed since installed"]);
    expect(problems).toContain("Changed since installation: ");
    expect(problems).toContain(previous);
  });

  it.each(AGENTS)("is not reported if it is equal, or has a longer timeout: %s", async (agent) => {
    const change = agent === "codex" ? (text: string) => text : timeout("60");
    expect(await changed(agent, change)).toMatchObject({ code: 0, state: "guarded", problems: "" });
  });

  it("is correct again after another installation", async () => {
    await changed("claude", (text) => text.replace('"matcher": "*"', '"matcher": "x"'), "changed");
    expect((await guard("status")).stdout).toContain(
      "claude: CHANGED SINCE IT WAS INSTALLED, so it may not decide, by ",
    );
    expect(await changed("claude", (text) => text)).toMatchObject({ code: 0, state: "guarded" });
  });
});
