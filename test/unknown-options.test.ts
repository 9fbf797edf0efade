import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { reportedOptions } from "./support/reported-options.ts";

// An option that does not exist is an error: ignored, what it was to hold back would not be held back.

const X = { unheardOf: true } as never;
const TOOL = { name: "a", description: "A.", parameters: { type: "object" }, effects: [], execute: () => {} };
const LIMITS = { memoryMb: 1, tasks: 1, cpus: 0, fileMb: 1, tmpMb: 1 };
const SANDBOX = { describe: () => ({ target: "sandbox" }) };
const from = async (path: string): Promise<Record<string, (...given: never[]) => unknown>> =>
  (await import(join(import.meta.dirname, "../packages", path))) as never;

/** By module, each function with what it is given before its options, and the least of what its options need. */
const FUNCTIONS: Record<string, Record<string, { before?: unknown[]; needs?: object; after?: unknown[] }>> = {
  "adapters/src/openai/index.ts": { toOpenAI: { before: ["session"] } },
  "adapters/src/anthropic/index.ts": { toAnthropic: { before: ["session"] } },
  "adapters/src/gemini/index.ts": { toGemini: { before: ["session"] } },
  "adapters/src/ai-sdk/index.ts": {
    fromAISDK: { before: [{}], needs: { id: "a" } },
    toAISDK: { before: ["session"] },
  },
  "adapters/src/openai-agents/index.ts": {
    fromOpenAIAgents: { before: [[]], needs: { id: "a" } },
    toOpenAIAgents: { before: ["session"] },
  },
  "adapters/src/langchain/index.ts": {
    fromLangChain: { before: [[]], needs: { id: "a" } },
    toLangChain: { before: ["session"] },
  },
  "adapters/src/mastra/index.ts": { fromMastra: { before: [[]], needs: { id: "a" } } },
  "adapters/src/openclaw/index.ts": {
    fromOpenClaw: {
      needs: { id: "a" },
      before: [(api: { registerTool(tool: object): void }) => api.registerTool(TOOL)],
    },
  },
  "adapters/src/pi/index.ts": {
    fromPi: { before: [[]], needs: { id: "a" } },
    toPi: { before: ["session"] },
  },
  "chat/src/index.ts": { openModel: {}, runAgent: {}, runChat: { before: [{}] }, runOnce: { before: [{}] } },
  "commands/src/index.ts": { analyzeCommand: { before: ["ls"], needs: { cwd: "/" } } },
  "core/src/index.ts": {
    compilePathPattern: { before: ["a"] },
    scanFolder: { before: [{}, "."] },
    summarizeCall: { before: ["read", {}] },
  },
  "core/src/entries/kernel.ts": { bindTools: { before: [{}], needs: { workspace: () => {} } } },
  "haft/src/index.ts": {
    createHost: {},
    createSandboxedTools: {},
    readAuditLog: { before: ["/none"] },
  },
  "inspector/src/index.ts": { inspect: { before: ["host"] }, serveInspector: { before: [{}] } },
  "mcp/src/index.ts": {
    mountMcp: { before: [{ name: "a", reach: { command: "x" }, tools: [] }] },
    serveHttp: { needs: { resolveTenant: () => undefined } },
    serveStdio: { before: [{}] },
    signIn: { before: [{ name: "a", reach: { url: "http://127.0.0.1:1" } }] },
    surveyMcp: { before: [{ name: "a", reach: { command: "x" } }] },
  },
  "nodes/src/index.ts": {
    createLinkTransport: {},
    createNode: {},
    createNodes: {},
    findDuplicateNode: { before: [{}, {}] },
    offerTools: { needs: { tools: [] } },
    pairNode: { before: [{}], after: [AbortSignal.abort()] },
    serveNode: { before: [{}] },
  },
  "nodes/src/nats/index.ts": { openNatsBus: {}, serverPermissions: {} },
  "otel/src/index.ts": { createTelemetry: {}, startTelemetry: {} },
  "plugin-sdk/src/testing/index.ts": {
    createMemoryWorkspace: {},
    createTestSession: { before: [{ id: "some", tools: [] }] },
    testPlugin: { before: [{ id: "some", tools: [] }] },
    testTool: { before: [{ name: "a" }, {}] },
  },
  "policy/src/index.ts": { createPolicy: { before: [{}], needs: { tools: [] } } },
  "sandbox/src/index.ts": {
    createBubblewrapBackend: {},
    createDockerBackend: {},
    createNodeBackend: { before: [{}] },
    createSandboxRuntimeBackend: {},
    createSshBackend: { needs: { host: "h", root: "/" } },
    offerWorkspace: { before: [{}] },
    resolveLifetime: {},
    openSandbox: {
      before: [
        { name: "a" },
        {
          key: "a",
          scope: "session",
          workspace: "rw",
          mounts: [],
          env: {},
          network: "none",
          lifetime: "tethered",
          limits: LIMITS,
        },
      ],
    },
  },
  "sandbox/src/contained/index.ts": {
    listedNetwork: { needs: { list: [], allows: () => false } },
    openSessionView: {},
    probeView: {},
  },
  "store/src/index.ts": { openSqliteStore: { needs: { path: ":memory:" } } },
  "store/src/nats/index.ts": { openNatsStore: { needs: { servers: "nats://127.0.0.1:1" } } },
  "tools-exec/src/index.ts": {
    createBashTool: {},
    createExecPlugin: {},
    createExecTool: {},
    createExecTools: { needs: { root: "/" } },
    createProcessTool: {},
  },
  "tools-fs/src/index.ts": {
    createHostWorkspaceEditTool: { before: ["/"] },
    createHostWorkspaceWriteTool: { before: ["/"] },
    createSandboxedEditTool: { before: [SANDBOX] },
    createSandboxedReadTool: { before: [SANDBOX] },
    createSandboxedWriteTool: { before: [SANDBOX] },
    createSandboxEditOperations: {},
    createSandboxReadOperations: {},
    createSandboxWriteOperations: {},
    createApplyPatchTool: {},
    createDirectoryJournal: { before: ["folder"] },
    createEditTool: {},
    createFileTools: { needs: { root: "/" } },
    createFindTool: {},
    createGrepTool: {},
    createLsTool: {},
    createReadTool: {},
    createWriteTool: {},
  },
  "tools-fs/src/apply-patch/index.ts": { applyPatch: { before: [""], needs: { fs: {} } } },
  "tools-fs/src/plugin.ts": { createFilesPlugin: {} },
  "workspace/src/index.ts": {
    checkedEnvironment: { before: [{}] },
    createHostNetwork: {},
    createHostProcesses: { needs: { workspace: {} } },
    createHostWorkspace: { needs: { root: "/" } },
  },
};

