import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import { guard, home, installBuild, makeHome, policy, project } from "./guard-home.ts";

let folder = "";

beforeEach(async () => {
  await makeHome();
  folder = join(home, ".openclaw/extensions/haft-guard");
});

/** As OpenClaw 2026.9.6 called a plugin: its Gateway is started anywhere, and tells the folder of an agent when it is asked. */
interface Event {
  toolName: string;
  params: object;
  toolKind?: string;
  runId?: string;
  toolCallId?: string;
}
type Handler = (event: Event, ctx: object) => Promise<Record<string, unknown> | undefined>;

async function loaded(file = join(folder, "index.js")): Promise<{ handler: Handler; settings: object }> {
  const { default: plugin } = (await import(pathToFileURL(file).href)) as {
    default: { id: string; register(api: object): void };
  };
  expect(plugin.id).toBe("haft-guard");
  const all: { event: string; handler: Handler; settings: object }[] = [];
  plugin.register({
    config: {},
    runtime: { agent: { resolveAgentWorkspaceDir: () => project } },
    on: (event: string, handler: Handler, settings: object) => all.push({ event, handler, settings }),
  });
  expect(all.map(({ event }) => event)).toEqual(["before_tool_call"]);
  return all[0]!;
}

async function installed(rules: string): Promise<Handler> {
  await writeFile(policy, rules);
  await installBuild("openclaw", "--policy", policy);
  return (await loaded()).handler;
}

const ctx = { toolName: "exec", agentId: "main", sessionKey: "agent:main:main", sessionId: "a57e" };
/** The same where somebody writes in a channel. */
const inChannel = {
  ...ctx,
  channelId: "agent:main:main",
  requester: { channel: "webchat", senderId: "cli" },
};
const exec = (command: string): Event => ({
  toolName: "exec",
  params: { command },
  runId: "b733",
  toolCallId: "call_2",
});

describe("the plugin for OpenClaw", () => {
  it("blocks, asks through OpenClaw's approvals, and answers nothing otherwise", async () => {
    const handler = await installed(
      'deny: ["exec(rm *)", "write(path:secrets/**)"]\nask: ["exec(git push*)", "mcp(github/*)"]\n',
    );
    expect(await handler(exec("rm x"), ctx)).toEqual({
      block: true,
      blockReason: expect.stringContaining('deny[0] = "exec(rm *)"'),
    });
    // A relative path is one of the agent's workspace, and not of the folder that the Gateway runs in.
    const write = { toolName: "write", params: { path: "secrets/key", content: "x" } };
    expect(await handler(write, ctx)).toMatchObject({ block: true });
    const { requireApproval } = (await handler(exec("git push"), inChannel)) as {
      requireApproval: { title: string; description: string };
    };
    expect(requireApproval).toMatchObject({ timeoutBehavior: "deny" });
    expect(requireApproval.title.length).toBeLessThanOrEqual(80);
    expect(requireApproval.description).toContain("git push*");
    expect(requireApproval.description.length).toBeLessThanOrEqual(512);
    expect(await handler({ toolName: "github__delete_repo", params: {} }, inChannel)).toHaveProperty(
      "requireApproval",
    );
    // A run of no channel: OpenClaw would deny it, and tell nobody how it is allowed.
    expect(await handler(exec("git push"), ctx)).toEqual({
      block: true,
      blockReason: expect.stringMatching(/approvals answer (\w+) allow-once/),
    });
    expect(await handler(exec("ls"), ctx)).toBeUndefined();
    expect(await handler({ toolName: "read", params: { path: "a.txt" } }, ctx)).toBeUndefined();
  });

  it("allows all with an empty policy, except changes of Haft itself", async () => {
    const handler = await installed("{}\n");
    const program = { toolName: "exec", toolKind: "code_mode_exec", params: { code: "await tools.read()" } };
    for (const event of [exec("npm test"), program, { toolName: "teleport", params: { to: "the moon" } }])
      expect(await handler(event, ctx)).toBeUndefined();
    const settingsCall = {
      toolName: "write",
      params: { path: join(home, ".openclaw/openclaw.json"), content: "{}" },
    };
    expect(await handler(settingsCall, ctx)).toMatchObject({ block: true });
  });

  it("blocks if the guard is missing, crashes or hangs, and prints a command for a person", async () => {
    await installed("{}\n");
    const text = readFileSync(join(folder, "index.js"), "utf8");
    const programs = { gone: "", crash: "process.exit(0);\n", never: "for (;;);\n" };
    for (const [name, program] of Object.entries(programs)) {
      const file = join(home, `${name}-guard-hook.js`);
      if (program !== "") writeFileSync(file, program);
      const broken = join(home, `${name}.mjs`);
      writeFileSync(broken, text.replace(/[^"]+guard-hook\.c?[jt]s/, file).replace("9000", "1000"));
      const { handler } = await loaded(broken);
      expect(await handler(exec("ls"), ctx)).toEqual({
        block: true,
        blockReason: expect.stringMatching(/^Haft denies this call[^]*a person runs: haft guard \w+ [^\n]*$/),
      });
    }
  });

  it("installs its manifest, and removes all files", async () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), "{}\n");
    const refused = await guard("install", "openclaw", "claude");
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain("it exists and does not belong to the guard");
    expect(readdirSync(folder)).toEqual(["package.json"]);
    writeFileSync(
      join(folder, "package.json"),
      '{ "description": "Written by haft guard install; haft guard uninstall takes it away." }',
    );
    await installed('deny: ["exec(git push *)"]\n');
    expect(readdirSync(folder)).toEqual(["index.js", "openclaw.plugin.json", "package.json"]);
    const manifest = JSON.parse(readFileSync(join(folder, "openclaw.plugin.json"), "utf8"));
    expect(manifest).toMatchObject({ id: "haft-guard", activation: { onStartup: true } });
    expect((await guard("status", "--probe")).stdout).toMatch(
      /openclaw: DOES NOT WORK[^]*plugins enable haft-guard/,
    );
    const config = (plugins: object) =>
      writeFileSync(join(home, ".openclaw/openclaw.json"), JSON.stringify({ plugins }));
    const entries = { "haft-guard": { enabled: true } };
    config({ entries, allow: ["mine"], deny: ["haft-guard"] });
    expect((await guard("status")).stdout).toMatch(/plugins\.deny names[^]*plugins\.allow does not name/);
    writeFileSync(join(home, ".openclaw/openclaw.json"), "{ plugins: {} }");
    expect((await guard("status")).stdout).toContain("It is unknown whether the agent asks it, because ");
    config({ entries });
    expect((await guard("status", "--probe")).stdout).toMatch(/openclaw: guarded[^]*agent exec/);
    expect((await guard("uninstall", "openclaw")).code).toBe(0);
    expect(readdirSync(join(home, ".openclaw/extensions"))).toEqual([]);
  });
});
