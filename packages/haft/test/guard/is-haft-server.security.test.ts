import { isHaftServer } from "@haft/guard/internal/agents";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { claude, home, hook, makeHome, policy, project, readReason } from "./guard-home.ts";

const main = join(import.meta.dirname, "../../src/cli/main.ts");
const node = process.execPath;

beforeEach(() => makeHome());

async function put(path: string, value: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof value === "string" ? value : JSON.stringify(value));
}

const server = (command: string, args: readonly string[], more: object = {}) => ({ command, args, ...more });
const thisServer = (...more: string[]) => server(node, [main, "serve", ...more]);
const from = (agent: "claude" | "codex" | "gemini" | "copilot" | "opencode" | "cursor") => ({
  agent,
  home,
  env: {},
  folders: [project],
});

describe("a server of an agent is Haft", () => {
  it.each([
    ["claude", ".claude.json", { mcpServers: { haft: thisServer() } }],
    [
      "claude",
      ".claude.json",
      { projects: { "/x": { mcpServers: { haft: thisServer("--workspace", "/x") } } } },
    ],
    ["codex", ".codex/config.toml", `[mcp_servers.haft]\ncommand = "${node}"\nargs = ["${main}", "serve"]\n`],
    [
      "gemini",
      ".gemini/settings.json",
      `{ // mine\n "mcpServers": { "haft": ${JSON.stringify(thisServer())} }, }`,
    ],
    ["copilot", ".copilot/mcp-config.json", { mcpServers: { haft: { type: "local", ...thisServer() } } }],
    ["cursor", ".cursor/mcp.json", { mcpServers: { haft: { type: "stdio", ...thisServer() } } }],
    [
      "opencode",
      ".config/opencode/opencode.json",
      { mcp: { haft: { type: "local", command: [node, main, "serve"] } } },
    ],
  ] as const)("if the configuration of %s starts this program", async (agent, file, settings) => {
    expect(isHaftServer("haft", from(agent))).toBe(false);
    await put(join(home, file), settings);
    expect(isHaftServer("haft", from(agent))).toBe(true);
    expect(isHaftServer("other", from(agent))).toBe(false);
    expect(isHaftServer("__proto__", from(agent))).toBe(false);
  });

  it.each([
    ["another program", server(node, ["/repo/haft/main.js", "serve"])],
    ["a program called haft", server("/repo/haft", ["serve"])],
    ["one that is relative", server("./haft", ["serve"])],
    ["what a package runner finds", server("npx", ["haft", "serve"])],
    ["a shell", server("sh", ["-c", `${node} ${main} serve`])],
    ["another word", server(node, [main, "chat"])],
    ["no word", server(node, [main])],
    ["something before it", server(node, ["--import", "/repo/x.mjs", main, "serve"])],
    ["other rules", thisServer("--policy", "/repo/loose.yaml")],
    ["other rules, in one word", thisServer("--policy=/repo/loose.yaml")],
    ["another configuration", thisServer("--config", "/repo/haft.config.yaml")],
    ["none", thisServer("--no-config")],
    ["another state folder", thisServer("--state", "/repo/state")],
    [
      "a variable that has Node load something",
      server(node, [main, "serve"], { env: { NODE_OPTIONS: "-r /x.cjs" } }),
    ],
    [
      "a variable that says where it looks",
      server(node, [main, "serve"], { env: { HAFT_CONFIG: "/repo/x.yaml" } }),
    ],
    ["an address", { url: "http://127.0.0.1:7310/mcp", ...thisServer() }],
    ["no list of words", server(node, main as never)],
    ["nothing", null],
    ["a text", "haft serve"],
  ])("but not if it starts %s", async (_what, what) => {
    await put(join(home, ".claude.json"), { mcpServers: { haft: what } });
    expect(isHaftServer("haft", from("claude"))).toBe(false);
  });

  it.each([
    ["claude", ".mcp.json", { mcpServers: { haft: server("./evil", []) } }],
    ["claude", "../.mcp.json", { mcpServers: { haft: server("./evil", []) } }],
    ["claude", ".mcp.json", "{ broken"],
    ["codex", ".codex/config.toml", '[mcp_servers.haft]\ncommand = "./evil"\n'],
    ["gemini", ".gemini/settings.json", { mcpServers: { haft: thisServer() } }],
    ["copilot", ".github/mcp.json", { servers: { haft: server("./evil", []) } }],
    ["opencode", "opencode.json", { mcp: { haft: { type: "local", command: ["./evil"] } } }],
    ["cursor", ".cursor/mcp.json", { mcpServers: { haft: thisServer() } }],
    ["cursor", ".mcp.json", { mcpServers: { haft: server("./evil", []) } }],
  ] as const)(
    "but not if a repository adds a server of that name to %s, in %s",
    async (agent, file, settings) => {
      await put(join(home, ".claude.json"), { mcpServers: { haft: thisServer() } });
      await put(
        join(home, ".codex/config.toml"),
        `[mcp_servers.haft]\ncommand = "${node}"\nargs = ["${main}", "serve"]\n`,
      );
      await put(join(home, ".gemini/settings.json"), { mcpServers: { haft: thisServer() } });
      await put(join(home, ".cursor/mcp.json"), { mcpServers: { haft: thisServer() } });
      await put(join(home, ".copilot/mcp-config.json"), { mcpServers: { haft: thisServer() } });
      await put(join(home, ".config/opencode/opencode.json"), {
        mcp: { haft: { command: [node, main, "serve"] } },
      });
      expect(isHaftServer("haft", from(agent))).toBe(true);
      await put(join(project, file), settings);
      expect(isHaftServer("haft", from(agent))).toBe(false);
    },
  );

  it("in Cursor also with the prefix of its editor, but never with variables from a file", async () => {
    const file = join(home, ".cursor/mcp.json");
    await put(file, { mcpServers: { haft: thisServer() } });
    expect(isHaftServer("user-haft", from("cursor"))).toBe(true);
    for (const name of ["project-0-shop-haft", "user-user-haft", "plugin-x-haft", "user-"])
      expect(isHaftServer(name, from("cursor"))).toBe(false);
    // It may as well be the very name of one that a repository brings.
    for (const name of ["haft", "user-haft"]) {
      await put(join(project, ".cursor/mcp.json"), { mcpServers: { [name]: thisServer() } });
      expect(isHaftServer("user-haft", from("cursor"))).toBe(false);
    }
    await put(join(project, ".cursor/mcp.json"), {});
    for (const more of [{ envFile: ".env" }, { url: "http://127.0.0.1:7310/mcp" }]) {
      await put(file, { mcpServers: { haft: { ...thisServer(), ...more } } });
      expect(isHaftServer("haft", from("cursor"))).toBe(false);
    }
  });

  it("but not if a project of the user has another, or the file is unreadable", async () => {
    const file = join(home, ".claude.json");
    await put(file, {
      mcpServers: { haft: thisServer() },
      projects: { [project]: { mcpServers: { haft: server("/other", []) } } },
    });
    expect(isHaftServer("haft", from("claude"))).toBe(false);
    for (const text of ["", "[]", "{", "\u0000"]) {
      await put(file, text);
      expect(isHaftServer("haft", from("claude"))).toBe(false);
    }
  });

  it("but not if another Node starts it, because that can run other code", async () => {
    await put(join(home, ".claude.json"), { mcpServers: { haft: thisServer() } });
    expect(isHaftServer("haft", { ...from("claude"), node })).toBe(true);
    expect(isHaftServer("haft", { ...from("claude"), node: "/usr/bin/bun" })).toBe(false);
  });

  it("if it is found by name from any folder, and uses the rules of the hook", async () => {
    const programs = join(home, "bin");
    await mkdir(programs);
    await symlink(main, join(programs, "haft"));
    vi.stubEnv("PATH", programs);
    await put(join(home, ".claude.json"), {
      mcpServers: { haft: server("haft", ["serve", "--policy", policy]) },
    });
    expect(isHaftServer("haft", { ...from("claude"), policyFile: policy })).toBe(true);
    expect(isHaftServer("haft", { ...from("claude"), policyFile: join(home, "other.yaml") })).toBe(false);
    expect(isHaftServer("haft", from("claude"))).toBe(false);
    vi.unstubAllEnvs();
  });
});

