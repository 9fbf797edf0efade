import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { haft, type Line } from "../support/haft.ts";
import { claude, env, home, hook, makeHome, policy, project, reasonIn } from "./guard-home.ts";

let [settings, servers] = ["", ""];

beforeEach(async () => {
  await makeHome();
  [settings, servers] = [join(home, ".claude/settings.json"), join(home, ".claude.json")];
});

const guard = (...words: string[]) => haft(["guard", ...words], { cwd: project, env });
const install = async (...words: string[]) => {
  const done = await guard("install", "claude", "--over", "mcp", "--policy", policy, ...words);
  expect(done).toMatchObject({ code: 0, stderr: "" });
  return done.stdout;
};
const json = (file: string): Line => JSON.parse(readFileSync(file, "utf8"));
const serverNow = (): [string, Line] => Object.entries(json(servers).mcpServers)[0] as [string, Line];

/** The server that is installed, as Claude Code starts it: sends messages, each on a line, and gets what comes back. */
function serving() {
  const [, { command, args, env: own }] = serverNow();
  const child = spawn(command, args, {
    cwd: project,
    env: { ...process.env, ...env, ...own },
    stdio: "pipe",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let count = 0;
  const send = (message: unknown) =>
    void child.stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
  const answer = async (): Promise<Line> => JSON.parse((await answers.next()).value as string);
  return {
    child,
    send,
    answer,
    async ask(method: string, params: object = {}): Promise<Line> {
      send({ jsonrpc: "2.0", id: ++count, method, params });
      const { id, ...rest } = await answer();
      expect(id).toBe(count);
      return rest;
    },
  };
}

/** As Claude Code 2.1.330 fills in what the hook says. */
const calling = (command: string, more: object = {}) => ({
  name: "decide",
  arguments: {
    session_id: "s1",
    cwd: project,
    hook_event_name: "PreToolUse",
    permission_mode: "default",
    tool_name: "Bash",
    tool_input: JSON.stringify({ command }),
    agent_id: "",
    agent_type: "",
    ...more,
  },
});
const textOf = ({ result }: Line): string => result.content[0].text;

describe("haft guard install --over mcp", () => {
  it("has the hook call a server that only the user knows, proves it, and takes both away byte for byte", async () => {
    const was = {
      settings: '{ // mine\n "model": "x" }\n',
      servers: '{\n  "mcpServers": {\n    "other": {"command": "x"}\n  }\n}\n',
    };
    mkdirSync(join(home, ".claude"));
    writeFileSync(settings, was.settings);
    writeFileSync(servers, was.servers);
    expect(await install()).toMatch(
      /its server is in \S+\.claude\.json[^]*Claude Code blocks the call[^]*twelve random digits/,
    );
    const texts = [settings, servers].map((file) => readFileSync(file, "utf8"));
    const names = Object.keys(json(servers).mcpServers);
    expect(names).toEqual([expect.stringMatching(/^haft-guard-[0-9a-f]{12}$/), "other"]);
    expect(texts[0]).toContain(`"server":"${names[0]}","tool":"decide"`);
    expect(texts[0]).toContain('"onFailure":"block"');
    expect(await install()).toContain("is there already");
    expect([settings, servers].map((file) => readFileSync(file, "utf8"))).toEqual(texts);
    const { stdout, code } = await guard("status", "--probe", "--json");
    expect(code).toBe(0);
    const [looked] = JSON.parse(stdout).agents;
    expect(looked).toMatchObject({
      state: "guarded",
      policyFile: policy,
      probed: { denies: true, deniesWithout: true },
    });
    expect(await guard("uninstall", "claude")).toMatchObject({
      code: 0,
      stdout: `claude: taken out of ${settings}\n  its server is taken out of ${servers}\n`,
    });
    expect(readFileSync(settings, "utf8")).toBe(was.settings);
    expect(readFileSync(servers, "utf8")).toBe(was.servers);
  });

  it("leaves nothing where nothing was, and takes its server along when a line for each call is wanted again", async () => {
    await install();
    expect((await guard("uninstall")).code).toBe(0);
    expect([existsSync(settings), existsSync(servers)]).toEqual([false, false]);
    await install();
    const [name] = serverNow();
    expect((await guard("install", "claude", "--policy", policy)).stdout).toContain("taken out of");
    expect(readFileSync(settings, "utf8")).not.toContain(name);
    expect(readFileSync(settings, "utf8")).toContain("guard-hook");
    expect(existsSync(servers)).toBe(false);
    writeFileSync(servers, '{"numStartups":3}');
    await install();
    expect(serverNow()[0]).not.toBe(name);
    expect((await guard("uninstall")).code).toBe(0);
    expect(readFileSync(servers, "utf8")).toBe('{"numStartups":3}');
  });

  it("keeps its server where the guard is put into a project, too, and taken out of it", async () => {
    await install();
    const texts = () => [settings, servers].map((file) => readFileSync(file, "utf8"));
    const was = texts();
    for (const word of ["install", "uninstall"]) {
      expect(await guard(word, "claude", "--project")).toMatchObject({ code: 0, stderr: "" });
      expect(texts()).toEqual(was);
    }
  });

  it("is broken where the server is not there, cannot be read, or its failures let calls run", async () => {
    await install();
    const text = readFileSync(servers, "utf8");
    writeFileSync(servers, "{}");
    expect((await guard("status")).stdout).toMatch(
      /DOES NOT HOLD[^]*every call is denied[^]*--over mcp again/,
    );
    writeFileSync(servers, "{ broken");
    expect((await guard("status")).stdout).toMatch(/DOES NOT HOLD[^]*cannot be read/);
    writeFileSync(servers, text.replace(/[^"]+guard-hook\.c?[jt]s/, "/nowhere/guard-hook.js"));
    expect((await guard("status")).stdout).toContain("/nowhere/guard-hook.js is gone");
    writeFileSync(servers, text);
    writeFileSync(settings, readFileSync(settings, "utf8").replace('"block"', '"continue"'));
    expect((await guard("status")).stdout).toMatch(/DOES NOT HOLD[^]*lost onFailure/);
  });

  it.each([
    [["install", "claude", "--over", "http"], "is process or mcp"],
    [["install", "claude", "codex", "--over", "mcp"], "of codex call no server"],
    [["install", "claude", "--over", "mcp", "--project"], "the user's own settings"],
  ])("refuses %j", async (words, says) => {
    expect(await guard(...words)).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining(says),
    });
    expect([existsSync(settings), existsSync(servers)]).toEqual([false, false]);
  });

  it("refuses servers that are broken, and changes nothing", async () => {
    for (const text of ["{", '{"mcpServers": []}']) {
      writeFileSync(servers, text);
      const { code, stderr } = await guard("install", "claude", "--over", "mcp");
      expect([code, stderr]).toEqual([1, expect.stringContaining(`${servers} was left as it is`)]);
      expect(existsSync(settings)).toBe(false);
    }
    expect((await guard("install", "claude")).code).toBe(0);
  });
});

describe("the server that its hook calls", () => {
  it("says what a hook would, shows no tool, and sees the rules that there are then", async () => {
    await install();
    const { ask } = serving();
    expect(await ask("initialize", { protocolVersion: "2025-11-25" })).toMatchObject({
      result: { protocolVersion: "2025-11-25", capabilities: { tools: {} } },
    });
    expect(await ask("tools/list")).toMatchObject({ result: { tools: [] } });
    expect(reasonIn(textOf(await ask("tools/call", calling("rm x"))))).toContain("exec(rm *)");
    expect(textOf(await ask("tools/call", calling("ls")))).toBe("{}");
    expect(reasonIn(textOf(await ask("tools/call", calling("git push"))))).toContain("haft approvals answer");
    writeFileSync(policy, 'deny: ["exec(ls *)"]\n');
    expect(reasonIn(textOf(await ask("tools/call", calling("ls -l"))))).toContain("exec(ls *)");
    expect(textOf(await ask("tools/call", calling("rm x")))).toBe("{}");
    writeFileSync(policy, "deny: 7\n");
    expect(reasonIn(textOf(await ask("tools/call", calling("ls"))))).toContain("haft guard status");
  });

  it("answers what is no call with an error, goes on, and ends with its client", async () => {
    await install();
    const { child, ask, send, answer } = serving();
    expect(await ask("tools/call", { name: "decides" })).toMatchObject({ result: { isError: true } });
    expect(await ask("tools/call", calling("ls", { tool_input: "{" }))).not.toMatchObject({
      result: { content: [{ text: "{}" }] },
    });
    expect(await ask("tools/call", calling("ls", { tool_input: "" }))).not.toMatchObject({
      result: { content: [{ text: "{}" }] },
    });
    expect(await ask("tools/call", calling("ls", { tool_name: "" }))).not.toMatchObject({
      result: { content: [{ text: "{}" }] },
    });
    expect(await ask("resources/list")).toMatchObject({ error: { code: -32601 } });
    send("{ nonsense");
    expect(await answer()).toMatchObject({ id: null, error: { code: -32700 } });
    send({ jsonrpc: "2.0", method: "notifications/initialized" });
    expect(await ask("ping")).toEqual({ jsonrpc: "2.0", result: {} });
    expect(reasonIn(textOf(await ask("tools/call", calling("rm x"))))).toContain("exec(rm *)");
    child.stdin.end();
    expect(await once(child, "close")).toEqual([0, null]);
  });

  it("answers lines that are no calls with errors, and goes on after each", async () => {
    const lines: [string, number | string | null, number][] = [
      ["null", null, -32600],
      ["7", null, -32600],
      ['"text"', null, -32600],
      ["[]", null, -32600],
      ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', null, -32600],
      ['{"jsonrpc":"2.0","id":null,"method":"ping"}', null, -32600],
      ['{"jsonrpc":"2.0","id":{},"method":"ping"}', null, -32600],
      ['{"jsonrpc":"2.0","id":1}', 1, -32600],
      ['{"jsonrpc":"2.0","id":1,"method":null}', 1, -32600],
      ['{"jsonrpc":"2.0","id":"a","method":"initialize","params":null}', "a", -32602],
      ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}', 1, -32602],
      ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"decide"}', 1, -32602],
    ];
    await install();
    const { ask, send, answer } = serving();
    // Notifications, and answers, are for nobody.
    for (const unheard of ['{"jsonrpc":"2.0","method":null}', '{"jsonrpc":"2.0","id":5,"result":null}'])
      send(unheard);
    for (const [line, id, code] of lines) {
      send(line);
      expect([line, await answer()]).toEqual([
        line,
        { jsonrpc: "2.0", id, error: { code, message: expect.any(String) } },
      ]);
    }
    expect(await ask("initialize", { protocolVersion: 7 })).toMatchObject({
      result: { protocolVersion: "2025-06-18" },
    });
    expect(await ask("tools/call", { name: "decide", arguments: null })).toMatchObject({
      result: { isError: true, content: [{ text: "Haft denies this call: the arguments are no object." }] },
    });
    expect(reasonIn(textOf(await ask("tools/call", calling("rm x"))))).toContain("exec(rm *)");
  });

  it("answers sixteen calls at once, each with its own answer", async () => {
    writeFileSync(
      policy,
      `deny: [${Array.from({ length: 16 }, (_, at) => `"exec(tool${at} *)"`).join(", ")}]\n`,
    );
    await install();
    const { send, answer } = serving();
    for (let id = 0; id < 16; id++)
      send({
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params: calling(id % 4 === 0 ? "ls" : `tool${id} x`),
      });
    for (let count = 0; count < 16; count++) {
      const said = await answer();
      if (said.id % 4 === 0) expect(textOf(said)).toBe("{}");
      else expect(reasonIn(textOf(said))).toContain(`deny[${said.id}] = `);
    }
  });
});

it("an agent may not say which servers a project has: one of the same name would be asked instead", async () => {
  const write = claude("", {
    tool_name: "Write",
    tool_input: { file_path: join(project, ".mcp.json"), content: "{}" },
  });
  expect(reasonIn((await hook(write)).stdout)).toContain("settings that say what agents may do");
});
