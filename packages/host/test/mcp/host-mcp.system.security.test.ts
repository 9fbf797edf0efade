import { type ToolOutcome, contentToText } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import { createBubblewrapBackend } from "@haft/sandbox";
import { probeView } from "@haft/sandbox/view";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { HostOptions } from "../../src/host/host-options.ts";
import { createHost } from "../../src/host/host.ts";
import { hashSettings } from "../../src/mcp/operators-file.ts";
import { createMcpServer } from "../support/mcp-server.ts";
import { openHost } from "../support/open-host.ts";

// What a server can do where it runs: it is a stranger's program.

const probes = [await probeView(), await createBubblewrapBackend().probe()];
const missing = probes.find(({ available }) => !available);
if (missing !== undefined && process.env["HAFT_REQUIRE_SERVICES"] === "1")
  throw new Error(`Servers cannot be contained here: ${missing.reason}`);
const leftOutIf = (left: boolean): typeof test => (left ? (test.skip as typeof test) : test);
const testContained = leftOutIf(missing !== undefined);

const TOOLS = ["echo", "env", "reach", "where", "die", "write"].map((name) => ({
  name,
  ...(name === "echo"
    ? {
        description: "Says it again.",
        inputSchema: { type: "object", properties: { text: { type: "string" } } },
      }
    : { description: `Does ${name}.`, inputSchema: { type: "object", properties: { how: {} } } }),
  ...(name === "where" && { annotations: { readOnlyHint: true } }),
}));

/** A host with a server that was accepted, and sessions of it. */
async function aHost(settings: object = {}, options: HostOptions = {}, effects: object = KNOWN) {
  const above = realpathSync(await temporaryFolder());
  const workspaceDir = join(above, "w");
  const stateDir = join(above, "state");
  mkdirSync(join(workspaceDir, ".git"), { recursive: true });
  const server = createMcpServer(workspaceDir);
  const all = { ...server.settings, ...settings };
  const accepted = { at: 1, settings: hashSettings(all), era: "legacy", tools: TOOLS, effects };
  const file = join(above, "haft.mcp.json");
  writeFileSync(file, JSON.stringify({ servers: { prog: { settings: all, accepted } } }), { mode: 0o600 });
  const host = await openHost({
    workspaceDir,
    stateDir,
    mcp: { file },
    ...options,
  });
  return { above, workspaceDir, stateDir, host, server };
}

const KNOWN = Object.fromEntries(TOOLS.map(({ name }) => [name, []]));
/** Servers that run there, whoever started them. */
function programsIn(folder: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      const isThere = readlinkSync(`/proc/${pid}/cwd`) === folder;
      return isThere && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("server-program.ts");
    } catch {
      return false;
    }
  });
}

/** With this Node in it, under a name of its own. */
const SANDBOX = {
  backend: "bubblewrap",
  workspaceAccess: "rw",
  roots: { runtime: { path: dirname(process.execPath), access: "ro" } },
} as const;
/** The same program, wherever Node is. */
const ANYWHERE = {
  command: "sh",
  args: [
    "-c",
    `n=${process.execPath}; [ -x $n ] || n=/mnt/runtime/node; exec $n --no-warnings server-program.ts "" notes`,
  ],
};

let calls = 0;
const call = (session: Session, name: string, args: object = {}): Promise<ToolOutcome> =>
  session.call({ id: `c${++calls}`, name: `prog_${name}`, arguments: args });
const textOf = (outcome: ToolOutcome) => contentToText(outcome.content);

