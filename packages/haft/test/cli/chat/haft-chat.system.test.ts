import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { until } from "../../../../../test/support/until.ts";
import { haftHere } from "../../support/haft.ts";
import { haftTerminals } from "../../support/terminal.ts";
import {
  bash,
  createEndlessCommand,
  exec,
  hostOptions,
  renderScreen,
  openScriptedChat,
} from "./scripted-chat.ts";

const haftOnTerminal = haftTerminals();

const ENTER = "\r";
const CTRL_C = "\u0003";
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
  const terminal = await haftOnTerminal(["chat", ...options, ...more], cwd);
  const greeting = renderScreen(await terminal.until(/› /));
  return { endpoint, terminal, options, greeting };
}

describe("Ctrl-C", () => {
  test("stops the running call first, and the model continues", async () => {
    const cwd = await temporaryFolder();
    const { command, hasEnded } = createEndlessCommand();
    const { terminal, endpoint } = await openChat(
      cwd,
      [{ calls: [exec(command)] }, { text: "Then not." }],
      hostOptions(cwd),
    );
    await terminal.type(`Go.${ENTER}`);
    await terminal.until(/ {4}.*begun/);
    await terminal.type(CTRL_C);
    expect(renderScreen(await terminal.until(/Then not\.[^]*› /))).toMatch(/the call is stopped/);
    await until("the command has ended", hasEnded);
    expect(endpoint.requests.at(-1)?.results[0]?.text).toMatch(/pressed Ctrl-C/);
    expect(await ledgerOf(cwd)).toEqual(["exec cancelled"]);
  });

  test("then stops the answer; at the prompt it clears the line, and twice it exits", async () => {
    const cwd = await temporaryFolder();
    const { terminal } = await openChat(cwd, [{ text: "Half of it", fault: { kind: "stall", after: 3 } }]);
    await terminal.type(`Go.${ENTER}`);
    await terminal.until(/Half of it/);
    await terminal.type(CTRL_C);
    await terminal.until(/Stopped\.[^]*› /);
    await terminal.type("not to be said");
    await terminal.until(/to be said/);
    await terminal.type(CTRL_C);
    await terminal.until(READY);
    await terminal.type(CTRL_C);
    await terminal.until(/Ctrl-C again to leave[^]*› /);
    await terminal.type(CTRL_C);
    expect((await terminal.end()).exitCode).toBe(0);
  });
});

describe("the end of the program", () => {
  test.each([
    ["SIGHUP", 129],
    ["SIGTERM", 143],
  ] as const)("stops a running command and records it: %s", async (signal, code) => {
    const cwd = await temporaryFolder();
    const { command, hasEnded } = createEndlessCommand();
    const { terminal } = await openChat(cwd, [{ calls: [exec(command)] }], hostOptions(cwd));
    await terminal.type(`Go.${ENTER}`);
    await terminal.until(/ {4}.*begun/);
    await terminal.signal(signal);
    expect((await terminal.end()).exitCode).toBe(code);
    await until("the command has ended", hasEnded);
    expect(await ledgerOf(cwd)).toEqual(["exec cancelled"]);
  });

  test.each(["SIGHUP", "SIGTERM"] as const)(
    "leaves a question pending at %s, and the next chat continues it",
    async (signal) => {
      const cwd = await temporaryFolder();
      const { terminal } = await openChat(cwd, [{ calls: [bash("touch done")] }], hostOptions(cwd));
      await terminal.type(`Go.${ENTER}`);
      await terminal.until(QUESTION);
      await terminal.signal(signal);
      await terminal.end();
      const [{ requests }] = (await haftHere(["approvals", "--json"], { cwd })).lines();
      const [{ approvalId }] = requests;
      expect((await haftHere(["approvals", "answer", approvalId, "allow-once"], { cwd })).code).toBe(0);
      expect(existsSync(join(cwd, "done"))).toBe(false);
      const { endpoint, terminal: next } = await openChat(
        cwd,
        [{ text: "Thanks." }, { text: "Thanks." }],
        ["--resume", ...hostOptions(cwd)],
      );
      await until("the call was made", () => existsSync(join(cwd, "done")));
      await next.type(`And?${ENTER}`);
      await next.until(/Thanks\.[^]*› /);
      expect(JSON.stringify(endpoint.requests.at(-1)?.body)).toMatch(/bash/);
      expect(await ledgerOf(cwd)).toEqual(["bash ok"]);
    },
  );

  test("closes everything at the prompt", async () => {
    const cwd = await temporaryFolder();
    const { terminal, greeting } = await openChat(cwd, []);
    expect(greeting).toMatch(/\nCommands are (?:not )?contained[^\n]*Rules about exec change this/);
    await terminal.signal("SIGTERM");
    expect((await terminal.end()).exitCode).toBe(143);
  });
});
