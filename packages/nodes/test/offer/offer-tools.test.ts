import { type AnyTool, HaftError, type ToolResult } from "@haft/core";
import { createMemoryApprovals, Registry, type Session, SessionFactory } from "@haft/core/kernel";
import { definePlugin, defineTool, image, text, Type } from "@haft/plugin-sdk";
import { createMemoryWorkspace } from "@haft/plugin-sdk/testing";
import { createPolicy, type PolicyConfig } from "@haft/policy";
import { expect, onTestFinished, test, vi } from "vitest";
import { PATIENCE_MS } from "../../../../test/support/until.ts";
import { createLocalTransport, createNode, createNodes, offerTools } from "../../src/index.ts";
import { catchErrorCode } from "../support/catch-error-code.ts";

const LOGGER = { debug() {}, info() {}, warn() {}, error() {} };

/** Tools of a machine, what they did, and a host that has approved all of them. */
async function machine(config: PolicyConfig = {}, more: readonly AnyTool[] = []) {
  const did: string[] = [];
  const held = Promise.withResolvers<void>();
  const note = defineTool({
    name: "take_note",
    description: "Writes something down.",
    parameters: Type.Object({ what: Type.String() }),
    effects: ["write"],
    aliases: { what: ["text"] },
    execute(_id, { what }) {
      did.push(what);
      return { content: [text(`noted ${what}`), image(Buffer.from("png"), "image/png")], details: { what } };
    },
  });
  const hold = defineTool({
    name: "hold",
    description: "Ends when it is stopped.",
    parameters: Type.Object({ says: Type.Optional(Type.String()) }),
    effects: ["write"],
    execute(_id, { says }, signal) {
      held.resolve();
      return new Promise<ToolResult>((_, reject) => {
        signal.addEventListener("abort", () =>
          reject(
            says === undefined
              ? new Error("stopped")
              : new HaftError("HELD", "stopped", { category: "operational", receipt: "none" }),
          ),
        );
      });
    },
  });
  const tools = [note, hold, ...more];
  const registry = new Registry({ plugins: [definePlugin({ id: "machine", tools: [...tools] })] });
  const catalogue = await registry.survey(LOGGER);
  const grants = { sessions: { group: { grant: tools.map(({ name }) => `machine/${name}`) } }, ...config };
  const policy = createPolicy(grants, { tools: catalogue });
  const approvals = createMemoryApprovals();
  const factory = new SessionFactory({ registry, policy, approvals });
  const sessions: Session[] = [];
  const open = async (hostId: string) => {
    const session = await factory.open({
      kind: "group",
      groupId: hostId,
      sessionKey: `node:${hostId}`,
      workspace: createMemoryWorkspace(),
    });
    sessions.push(session);
    return session;
  };
  const shown = await factory.open({ kind: "group", workspace: createMemoryWorkspace() });
  const definitions = shown.tools().map((definition) => ({
    ...definition,
    effects: catalogue.find(({ name }) => name === definition.name)!.effects,
  }));
  await shown.close();
  const offer = offerTools({ tools: definitions, openSession: open });
  const node = createNode({ id: "n1", name: "barn", commands: offer.commands });
  const nodes = createNodes({ transport: createLocalTransport([node]) });
  await nodes.approve("n1");
  onTestFinished(async () => {
    await nodes.close();
    await offer.close();
  });
  const call = async (command: string, params: object, timeoutMs?: number, signal?: AbortSignal) => {
    const target = nodes.resolve({ command });
    return await nodes.invoke({ target, params: { ...params }, timeoutMs, signal });
  };
  return { approvals, call, did, held: held.promise, nodes, node, offer, sessions };
}

test("offers a tool as a command with its name, effects and schema", async () => {
  const { node } = await machine();
  expect(node.declaration.commands).toMatchObject([
    { name: "tool.hold", effects: ["write"] },
    {
      name: "tool.take_note",
      description: "Writes something down.",
      effects: ["write"],
      parameters: { properties: { what: { type: "string" } } },
    },
  ]);
});

test("runs a call in the host's session and ledger, and returns images and receipt", async () => {
  const { call, did, sessions } = await machine();
  expect(await call("tool.take_note", { what: "rain" })).toMatchObject({
    content: [{ text: "noted rain" }, { type: "image", mimeType: "image/png" }],
    details: { what: "rain" },
    receipt: "committed",
  });
  await call("tool.take_note", { what: "sun" });
  expect(did).toEqual(["rain", "sun"]);
  expect(sessions).toHaveLength(1);
  expect(sessions[0]!.facts).toMatchObject({ kind: "group", groupId: "local" });
  expect(sessions[0]!.ledger()).toMatchObject([
    { toolName: "take_note", status: "completed" },
    { toolName: "take_note", status: "completed" },
  ]);
});