testContained(
  "a server runs in a view of its own: it writes in the workspace alone, and reaches nothing",
  async () => {
    const { host, above, workspaceDir, stateDir } = await aHost();
    const session = await host.openSession();
    writeFileSync(join(above, "secret"), "s");
    const where = JSON.parse(textOf(await call(session, "where"))) as { cwd: string; pid: number };
    expect(where.cwd).toBe(workspaceDir);
    // Of a namespace of its own.
    expect(where.pid).toBeLessThan(100);
    const listening = createServer((_request, response) => response.end("inner"));
    await new Promise<void>((done) => listening.listen(0, "127.0.0.1", done));
    onTestFinished(() => void listening.close());
    const { port } = listening.address() as AddressInfo;
    for (const address of [`http://127.0.0.1:${port}/`, "http://host.example/"]) {
      const reached = await call(session, "reach", { how: address });
      expect(reached).toMatchObject({ kind: "error", code: "MCP_TOOL_FAILED" });
      expect(textOf(reached)).not.toContain("inner");
    }
    expect(textOf(await call(session, "reach", { how: "http://other.example/" }))).toMatch(
      /other\.example is not on the list.*--network other\.example of haft mcp add/s,
    );
    expect(existsSync(stateDir)).toBe(true);
  },
);

testContained("what commands of its session reach, it does not", async () => {
  const { host } = await aHost({}, { policy: { exec: { preset: "contained", network: ["host.example"] } } });
  const session = await host.openSession();
  expect(textOf(await call(session, "reach", { how: "http://host.example/" }))).toContain(
    "is not on the list",
  );
});

testContained("it ends with its session", async () => {
  const { host, workspaceDir } = await aHost();
  const session = await host.openSession();
  expect(await call(session, "echo", { text: "x" })).toMatchObject({ kind: "ok" });
  expect(programsIn(workspaceDir)).toHaveLength(1);
  await session.close();
  expect(programsIn(workspaceDir)).toEqual([]);
});

testContained("in a sandboxed session it runs in the sandbox, and with what that has", async () => {
  const { host } = await aHost(ANYWHERE, {
    policy: { sessions: { sandboxed: { grant: ["prog_where", "prog_echo"] } } },
    sandbox: SANDBOX,
  });
  const session = await host.openSession({ kind: "sandboxed" });
  const where = await call(session, "where");
  expect(textOf(where)).toContain('"cwd":"/workspace"');
  const wide = await host.openSession({ kind: "sandboxed", sandbox: { network: "full" } });
  expect(await call(wide, "echo", { text: "x" })).toMatchObject({
    kind: "error",
    code: "MCP_NETWORK_REFUSED",
    receipt: "none",
  });
});

testContained("what runs outside is for sessions of this machine alone", async () => {
  const { host } = await aHost(
    { outside: true },
    {
      policy: { sessions: { sandboxed: { grant: ["prog_where"] } } },
      sandbox: SANDBOX,
    },
  );
  const where = JSON.parse(textOf(await call(await host.openSession(), "where"))) as { pid: number };
  expect(where.pid).toBeGreaterThan(0);
  const sandboxed = await host.openSession({ kind: "sandboxed" });
  expect(await call(sandboxed, "where")).toMatchObject({ kind: "error", code: "MCP_NETWORK_REFUSED" });
});

testContained(
  "two sessions of one name, one of them sandboxed, have nothing of each other's servers",
  async () => {
    const { host, workspaceDir } = await aHost(ANYWHERE, {
      stateDir: false,
      policy: { sessions: { sandboxed: { grant: ["prog_where"] } } },
      sandbox: SANDBOX,
    });
    const [main, inside] = await Promise.all([
      host.openSession({ sessionKey: "a" }),
      host.openSession({ sessionKey: "a", kind: "sandboxed" }),
    ]);
    const [one, other] = await Promise.all([call(main, "where"), call(inside, "where")]);
    expect(textOf(one)).toContain(workspaceDir);
    expect(textOf(other)).toContain('"cwd":"/workspace"');
  },
);

test("a group session needs a grant for MCP tools, and then an approval for each call", async () => {
  const { host } = await aHost({}, { policy: { sessions: { group: { grant: ["prog_echo"] } } } }, {});
  const group = await host.openSession({ kind: "group" });
  expect(await call(group, "where")).toMatchObject({ kind: "blocked", code: "POLICY_DENIED" });
  expect(await call(group, "echo", { text: "x" })).toMatchObject({ kind: "pending" });
});

