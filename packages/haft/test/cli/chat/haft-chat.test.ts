import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { haftHere, terminalHere } from "../../support/haft.ts";
import { bash, exec, hostOptions, renderScreen, openScriptedChat, write } from "./scripted-chat.ts";

const ENTER = "\r";
const CTRL_D = "\u0004";
/** The cursor stands behind what is asked: whoever types now is heard. */
// oxlint-disable-next-line no-control-regex -- of a terminal
const READY = /› \u001b\[\d+G$/;
// oxlint-disable-next-line no-control-regex
const QUESTION = /  > \u001b\[\d+G$/;

/** Calls of the last run here, as `tool outcome`. */
async function ledgerOf(cwd: string): Promise<string[]> {
  const { lines } = await haftHere(["ledger", "show", "last", "--json"], { cwd });
  const [run] = lines();
  return run.calls.map(
    (call: { toolName: string; outcome?: string; status: string }) =>
      `${call.toolName} ${call.outcome ?? call.status}`,
  );
}

async function openChat(
  cwd: string,
  turns: Parameters<typeof openScriptedChat>[0],
  more: readonly string[] = [],
) {
  const { endpoint, options } = await openScriptedChat(turns);
  const terminal = terminalHere(["chat", ...options, ...more], cwd);
  const greeting = renderScreen(await terminal.until(/› /));
  return { endpoint, terminal, options, greeting };
}

describe("a conversation", () => {
  test("prints words as they arrive, calls with output and diffs, and the usage at the end", async () => {
    const cwd = await temporaryFolder();
    const { terminal } = await openChat(cwd, [
      { text: "I look first.", calls: [exec("echo one; echo two"), write("a.txt", "first\n")] },
      { calls: [{ name: "edit", arguments: { path: "a.txt", oldText: "first", newText: "second" } }] },
      { text: "Done: a.txt says second." },
    ]);
    terminal.type(`Change it.${ENTER}`);
    const screen = renderScreen(await terminal.until(/says second\.[^]*› /));
    expect(screen).toMatch(
      /I look first\.\n● exec echo one; echo two\n {4}one\n {4}two\n {2}✓ exit code 0, /,
    );
    expect(screen).toMatch(/● write a\.txt .*\n[^]*\+first\n/);
    expect(screen).toMatch(/● edit a\.txt .*\n[^]*-first\n {4}\+second\n/);
    expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("second\n");
    terminal.type(CTRL_D);
    const { exitCode, output } = await terminal.end();
    expect(exitCode).toBe(0);
    expect(renderScreen(output)).toMatch(
      /3 answers of the model: [\d,]+ tokens read, [\d,]+ written\.\nTo continue: haft chat --resume 0/,
    );
    expect(await ledgerOf(cwd)).toEqual(["exec ok", "write ok", "edit ok"]);
  });

  test("prints once how to continue it", async () => {
    const cwd = await temporaryFolder();
    const { terminal } = await openChat(cwd, [{ calls: [exec("echo one")] }, { text: "First." }]);
    terminal.type(`Go.${ENTER}`);
    await terminal.until(/First\.[^]*› /);
    terminal.type(`/resume${ENTER}`);
    await terminal.until(/Continuing a conversation[^]*› /);
    terminal.type(`/resume no-such-run${ENTER}`);
    await terminal.until(/no-such-run[^]*\[\w+\][^]*The previous conversation continues[^]*› /);
    terminal.type(CTRL_D);
    const { output } = await terminal.end();
    expect(renderScreen(output).match(/To continue: haft chat --resume \w+/g)).toHaveLength(1);
  });

  test.each([[], ["--no-keep"]])(
    "continues without a call if another conversation cannot resume %j",
    async (...more) => {
      const cwd = await temporaryFolder();
      const { terminal, endpoint } = await openChat(cwd, [{ text: "First." }, { text: "Second." }], more);
      terminal.type(`The word is lantern.${ENTER}`);
      await terminal.until(/First\.[^]*› /);
      terminal.type(`/resume no-such-run${ENTER}`);
      await terminal.until(/no-such-run[^]*\[\w+\][^]*The previous conversation continues[^]*› /);
      terminal.type(`Which word?${ENTER}`);
      await terminal.until(/Second\.[^]*› /);
      expect(JSON.stringify(endpoint.requests.at(-1)?.body["messages"])).toContain("The word is lantern.");
      terminal.type(CTRL_D);
      const { output } = await terminal.end();
      expect(renderScreen(output).match(/2 answers of the model/g)).toHaveLength(1);
    },
  );

  test("asks for approval with a reason, and accepts yes, no and only valid answers", async () => {
    const cwd = await temporaryFolder();
    const { terminal, endpoint } = await openChat(
      cwd,
      [{ calls: [bash("touch first")] }, { calls: [bash("touch second")] }, { text: "Well." }],
      hostOptions(cwd),
    );
    terminal.type(`Go.${ENTER}`);
    await terminal.until(/\[n\]o {2}\[w\]hy[^]*> ./s);
    terminal.type(`why${ENTER}`);
    expect(renderScreen(await terminal.until(QUESTION))).toMatch(
      /needs approval before it runs\.[^]*built-in session table/,
    );
    terminal.type(`perhaps${ENTER}`);
    await terminal.until(/not one of these[^]* > /);
    terminal.type(`n${ENTER}`);
    await terminal.until(/Denied[^]*touch second[^]*\[w\]hy[^]* > ./s);
    terminal.type(`y${ENTER}`);
    await terminal.until(/Well\.[^]*› /);
    expect(["first", "second"].map((name) => existsSync(join(cwd, name)))).toEqual([false, true]);
    expect(endpoint.requests.at(-1)?.results[0]?.text).toMatch(/denied/);
    expect(await ledgerOf(cwd)).toEqual(["bash blocked", "bash ok"]);
  });

  test("has the commands help, tools, explain, undo and model, and rejects others", async () => {
    const cwd = await temporaryFolder();
    const { terminal, endpoint } = await openChat(cwd, [
      { calls: [write("a.txt", "a")] },
      { text: "Written." },
      { text: "I see." },
    ]);
    const type = async (line: string, shows: RegExp) => {
      terminal.type(`${line}${ENTER}`);
      expect(renderScreen(await terminal.until(new RegExp(`${shows.source}[^]*› `)))).toMatch(shows);
    };
    await type("/help", /\/undo \[CALL\] /);
    await type("/tools", /apply_patch /);
    await type("/explain bash", /bash in a main session/);
    await type("/explain", /Which tool\?/);
    await type("/undo", /The model made no call/);
    await type("/modle", /There is no \/modle\. Did you mean \/model\?/);
    await type("Write.", /Written\./);
    await type("/undo", /Restored 1 file/);
    expect(existsSync(join(cwd, "a.txt"))).toBe(false);
    await type("And now?", /I see\./);
    expect(endpoint.requests.at(-1)?.prompt).toMatch(/^\(The user undid .*a\.txt.*\)\n\nAnd now\?$/s);
    await type("/model openai/other", /openai\/other at 127\.0\.0\.1/);
    await type("/model nowhere/other", /The provider "nowhere" is unknown[^]*MODEL_SETTINGS/);
    await type("/etc/hosts is what?", /Done\./);
    expect(endpoint.requests.at(-1)).toMatchObject({ model: "other", prompt: "/etc/hosts is what?" });
    terminal.type(`/exit${ENTER}`);
    expect((await terminal.end()).exitCode).toBe(0);
  });

  test("treats pasted text and lines after a backslash as one message", async () => {
    const cwd = await temporaryFolder();
    const { terminal, endpoint } = await openChat(cwd, ({ prompt }) => ({
      text: `${prompt.split("\n").length} lines.`,
    }));
    terminal.type("one\rtwo\rthree\r");
    await terminal.until(/3 lines\.[^]*› /);
    terminal.type(`a \\${ENTER}`);
    await terminal.until(/… /);
    terminal.type(`b${ENTER}`);
    await terminal.until(/2 lines\.[^]*› /);
    expect(endpoint.requests.map(({ prompt }) => prompt)).toEqual(["one\ntwo\nthree", "a \nb"]);
  });

  test("reports a failed endpoint and continues", async () => {
    const cwd = await temporaryFolder();
    let questions = 0;
    const { terminal } = await openChat(cwd, () =>
      ++questions === 1
        ? { fault: { kind: "status", status: 401, message: "Wrong key." } }
        : { text: "Better." },
    );
    terminal.type(`Go.${ENTER}`);
    expect(renderScreen(await terminal.until(READY))).toMatch(/answered 401: Wrong key\. \[MODEL_KEY\]/);
    terminal.type(`Again.${ENTER}`);
    await terminal.until(/Better\.[^]*› /);
  });

  test("escapes control characters of the model", async () => {
    const cwd = await temporaryFolder();
    const { terminal } = await openChat(cwd, [{ text: "a\u001b[2Jb\u009b31mc\u0007" }]);
    terminal.type(`Go.${ENTER}`);
    const output = await terminal.until(/a\[2Jb31mc/);
    expect(output).not.toContain("\u001b[2J");
  });
});