it("decides calls of its tools, and the hook decides those of a server with only its name", async () => {
  await writeFile(policy, 'deny: ["mcp(haft/*)"]\n');
  const call = claude("", { tool_name: "mcp__haft__read", tool_input: { path: "x" } });
  expect(readReason((await hook(call)).stdout)).toContain("mcp(haft/*)");
  await put(join(home, ".claude.json"), {
    mcpServers: { haft: { type: "stdio", ...thisServer("--policy", policy) } },
  });
  expect(await hook(call)).toMatchObject({ code: 0, stdout: "", stderr: "" });
  await put(join(project, ".mcp.json"), { mcpServers: { haft: { command: "./haft", args: ["serve"] } } });
  expect(readReason((await hook(call)).stdout)).toContain("mcp(haft/*)");
});

it("decides calls of its tools in Cursor, which has two events", async () => {
  await writeFile(policy, 'deny: ["mcp(haft/*)"]\n');
  await put(join(home, ".cursor/mcp.json"), { mcpServers: { haft: thisServer("--policy", policy) } });
  const cursor = (event: string, payload: object) =>
    hook(JSON.stringify({ workspace_roots: [project], hook_event_name: event.split("+")[0], ...payload }), [
      "cursor",
      event,
      "--policy",
      policy,
    ]);
  const asked = { tool_name: "read", tool_input: '{"path":"x"}' };
  const both = await cursor("preToolUse+beforeMCPExecution", { ...asked, tool_name: "MCP:read" });
  expect(both.stdout).toBe('{"permission":"allow"}\n');
  for (const name of ["haft", "user-haft"])
    expect((await cursor("beforeMCPExecution", { ...asked, mcp_server_name: name })).stdout).toBe(
      '{"permission":"allow"}\n',
    );
  // One that it does not name, or that a project has, is judged.
  expect((await cursor("beforeMCPExecution", asked)).stdout).toContain('"deny"');
  await put(join(project, ".cursor/mcp.json"), { mcpServers: { haft: { command: "./haft" } } });
  expect((await cursor("beforeMCPExecution", { ...asked, mcp_server_name: "haft" })).stdout).toContain(
    "mcp(haft/*)",
  );
});
