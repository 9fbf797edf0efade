import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";

// An option that does not exist is an error: ignored, what it was to hold back would not be held back.

const X = { unheardOf: true } as never;
const from = async (path: string): Promise<Record<string, (...given: never[]) => unknown>> =>
  (await import(join(import.meta.dirname, "../packages", path))) as never;

/** By module, each function with what it is given before its options, and the least of what its options need. */
const FUNCTIONS: Record<string, Record<string, { before?: unknown[]; needs?: object; after?: unknown[] }>> = {
  "adapters/src/openai/index.ts": { toOpenAI: { before: ["session"] } },
  "adapters/src/anthropic/index.ts": { toAnthropic: { before: ["session"] } },
  "adapters/src/gemini/index.ts": { toGemini: { before: ["session"] } },
  "adapters/src/ai-sdk/index.ts": { toAISDK: { before: ["session"] } },
  "adapters/src/openai-agents/index.ts": { toOpenAIAgents: { before: ["session"] } },
  "adapters/src/langchain/index.ts": { toLangChain: { before: ["session"] } },
  "adapters/src/pi/index.ts": { toPi: { before: ["session"] } },
  "chat/src/index.ts": { runAgent: {} },
  "commands/src/index.ts": { analyzeCommand: { before: ["ls"], needs: { cwd: "/" } } },
  "haft/src/index.ts": {
    createFolderApprovals: { before: ["folder"] },
    createHost: {},
    createSandboxedTools: {},
    readAuditLog: { before: ["/none"] },
  },
  "inspector/src/index.ts": { serveInspector: { before: [{}] } },
  "mcp/src/index.ts": {
    mountMcp: { before: [{ name: "a", reach: { command: "x" }, tools: [] }] },
    serveHttp: { needs: { tenantOf: () => undefined } },
    serveStdio: { before: [{}] },
    signIn: { before: [{ name: "a", reach: { url: "http://127.0.0.1:1" } }] },
    surveyMcp: { before: [{ name: "a", reach: { command: "x" } }] },
  },
  "nodes/src/index.ts": {
    createLinkTransport: {},
    createNode: {},
    createNodes: {},
    offerTools: { needs: { tools: [] } },
    pairNode: { before: [{}], after: [AbortSignal.abort()] },
    serveNode: { before: [{}] },
  },
  "nodes/src/nats/index.ts": { openNatsBus: {}, serverPermissions: {} },
  "otel/src/index.ts": { createTelemetry: {}, startTelemetry: {} },
  "plugin-sdk/src/testing/index.ts": {
    createMemoryWorkspace: {},
    createTestSession: { before: [{}] },
    testPlugin: { before: [{}] },
  },
  "policy/src/index.ts": { createPolicy: { before: [{}], needs: { tools: [] } } },
  "sandbox/src/index.ts": {
    createBubblewrapBackend: {},
    createDockerBackend: {},
    createNodeBackend: { before: [{}] },
    createSandboxRuntimeBackend: {},
    createSshBackend: { needs: { host: "h", root: "/" } },
    offerWorkspace: { before: [{}] },
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
      const given = before.map((one) => (one === "session" ? session : one === "folder" ? folder : one));
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
