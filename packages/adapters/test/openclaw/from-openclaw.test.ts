import { Type } from "typebox";
import { expect, test } from "vitest";
import { z } from "zod";
import { fromOpenClaw } from "../../src/openclaw/index.ts";
import { callOnce, openSession, reasons, getText } from "../support/open-session.ts";

// Plugins as their authors write them; the real package runs in `npm run bridges -- openclaw`.
interface Api {
  pluginConfig: { key?: string };
  registerTool: (tool: unknown, options?: object) => void;
  registerService: (service: object) => void;
  on: (event: string, handler: () => void) => void;
  runtime: { config: { loadConfig: () => unknown } };
}

const quote = {
  name: "quote",
  label: "Quote",
  description: "A quote.",
  parameters: Type.Object({ symbol: Type.String() }),
  execute: async (_id: string, { symbol }: { symbol: string }) => ({
    content: [{ type: "text", text: `${symbol}: 7` }],
    details: { symbol, price: 7 },
  }),
};

test("a plugin entry: its id, its finished tools, its configuration; services and hooks are not run", async () => {
  const entry = {
    id: "stock-quotes",
    name: "Stock quotes",
    register(api: Api) {
      api.registerService({ id: "poll", start: () => expect.unreachable() });
      api.on("before_tool_call", () => expect.unreachable());
      api.registerTool(quote);
      api.registerTool(
        { ...quote, name: "key", execute: async () => api.pluginConfig.key },
        { optional: true },
      );
    },
  };
  const plugin = await fromOpenClaw(entry, { effects: ["network"], config: { key: "k-1" } });
  expect(plugin).toMatchObject({ id: "stock-quotes", name: "Stock quotes" });
  await using session = await openSession([plugin]);
  // Optional tools are off until a policy names them, as in OpenClaw.
  expect(session.tools().map(({ name }) => name)).toEqual(["quote"]);
  const outcome = await session.call({ name: "quote", arguments: { symbol: "X" } });
  expect(outcome).toMatchObject({ kind: "ok", details: { symbol: "X", price: 7 } });
  await using allowed = await openSession([plugin], { rules: { grant: ["key"] } });
  expect(getText(await allowed.call({ name: "key", arguments: { symbol: "" } }))).toBe("k-1");
});

test("its configuration is checked by its own schema, which may add defaults, before it runs", async () => {
  const entry = {
    id: "q",
    configSchema: z.object({ key: z.string().default("none") }).strict(),
    register: (api: Api) => api.registerTool({ ...quote, execute: async () => api.pluginConfig.key }),
  };
  const plugin = await fromOpenClaw(entry, { effects: [] });
  expect(getText(await callOnce(plugin, "quote", { symbol: "" }))).toBe("none");
  await expect(fromOpenClaw(entry, { config: { key: 7 } })).rejects.toThrow(
    /refuses its configuration: key: /,
  );
});

test("passes the session's facts to a factory for each session, and accepts no tools from it", async () => {
  interface Context {
    agentId: string;
    sandboxed: boolean;
    workspaceDir: string;
  }
  const register = (api: Api) =>
    api.registerTool(
      ({ agentId, sandboxed, workspaceDir }: Context) =>
        agentId === "nobody"
          ? null
          : [{ ...quote, execute: async () => `${agentId} ${sandboxed} ${workspaceDir}` }],
      { names: ["quote"] },
    );
  const plugin = await fromOpenClaw({ default: { id: "q", register } }, { effects: [] });
  await using session = await openSession([plugin], { open: { agentId: "ada" } });
  expect(getText(await session.call({ name: "quote", arguments: { symbol: "" } }))).toBe("ada false /work");
  await using other = await openSession([plugin], { open: { agentId: "nobody" } });
  expect(other.missing()).toMatchObject([{ name: "quote", code: "TOOL_WITHHELD" }]);
});

test("a factory without names needs them from the operator", async () => {
  const register = (api: Api) => api.registerTool(() => quote);
  await expect(fromOpenClaw(register, { id: "q" })).rejects.toThrow("without the names of its tools");
  const plugin = await fromOpenClaw(register, { id: "q", names: ["quote"], effects: [] });
  expect(getText(await callOnce(plugin, "quote", { symbol: "Y" }))).toBe("Y: 7");
});

test("a result whose details say error is one, as in OpenClaw", async () => {
  const failing = {
    ...quote,
    execute: async () => ({
      content: [{ type: "text", text: "no such symbol" }],
      details: { status: "error" },
    }),
  };
  const plugin = await fromOpenClaw((api: Api) => api.registerTool(failing), { id: "q", effects: [] });
  const outcome = await callOnce(plugin, "quote", { symbol: "" });
  expect(outcome).toMatchObject({ kind: "error", code: "BRIDGED_TOOL_FAILED" });
  expect(getText(outcome)).toContain("no such symbol");
});

test("omits only a tool without execute; a tool that uses OpenClaw's runtime fails with the reason", async () => {
  const register = (api: Api) => {
    api.registerTool({ ...quote, name: "bare", execute: undefined });
    api.registerTool({ ...quote, execute: async () => api.runtime.config.loadConfig() });
  };
  const plugin = await fromOpenClaw(register, { id: "q", effects: [] });
  await using session = await openSession([plugin]);
  expect(reasons(session).join()).toContain("bare has no execute");
  const outcome = await session.call({ name: "quote", arguments: { symbol: "" } });
  expect(outcome).toMatchObject({ kind: "error", code: "BRIDGED_API_MISSING" });
  expect(getText(outcome)).toContain("runtime.config.loadConfig of OpenClaw");
});

test.each([
  ["a plugin without tools", { id: "c", register: (api: Api) => api.on("x", () => {}) }, "registers no tool"],
  ["no plugin", { id: "c" }, "no plugin of OpenClaw"],
  ["a function without an id", (api: Api) => api.registerTool(quote), "needs an id"],
])("%s is refused", async (_what, plugin, message) => {
  await expect(fromOpenClaw(plugin)).rejects.toThrow(message);
});