describe.each(Object.entries(FUNCTIONS))("%s", (path, functions) => {
  test.each(Object.entries(functions))(
    "%s refuses an option that it does not have, and names it",
    async (name, { before = [], needs = {}, after = [] }) => {
      const folder = mkdtempSync(join(tmpdir(), "haft-options-"));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const session = { tools: () => [], call: () => {} };
      const places: Record<string, unknown> = {
        session,
        folder,
        host: before.includes("host") && (await host()),
      };
      const given = before.map((one) => (typeof one === "string" ? (places[one] ?? one) : one));
      const called = (await from(path))[name]!;
      const refused = async () => {
        const answer = called(...([...given, { ...needs, ...(X as object) }, ...after] as never[]));
        // A generator begins with its first item.
        if (typeof (answer as AsyncGenerator).next === "function") await (answer as AsyncGenerator).next();
        return answer;
      };
      await expect(refused()).rejects.toThrow("unheardOf");
    },
  );
});

/** By its name in the reports, each method with its object and what it is given before its options. */
const METHODS: Record<string, () => Promise<[called: object, before?: unknown[]]>> = {
  "AnthropicSession.answer": async () => [await bridge("anthropic", "toAnthropic"), [{}]],
  "GeminiSession.answer": async () => [await bridge("gemini", "toGemini"), [{}]],
  "LangChainSession.answer": async () => [
    await bridge("langchain", "toLangChain", { tool: () => {}, ToolMessage: Object }),
    [{}],
  ],
  "OpenAIChat.answer": async () => [await bridge("openai", "toOpenAI"), [{}]],
  "OpenAIResponses.answer": async () => [await bridge("openai", "toOpenAI", { api: "responses" }), [{}]],
  "BoundTool.call": async () => {
    const { bindTools } = await from("core/src/entries/kernel.ts");
    const { tools } = bindTools!(...([{ a: TOOL }, { workspace: memory }] as never[])) as {
      tools: { a: object };
    };
    return [tools.a, [{}]];
  },
  "Host.containmentPlan": async () => [await host()],
  "Host.containment": async () => [await host()],
  "Host.openSession": async () => [await host()],
  "Host.preview": async () => [await host()],
  "HostProcesses.close": async () => {
    const { createHostProcesses } = await from("workspace/src/index.ts");
    return [createHostProcesses!(...([{ workspace: await memory() }] as never[])) as object];
  },
  "Nodes.approve": async () => [await nodes(), ["U"]],
  "Nodes.list": async () => [await nodes()],
  "Registry.constructor": async () => {
    const { Registry } = await kernel();
    return [{ constructor: (given: object) => new Registry!({ plugins: [], ...given }) }];
  },
  "SessionFactory.constructor": async () => [await factory()],
  "SessionFactory.open": async () => [await factory()],
  "SessionFactory.preview": async () => [await factory()],
  "Session.call": async () => [await session(), [{ name: "read", arguments: {} }]],
  "Session.explain": async () => [await session(), ["read", {}]],
  "Session.rewind": async () => [await session()],
  "TestSession.call": async () => [await testSession(), ["a", {}]],
  "TestSession.explain": async () => [await testSession(), ["a", {}]],
};

