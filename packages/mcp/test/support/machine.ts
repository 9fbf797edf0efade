import type { AnyTool, SessionKind, ToolResult } from "@haft/core";
import { createMemoryApprovals, Registry, type Session, SessionFactory } from "@haft/core/kernel";
import { definePlugin, defineTool, image, text, Type } from "@haft/plugin-sdk";
import { createMemoryWorkspace } from "@haft/plugin-sdk/testing";
import { createPolicy, type PolicyConfig } from "@haft/policy";
import { onTestFinished } from "vitest";
import type { SessionSource } from "../../src/index.ts";

const LOGGER = { debug() {}, info() {}, warn() {}, error() {} };

/** Sessions to serve, with tools that say what they did, and all that is there to look at. */
export interface Machine {
  source: SessionSource;
  /** What tools did, in order. */
  actions: string[];
  /** Those that were opened. */
  sessions: Session[];
  /** Resolves when `hold` runs. */
  holdStarted: Promise<void>;
  /** Puts other rules in force. */
  rules(config: PolicyConfig): void;
}

export async function createTestMachine(
  config: PolicyConfig = {},
  { kind = "main", more = [] }: { kind?: SessionKind; more?: readonly AnyTool[] } = {},
): Promise<Machine> {
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
  const look = defineTool({
    name: "look",
    description: "Looks around.",
    parameters: Type.Object({}),
    effects: ["read"],
    execute: () => ({ content: [text("nothing to see")], details: {} }),
  });
  const hold = defineTool({
    name: "hold",
    description: "Ends when it is stopped, and says so meanwhile.",
    parameters: Type.Object({}),
    effects: ["write"],
    execute(_id, _params, signal, onUpdate) {
      onUpdate?.({ content: [text("holding\non")], details: {} });
      held.resolve();
      return new Promise<ToolResult>((_, reject) => {
        signal.addEventListener("abort", () => {
          did.push("stopped");
          reject(new Error("stopped"));
        });
      });
    },
  });
  const tools = [note, look, hold, ...more];
  const registry = new Registry({ plugins: [definePlugin({ id: "machine", tools })] });
  const catalogue = await registry.survey(LOGGER);
  const policyOf = (rules: PolicyConfig) => createPolicy(rules, { tools: catalogue });
  const approvals = createMemoryApprovals();
  const factory = new SessionFactory({
    registry,
    policy: policyOf(config),
    approvals,
    approvalMode: "pending",
  });
  const options = () => ({ kind, sessionKey: "served", workspace: createMemoryWorkspace() });
  const sessions: Session[] = [];
  onTestFinished(async () => {
    await Promise.all(sessions.map((session) => session.close()));
  });
  return {
    actions: did,
    sessions,
    holdStarted: held.promise,
    rules: (rules) => factory.replacePolicy(policyOf(rules)),
    source: {
      async open() {
        const session = await factory.open(options());
        sessions.push(session);
        return session;
      },
      preview: () => factory.preview(options()),
      catalogue: () => catalogue,
    },
  };
}
