import {
  definePlugin,
  defineTool,
  image,
  type Plugin,
  text,
  contentToText,
  type ToolOutcome,
  type Workspace,
} from "@haft/core";
import { Registry, type Session, SessionFactory } from "@haft/core/kernel";
import { Type } from "@haft/plugin-sdk";
import { createPolicy, type PolicyConfig } from "@haft/policy";
import assert from "node:assert/strict";

/** A published package to try. */
export interface Trial {
  name: string;
  framework: string;
  /** npm packages, of which the trial tests the first. */
  packages: readonly string[];
  /** Checks by their text in the table. */
  checks: Readonly<Record<string, (load: Load, folder: string) => Promise<void>>>;
}

/** Imports a module like a program in the trial's folder. */
// Published types would conflict here.
// oxlint-disable-next-line typescript/no-explicit-any
export type Load = (specifier: string) => Promise<any>;

/** Every bridge returns its photos. */
export const camera = definePlugin({
  id: "camera",
  tools: [
    defineTool({
      name: "photo",
      description: "Takes a photo.",
      parameters: Type.Object({ of: Type.String() }),
      effects: [],
      execute: (_id, { of }) => {
        if (of === "nobody") throw new Error("There is nobody.");
        return { content: [text(`Of ${of}:`), image(Uint8Array.of(1, 2, 3), "image/png")], details: {} };
      },
    }),
  ],
});

const NO_FILES: Workspace = {
  fs: undefined as never,
  describe: () => ({ target: "host", cwd: process.cwd(), mounts: [], boundary: "none" }),
};

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** Opens a session of a real kernel and policy. */
export async function openSession(plugins: readonly Plugin[], rules: PolicyConfig = {}): Promise<Session> {
  const registry = new Registry({ plugins });
  const policy = createPolicy(rules, { tools: await registry.survey(SILENT) });
  const factory = new SessionFactory({ registry, policy, approvalMode: "pending" });
  return factory.open({ kind: "main", workspace: NO_FILES });
}

export async function callTool(plugin: Plugin, name: string, args: unknown): Promise<ToolOutcome> {
  await using session = await openSession([plugin]);
  assert.deepEqual(
    session.diagnostics().map(({ message }) => message),
    [],
  );
  const outcome = await session.call({ name, arguments: args });
  assert.equal(outcome.kind, "ok", contentToText(outcome.content));
  return outcome;
}

export function getText({ content }: ToolOutcome): string {
  return contentToText(content);
}

/** Expects the tool's omission for this reason. */
export async function expectRefused(plugin: Plugin, reason: RegExp): Promise<void> {
  await using session = await openSession([plugin]);
  assert.match(
    session
      .diagnostics()
      .map(({ message }) => message)
      .join("\n"),
    reason,
  );
}