/** What takes unknown options, and why. */
const STANDING: Record<string, string> = {
  "AISDKTool.*": "called by the AI SDK, which gives more with each version",
  "AISDKTools.*": "called by the AI SDK, which gives more with each version",
  "AgentsTool.*": "called by the Agents SDK, which gives more with each version",
  "ApprovalStore.*": "a store of others, called by Haft",
  "BoundTool.execute": "as the tool of a plugin: it is given the context of a call",
  "ChangeEngine.*": "called by hosts and commands, which check their options",
  "ChatHost.*": "an object of others, called by Haft",
  "ContainedView.*": "called by a host with what it runs",
  "ExplainingPolicy.answerRange": "asked by the page of abilities alone",
  "FakeNetwork.*": "a network as tools see it, called by Haft",
  "FileSystem.*": "a port of others, called by tools",
  "GuardAgent.*": "called by Haft with what the agent sent",
  "HaftError.constructor": "an error about an error would hide the first one",
  "InspectorSource.*": "called by the server of the page, which checks what it is sent",
  "JournalStore.*": "a store of others, called by Haft",
  "LedgerStore.*": "a store of others, called by Haft",
  "NatsStore.records": "tested with a server, beside the store",
  "NodeCommand.*": "an object of others, called by Haft",
  "Plugin.*": "an object of others, called by Haft",
  "Processes.*": "a port of others, called by tools",
  "SandboxBridge.*": "an object of others, called by Haft",
  "SandboxBackend.*": "called by openSandbox, which checks what it is given",
  "Tool.*": "an object of others, called by Haft",
  "ToolHook.*": "an object of others, called by Haft",
  commandSamples: "takes a policy, which was read by parsePolicyConfig",
  createChangeEngine: "takes options of a host, which checked its own; loads nothing until the first call",
  decide: "what is left out makes it stricter",
  createCheckedPolicy: "takes the options that createPolicy checked, for programs that start often",
  defineChannel: "takes a plugin: the registry names its misspelled keys",
  defineConfig: "takes a configuration, which is checked where it is read",
  definePlugin: "takes a plugin: the registry names its misspelled keys",
  differences: "takes a definition of an MCP server",
  formatToolResult: "takes the result of a call",
  fingerprint: "takes a definition of an MCP server",
  checkPolicyFile: "called by commands, which check their options",
  inspectStored: "called by a command, which checks its options",
  normalizeHost: "a helper of the packages, called with literals",
  programWarnings: "takes a policy, which was read by parsePolicyConfig",
  replayRun: "called by commands, which check their options",
  scanHostSockets: "reads three parts of what openSandbox checks",
  openHostTarget: "takes the options that the tools of one folder checked",
  readRegularFile: "a helper of the packages, called with literals",
  replaceFile: "a helper of the packages, called with literals",
  resolveFolders: "takes the options that the tools of one folder checked",
  runProgram: "a helper of the packages, called with literals",
  runProgramSync: "a helper of the packages, called with literals",
  sandboxKey: "reads two parts of what openSandbox checks",
  splitTightening: "takes a policy, which was read by parsePolicyConfig",
  startProgram: "a helper of the packages, called with literals",
  withTimeout: "a helper of the packages, called with literals",
};

const bridge = async (name: string, to: string, options: object = {}): Promise<object> =>
  (await from(`adapters/src/${name}/index.ts`))[to]!(
    ...([{ tools: () => [], call: () => {}, subscribe: () => () => {} }, options] as never[]),
  ) as object;
const memory = async (): Promise<object> =>
  (await from("plugin-sdk/src/testing/index.ts"))["createMemoryWorkspace"]!() as object;
const nodes = async (): Promise<object> => {
  const { createLocalTransport, createNodes, memoryRecords } = await from("nodes/src/index.ts");
  const transport = createLocalTransport!(...([[]] as never[]));
  return createNodes!(...([{ transport, pairings: memoryRecords!() }] as never[])) as object;
};
const kernel = async () =>
  (await from("core/src/entries/kernel.ts")) as unknown as Record<
    string,
    new (...given: unknown[]) => object
  >;
const factory = async () => {
  const { Registry, SessionFactory } = await kernel();
  const { createPolicy } = await from("policy/src/index.ts");
  const policy = createPolicy!(...([{}, { tools: [] }] as never[]));
  const environment = { registry: new Registry!({ plugins: [] }), policy };
  const made = new SessionFactory!(environment) as Record<string, (options: object) => Promise<unknown>>;
  const options = { kind: "main", workspace: await memory() };
  return {
    constructor: (given: object) => new SessionFactory!({ ...environment, ...given }),
    open: (given: object) => made["open"]!({ ...options, ...given }),
    preview: (given: object) => made["preview"]!({ ...options, ...given }),
  };
};
const testSession = async (): Promise<object> => {
  const { createTestSession } = await from("plugin-sdk/src/testing/index.ts");
  const { definePlugin } = await from("core/src/index.ts");
  const plugin = definePlugin!(...([{ id: "a", tools: [TOOL] }] as never[]));
  return createTestSession!(...([plugin] as never[])) as Promise<object>;
};
async function host(): Promise<{ openSession(): Promise<object> }> {
  const folder = mkdtempSync(join(tmpdir(), "haft-options-"));
  const { createHost } = await from("haft/src/index.ts");
  const options = { workspaceDir: folder, stateDir: join(folder, "state"), administratorPolicy: false };
  const made = (await createHost!(...([options] as never[]))) as {
    openSession(): Promise<object>;
    close(): Promise<void>;
  };
  onTestFinished(async () => {
    await made.close();
    rmSync(folder, { recursive: true });
  });
  return made;
}
const session = async () => (await host()).openSession();

test.each(Object.entries(METHODS))(
  "%s refuses an option that it does not have, and names it",
  async (name, make) => {
    const [called, before = []] = await make();
    const method = (called as Record<string, (...given: unknown[]) => unknown>)[name.split(".")[1]!]!;
    let answered: unknown;
    try {
      answered = await method.call(called, ...before, X);
    } catch (thrown) {
      answered = { content: String(thrown) };
    }
    // Calls of tools resolve, whatever happens.
    expect(JSON.stringify((answered as { content: unknown }).content)).toContain("unheardOf");
  },
);

test("every public function with options rejects unknown options, or has a reason", () => {
  const known = new Set([...Object.values(FUNCTIONS).flatMap(Object.keys), ...Object.keys(METHODS)]);
  const standing = new Set(Object.keys(STANDING));
  const found = [...reportedOptions()];
  const entry = (name: string) => (standing.has(name) ? name : `${name.split(".")[0]}.*`);
  expect(found.filter((name) => !known.has(name) && !standing.has(entry(name)))).toEqual([]);
  const stood = new Set(found.map(entry));
  expect([...standing].filter((name) => !stood.has(name))).toEqual([]);
  expect([...known].filter((name) => !found.includes(name) && standing.has(name))).toEqual([]);
});