test("the node's policy refuses a call that the host approved", async () => {
  const { call, did } = await machine({ deny: ["take_note(arg:what=secret*)"] });
  const refused = call("tool.take_note", { what: "secrets" });
  await expect(refused).rejects.toMatchObject({
    code: "NODE_REFUSED",
    category: "policy",
    receipt: "none",
    details: { code: "POLICY_DENIED", command: "tool.take_note" },
  });
  await expect(refused).rejects.toThrow(/barn: The node's own rules refuse it/);
  expect(did).toEqual([]);
});

test("a call that needs approval on the node names its id, never runs late, and runs when repeated", async () => {
  const { approvals, call, did, sessions } = await machine({ ask: ["take_note"] });
  const refusal = await call("tool.take_note", { what: "rain" }).catch(
    (thrown: unknown) => thrown as HaftError,
  );
  expect(refusal).toMatchObject({ code: "NODE_APPROVAL_NEEDED", category: "policy", receipt: "none" });
  const id = (refusal as HaftError).details?.["approvalId"] as string;
  expect((refusal as HaftError).message).toContain(id);
  // Nobody here is told how to answer it for the person there.
  expect(`${(refusal as HaftError).message} ${(refusal as HaftError).fix}`).not.toMatch(
    /allow-once|approvals answer/,
  );
  expect(sessions[0]!.pendingApprovals()).toEqual([]);
  await approvals.answer(id, { decision: "allow-once" });
  await vi.waitFor(
    () => expect(sessions[0]!.ledger()).toMatchObject([{ status: "failed", receipt: "none" }]),
    PATIENCE_MS,
  );
  expect(did).toEqual([]);
  await call("tool.take_note", { what: "rain" });
  expect(did).toEqual(["rain"]);
  expect(await catchErrorCode(() => call("tool.take_note", { what: "rain" }))).toBe(
    "NODE_APPROVAL_NEEDED none",
  );
});

test("returns the code and receipt of the tool's error", async () => {
  const fail = defineTool({
    name: "fail",
    description: "Fails.",
    parameters: Type.Object({}),
    effects: ["write"],
    execute() {
      throw new HaftError("LENS_DIRTY", "The lens is dirty.", {
        category: "operational",
        receipt: "none",
        fix: "Clean it.",
      });
    },
  });
  const { call } = await machine({}, [fail]);
  await expect(call("tool.fail", {})).rejects.toMatchObject({
    code: "NODE_FAILED",
    receipt: "none",
    fix: "Clean it.",
    details: { code: "LENS_DIRTY" },
    message: expect.stringContaining("The lens is dirty."),
  });
});

test("a timeout stops the tool and returns its receipt", async () => {
  const { call } = await machine();
  expect(await catchErrorCode(() => call("tool.hold", {}, 30))).toBe("NODE_COMMAND_TIMEOUT unknown");
  expect(await catchErrorCode(() => call("tool.hold", { says: "nothing was done" }, 30))).toBe(
    "NODE_COMMAND_TIMEOUT none",
  );
});

test("cancelling a call stops the tool", async () => {
  const { call, held, sessions } = await machine();
  const taken = new AbortController();
  const calling = catchErrorCode(() => call("tool.hold", {}, undefined, taken.signal));
  await held;
  taken.abort();
  expect(await calling).toBe("ABORTED unknown");
  expect(sessions[0]!.ledger()).toMatchObject([{ status: "failed" }]);
});

test("closes the session of a host that is no longer known", async () => {
  const { call, held, offer, sessions } = await machine();
  const calling = catchErrorCode(() => call("tool.hold", {}));
  await held;
  await offer.keepOnly((hostId) => hostId !== "local");
  expect(await calling).toBe("NODE_FAILED unknown");
  // One that is paired anew gets another.
  await call("tool.take_note", { what: "again" });
  expect(sessions).toHaveLength(2);
});

test("a session that fails to open fails that call, and the next call tries again", async () => {
  let tries = 0;
  const offer = offerTools({
    tools: [{ name: "read", description: "Reads.", parameters: { type: "object" }, effects: ["write"] }],
    async openSession() {
      tries += 1;
      throw new HaftError("SANDBOX_UNAVAILABLE", "There is no sandbox.", {
        category: "operational",
        receipt: "none",
      });
    },
  });
  const node = createNode({ id: "n1", commands: offer.commands });
  const nodes = createNodes({ transport: createLocalTransport([node]) });
  await nodes.approve("n1");
  for (const time of [1, 2]) {
    const target = nodes.resolve({ command: "tool.read" });
    await expect(nodes.invoke({ target, params: {} })).rejects.toMatchObject({
      code: "NODE_FAILED",
      receipt: "none",
      details: { code: "SANDBOX_UNAVAILABLE" },
    });
    expect(tries).toBe(time);
  }
});

test("states that the rest of a cut result is on the node", async () => {
  const long = defineTool({
    name: "read",
    description: "Reads.",
    parameters: Type.Object({}),
    effects: ["read"],
    execute: () => ({ content: [text(`${"x".repeat(79)}\n`.repeat(20_000))], details: {} }),
  });
  const { call } = await machine({}, [long]);
  const { content } = await call("tool.read", {});
  const texts = content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
  expect(texts).toContain("To see the rest: the command tool.read of this node with the params {");
  expect(texts).not.toMatch(/To see the rest: read/);
});
