import { definePlugin, defineTool, image, type Logger, text } from "@haft/core";
import {
  Registry,
  type Session,
  type SessionEnvironment,
  SessionFactory,
  type SessionOptions,
} from "@haft/core/kernel";
import { createMemoryWorkspace } from "@haft/plugin-sdk/testing";
import { createPolicy, type PolicyConfig } from "@haft/policy";
import { Type } from "@sinclair/typebox";
import { onTestFinished } from "vitest";

/** Texts that `note` was called with, in order: what really happened. */
export interface AgentSession {
  session: Session;
  noted: string[];
  /** Resolves when `wait` has begun. */
  waits: Promise<void>;
}

export interface Setup extends Partial<Omit<SessionEnvironment, "registry" | "policy">> {
  rules?: PolicyConfig;
  open?: Partial<SessionOptions>;
}

/** A session of a real kernel and a real policy, with a few tools that need no files. */
export async function openAgentSession({
  rules = {},
  open,
  ...environment
}: Setup = {}): Promise<AgentSession> {
  const noted: string[] = [];
  const began = Promise.withResolvers<void>();
  const tools = definePlugin({
    id: "t",
    tools: [
      defineTool({
        name: "note",
        description: "Notes a text.",
        parameters: Type.Object({ text: Type.String() }),
        effects: ["message"],
        execute: (_id, { text: value }) => {
          noted.push(value);
          return { content: [text(`noted ${value}`)], details: {} };
        },
      }),
      defineTool({
        name: "long",
        description: "Answers many characters.",
        parameters: Type.Object({ characters: Type.Number() }),
        effects: ["read"],
        execute: (_id, { characters }) => ({ content: [text("x".repeat(characters))], details: {} }),
      }),
      defineTool({
        name: "photo",
        description: "Takes a photo.",
        parameters: Type.Object({}),
        effects: ["read"],
        execute: () => ({
          content: [text("Here:"), image(Uint8Array.of(1, 2, 3), "image/png")],
          details: {},
        }),
      }),
      defineTool({
        name: "wait",
        description: "Waits until it is aborted.",
        parameters: Type.Object({}),
        effects: ["execute"],
        execute: (_id, _params, signal): Promise<never> => {
          began.resolve();
          return new Promise((_, reject) =>
            signal.addEventListener("abort", () => reject(new Error("stopped"))),
          );
        },
      }),
    ],
  });
  const registry = new Registry({ plugins: [tools] });
  const policy = createPolicy(rules, { tools: await registry.survey(SILENT) });
  const factory = new SessionFactory({ registry, policy, abortGraceMs: 50, ...environment });
  const session = await factory.open({ kind: "main", workspace: createMemoryWorkspace(), ...open });
  onTestFinished(() => session.close());
  return { session, noted, waits: began.promise };
}

const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };
