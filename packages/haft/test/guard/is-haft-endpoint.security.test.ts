import { readEndpoint, removeEndpoint, writeEndpoint } from "@haft/config/internal/boundary";
import { isHaftServer } from "@haft/guard/internal/agents";
import { once } from "node:events";
import { chmodSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { mkdir, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { getStateFolder } from "../../../../test/support/temporary-folder.ts";
import { start } from "../support/haft.ts";
import { claude, env, home, hook, makeHome, policy, project } from "./guard-home.ts";

beforeEach(() => makeHome('deny: ["mcp(haft/*)"]\n'));

/** `haft serve --http` on a free port, as a person starts it; answers where, and its token. */
async function serving(...args: string[]) {
  const child = start(["serve", "--http", "0", ...args], project, env);
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\/\/\S+/.exec(line)?.[0];
    if (url !== undefined) {
      const token = readFileSync(join(getStateFolder(home), "serve/token"), "utf8").trim();
      return { url, token, child };
    }
  }
  throw new Error("It did not begin.");
}

async function put(path: string, value: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof value === "string" ? value : JSON.stringify(value));
}

const server = (url: string, token: string, more: object = {}) => ({
  type: "http",
  url,
  headers: { Authorization: `Bearer ${token}` },
  ...more,
});
const configured = (what: unknown) => put(join(home, ".claude.json"), { mcpServers: { haft: what } });
const call = () => claude("", { tool_name: "mcp__haft__read", tool_input: { path: "x" } });
const isLeft = async (...words: string[]) =>
  (await hook(call(), words.length === 0 ? undefined : words)).stdout === "";
const records = () =>
  readdirSync(join(getStateFolder(home), "serve")).filter((name) => name.startsWith("endpoint-"));

it("recognizes an endpoint at the default port, which a URL omits", () => {
  const url = "http://127.0.0.1:80/mcp";
  const record = { url, pid: process.pid, started: 1, places: {}, readAt: 1, tokens: {} };
  writeEndpoint(getStateFolder(home), record);
  expect(records()).toEqual(["endpoint-80.json"]);
  expect(readEndpoint(getStateFolder(home), new URL("http://127.0.0.1/mcp"))).toEqual(record);
  removeEndpoint(getStateFolder(home), record);
  expect(records()).toEqual([]);
});

describe("calls of an endpoint's tools", () => {
  it("are left to a running endpoint that knows the token and has the rules of the hook", async () => {
    const { url, token, child } = await serving("--policy", policy);
    expect(await isLeft()).toBe(false);
    await configured(server(url, token));
    expect(await isLeft()).toBe(true);
    // Rules that it does not know yet, then does, and then cannot read.
    await writeFile(policy, 'deny: ["mcp(haft/*)", "grep"]\n');
    await utimes(policy, 1, 1);
    expect(await isLeft()).toBe(false);
    // Rules that are read in the instant in which they changed may be either ones.
    const readAnew = async () => {
      child.kill("SIGUSR2");
      expect(await isLeft()).toBe(true);
    };
    await vi.waitFor(readAnew, { timeout: 20_000 });
    const other = join(home, "other.yaml");
    await writeFile(other, 'deny: ["mcp(haft/*)"]\n');
    expect(await isLeft("claude", "--policy", other)).toBe(false);
    await put(join(project, ".mcp.json"), { mcpServers: { haft: server(url, token) } });
    expect(await isLeft()).toBe(false);
    await put(join(project, ".mcp.json"), "{}");
    expect(await isLeft()).toBe(true);
    // Killed, it leaves what it wrote; whoever listens there then is not it.
    child.kill("SIGKILL");
    await once(child, "close");
    expect(records()).toHaveLength(1);
    expect(await isLeft()).toBe(false);
  });

  it("are decided by the hook if the configuration differs", async () => {
    const { url, token, child } = await serving("--policy", policy);
    const others: Record<string, unknown> = {
      "another token": server(
        url,
        token.replace(/^./, (first) => (first === "a" ? "b" : "a")),
      ),
      "no token": { type: "http", url },
      "a name, which may lead elsewhere": server(url.replace("127.0.0.1", "localhost"), token),
      "another address": server(url.replace("127.0.0.1", "127.0.0.2"), token),
      "another port": server(url.replace(/:\d+/, ":1"), token),
      "another path": server(`${url}/x`, token),
      "another machine": server("https://mcp.example.com/mcp", token),
      "no address": server("haft", token),
      "a header that a program makes": server(url, token, { headersHelper: "./token" }),
      "a further header": server(url, token, { headers: { Authorization: `Bearer ${token}`, Host: "x" } }),
      "a program": server(url, token, { command: "./haft", args: ["serve"] }),
      "another transport": server(url, token, { type: "sse" }),
      "a variable that is not there": server(url, "${NOBODY_SET_THIS}"),
      nothing: null,
    };
    for (const [what, settings] of Object.entries(others)) {
      await configured(settings);
      expect([what, await isLeft()]).toEqual([what, false]);
    }
    await configured(server(url, token));
    expect(await isLeft()).toBe(true);
    const proxied = await hook(call(), undefined, { HTTP_PROXY: "http://127.0.0.1:9" });
    expect(proxied.stdout).toContain("deny");
    const moved = await hook(call(), undefined, { XDG_CONFIG_HOME: join(home, "elsewhere") });
    expect(moved.stdout).toContain("deny");
    const [record = ""] = records();
    const file = join(getStateFolder(home), "serve", record);
    const text = readFileSync(file, "utf8");
    expect(text).not.toContain(token);
    chmodSync(file, 0o666);
    expect(await isLeft()).toBe(false);
    chmodSync(file, 0o600);
    for (const forged of [
      "",
      "{}",
      "null",
      text.replace(/"started":\d+/, '"started":1'),
      text.replace(/"pid":\d+/, '"pid":1'),
    ]) {
      writeFileSync(file, forged);
      expect(await isLeft()).toBe(false);
    }
    writeFileSync(file, text);
    expect(await isLeft()).toBe(true);
    child.kill("SIGTERM");
    await once(child, "close");
    expect(records()).toEqual([]);
  });

  it("are left to it in all agents whose hooks see the address, also with a token in a variable", async () => {
    const { url, token } = await serving("--policy", policy);
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    const header = `Bearer ${token}`;
    const files: [Parameters<typeof isHaftServer>[1]["agent"], string, unknown][] = [
      ["claude", ".claude.json", { mcpServers: { haft: server(url, "${HAFT_TEST_TOKEN}") } }],
      [
        "codex",
        ".codex/config.toml",
        `[mcp_servers.haft]\nurl = "${url}"\nbearer_token_env_var = "HAFT_TEST_TOKEN"\n`,
      ],
      [
        "codex",
        ".codex/config.toml",
        `[mcp_servers.haft]\nurl = "${url}"\nhttp_headers = { Authorization = "${header}" }\n`,
      ],
      ["copilot", ".copilot/mcp-config.json", { mcpServers: { haft: server(url, token, { tools: ["*"] }) } }],
      [
        "opencode",
        ".config/opencode/opencode.json",
        { mcp: { haft: server(url, "{env:HAFT_TEST_TOKEN}", { type: "remote" }) } },
      ],
    ];
    for (const [agent, name, settings] of files) {
      await put(join(home, name), settings);
      const from = {
        agent,
        home,
        folders: [project],
        policyFile: policy,
        files: [policy],
        env: { HAFT_TEST_TOKEN: token },
      };
      expect([agent, isHaftServer("haft", from)]).toEqual([agent, true]);
      expect([agent, isHaftServer("haft", { ...from, policyFile: undefined })]).toEqual([agent, false]);
      expect([agent, isHaftServer("haft", { ...from, files: [join(home, "gone")] })]).toEqual([agent, false]);
    }
    await put(join(home, ".gemini/settings.json"), {
      mcpServers: { haft: { url, headers: { Authorization: header } } },
    });
    const ofGemini = {
      agent: "gemini",
      home,
      folders: [project],
      policyFile: policy,
      files: [],
      env: {},
    } as const;
    expect(isHaftServer("haft", ofGemini)).toBe(false);
    vi.unstubAllEnvs();
  });

  it.each([["--no-config"], ["--config", "x.yaml"], ["--state", "state"]])(
    "are decided by the hook if %s gave the endpoint other rules",
    async (...args) => {
      const more = args.map((word) => (word === "x.yaml" || word === "state" ? join(home, word) : word));
      if (args[1] === "x.yaml") writeFileSync(more[1]!, "{}\n");
      const child = start(["serve", "--http", "0", ...more], project, env);
      await once(createInterface({ input: child.stdout }), "line");
      for (const state of [getStateFolder(home), join(home, "state")])
        expect(listed(join(state, "serve")).filter((name) => name.startsWith("endpoint-"))).toEqual([]);
    },
  );
});

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