test("rules can name servers, and tools with undeclared effects", async () => {
  for (const denied of ["group:mcp", "group:unknown-effects", "mcp-prog", "group:hinted-effects"]) {
    const { host } = await aHost({}, { policy: { deny: [denied] } }, { echo: ["read"] });
    const names = (await host.openSession()).tools().map(({ name }) => name);
    const left = names.filter((name) => name.startsWith("prog_"));
    const wanted: Readonly<Record<string, string[]>> = {
      "group:unknown-effects": ["prog_echo"],
      "group:hinted-effects": TOOLS.filter(({ name }) => name !== "where").map(({ name }) => `prog_${name}`),
    };
    expect({ denied, left }).toEqual({ denied, left: wanted[denied] ?? [] });
  }
});

test("every server is blocked without the operator's file, and no tools exist without servers", async () => {
  const folder = await temporaryFolder();
  const host = await openHost({
    workspaceDir: folder,
    stateDir: false,
    mcp: { servers: { prog: { command: "prog" } } },
  });
  expect(host.diagnostics).toMatchObject([{ code: "TOOL_HELD_BACK", pluginId: "mcp-prog" }]);
  await expect(
    createHost({ workspaceDir: folder, stateDir: false, mcp: { servers: { x: {} } } }),
  ).rejects.toMatchObject({ code: "INVALID_OPTIONS" });
});

test("secrets of a server are redacted in results of all tools and in storage, even before its start", async () => {
  const [plain, named, header] = ["correct-horse-7-staple", "from-outside-93817", "behind-bearer-5521"];
  process.env["SECRETS_TEST"] = named;
  onTestFinished(() => void delete process.env["SECRETS_TEST"]);
  const env = { PLAIN: plain, OTHER: "${SECRETS_TEST}", AUTH: `Bearer ${header}`, MODE: "production" };
  const { host, workspaceDir, stateDir } = await aHost(
    { env },
    { policy: { exec: { security: "full", ask: "off" } } },
  );
  writeFileSync(join(workspaceDir, "notes.txt"), `${plain} ${named} ${header} production`);
  const session = await host.openSession();
  const outcomes = [
    await session.call({ id: "r", name: "read", arguments: { path: "notes.txt" } }),
    await session.call({ id: "e", name: "exec", arguments: { command: `echo ${plain}; cat notes.txt` } }),
    await session.call({ id: "f", name: "read", arguments: { path: `${plain}.txt` } }),
  ];
  const [read] = outcomes;
  expect(textOf(read!)).toContain("[secret] [secret] [secret] production");
  await host.close();
  const files = readdirSync(stateDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
  for (const secret of [plain, named, header]) {
    expect(JSON.stringify(outcomes)).not.toContain(secret);
    expect(files.some((text) => text.includes(secret))).toBe(false);
  }
});

testContained(
  "its operator sets variables that models cannot set, and a home folder of its own",
  async () => {
    const { host, workspaceDir } = await aHost({ env: { HOME: "/tmp", AWS_PROFILE: "agent" } });
    const session = await host.openSession();
    const env = textOf(await call(session, "env"));
    expect(env).toContain('"HOME":"/tmp"');
    expect(env).toContain('"AWS_PROFILE":"agent"');
    expect(readdirSync(workspaceDir)).not.toContain("tmp");
  },
);

test.each(["LD_PRELOAD", "NODE_OPTIONS"])("its operator cannot set %s, which loads code", async (name) => {
  for (const outside of [true, false]) {
    const { host } = await aHost({ outside, env: { [name]: "x" } });
    const failed = await call(await host.openSession(), "env");
    expect(failed).toMatchObject({ kind: "error", code: "ENVIRONMENT_BLOCKED", receipt: "none" });
    expect(textOf(failed)).toContain(name);
  }
});
