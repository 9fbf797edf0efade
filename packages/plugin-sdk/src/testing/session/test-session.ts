import type { Plugin, ToolMeta, ToolOutcome, Workspace } from "@haft/core";
import { checkOptions, optionsSchema, type MissingTool, type ToolDiagnostic } from "@haft/core/internal";
import {
  type CallExplanation,
  type CallOptions,
  Registry,
  SessionFactory,
  type Session,
  type ToolDefinition,
  type ExplainOptions,
} from "@haft/core/kernel";
import { withoutUndefined } from "@haft/utils";
import { createFakeNetwork, type RecordedRequest } from "../fakes/fake-network.ts";
import { requirePlugin } from "./require-plugin.ts";
import { createTestFiles, type TestFiles } from "./test-files.ts";
import type { TestSessionOptions } from "./test-options.ts";
import { createTestPolicy } from "./test-policy.ts";
import { openTestWorkspace } from "./test-workspace.ts";

/**
 * A session for testing a plugin: the kernel of every host, with separate files.
 *
 * @example
 * ```ts
 * import type { TestSession } from "@haft/plugin-sdk/testing";
 *
 * // Checks that a tool cannot leave the workspace.
 * export async function expectInside(session: TestSession, toolName: string): Promise<void> {
 *   const outcome = await session.call(toolName, { path: "../../etc/passwd" });
 *   if (outcome.kind === "ok") throw new Error(`${toolName} left the workspace.`);
 * }
 * ```
 */
export interface TestSession extends AsyncDisposable {
  /** Calls a tool as a model does. It never rejects. */
  call(name: string, args?: unknown, options?: CallOptions): Promise<ToolOutcome>;
  /** Explains the result of a call and its deciding rule. It runs nothing. */
  explain(name: string, args?: unknown, options?: ExplainOptions): Promise<CallExplanation>;
  /** Contains the last outcome. */
  readonly outcome: ToolOutcome | undefined;
  /** Contains every call, oldest first. */
  readonly ledger: readonly Readonly<ToolMeta>[];
  /** Contains the tools of the model. */
  readonly tools: readonly ToolDefinition[];
  /** Contains hidden tools, with reasons. */
  readonly missing: readonly MissingTool[];
  /** Contains failed tools, with reasons. */
  readonly diagnostics: readonly ToolDiagnostic[];
  /** Accesses its files. */
  readonly files: TestFiles;
  /** Contains every request, oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** Contains the workspace of its tools. */
  readonly workspace: Workspace;
  /** Handles approvals, events and aborts. */
  readonly session: Session;
  /** Closes the session and removes its files. */
  close(): Promise<void>;
}

const OBJECT = { "haft:kind": "object" } as const;
const TEXT = { type: "string" };
const OPTIONS = optionsSchema<TestSessionOptions>({
  kind: { enum: ["main", "group", "sandboxed"] },
  workspace: { anyOf: [{ enum: ["memory", "host", "sandbox"] }, OBJECT] },
  sandbox: { enum: ["bubblewrap", "docker"] },
  files: OBJECT,
  links: OBJECT,
  policy: OBJECT,
  approve: { anyOf: [{ enum: ["allow-once", "allow-always", "deny"] }, { "haft:kind": "function" }] },
  sender: { anyOf: [{ enum: ["system"] }, OBJECT] },
  channel: TEXT,
  groupId: TEXT,
  agentId: TEXT,
  model: OBJECT,
  config: {},
  network: OBJECT,
  logger: OBJECT,
  kernel: OBJECT,
});

/**
 * Opens a session with the tools of one plugin.
 *
 * @throws HaftError `PACKAGE_MISSING`, `SANDBOX_UNAVAILABLE`, `POLICY_INVALID`, `INVALID_OPTIONS`
 * @example
 * ```ts run
 * import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
 * import { createTestSession } from "@haft/plugin-sdk/testing";
 *
 * const addNote = defineTool({
 *   name: "add_note",
 *   description: "Adds a line to the notes.",
 *   parameters: Type.Object({ line: Type.String() }),
 *   effects: ["write"],
 *   async execute(_toolCallId, { line }, _signal, _onUpdate, { workspace }) {
 *     await workspace.fs.append("notes.txt", new TextEncoder().encode(`${line}\n`));
 *     return { content: [text("Noted.")], details: { line } };
 *   },
 * });
 * const notes = definePlugin({ id: "notes", tools: [addNote] });
 * const session = await createTestSession(notes, { files: { "notes.txt": "one\n" }, policy: { ask: ["add_note"] }, approve: "allow-once" });
 * await session.call("add_note", { line: "two" });
 * await session.files.all(); // => { "notes.txt": "one\ntwo\n" }
 * await session.close();
 * ```
 */
export async function createTestSession(
  plugin: Plugin,
  options: TestSessionOptions = {},
): Promise<TestSession> {
  requirePlugin("createTestSession", plugin);
  checkOptions("createTestSession", options, OPTIONS);
  const { kind = "main", config, approve, logger, kernel = {} } = options;
  const given: Plugin = config === undefined ? plugin : { ...plugin, config };
  const registry = new Registry(withoutUndefined({ plugins: [given], logger }));
  const policy = await createTestPolicy(registry, options);
  const place = await openTestWorkspace(options);
  const network = createFakeNetwork(options.network);
  try {
    const factory = new SessionFactory(
      withoutUndefined({
        registry,
        policy,
        logger,
        approver: approve === undefined ? undefined : approverOf(approve),
        ...kernel,
      }),
    );
    const session = await factory.open(
      withoutUndefined({
        kind,
        workspace: place.workspace,
        network,
        sandbox: place.facts,
        agentId: options.agentId,
        messageChannel: options.channel,
        groupId: options.groupId,
        sender: options.sender,
        model: options.model,
        dispose: async () => {
          await registry.close();
          await place.close();
        },
      }),
    );
    return testSessionOf(session, place.workspace, network.requests);
  } catch (thrown) {
    await place.close();
    throw thrown;
  }
}

function approverOf(approve: NonNullable<TestSessionOptions["approve"]>) {
  return {
    ask: (request: Parameters<Extract<typeof approve, (...args: never) => unknown>>[0]) =>
      Promise.resolve(typeof approve === "function" ? approve(request) : approve),
  };
}

function testSessionOf(
  session: Session,
  workspace: Workspace,
  requests: readonly RecordedRequest[],
): TestSession {
  let outcome: ToolOutcome | undefined;
  const close = () => session.close();
  return {
    call: async (name, args = {}, options) =>
      (outcome = await session.call({ name, arguments: args }, options)),
    explain: (name, args, asked) => session.explain(name, args, asked ?? {}),
    get outcome() {
      return outcome;
    },
    get ledger() {
      return session.ledger();
    },
    get tools() {
      return session.tools();
    },
    get missing() {
      return session.missing();
    },
    get diagnostics() {
      return session.diagnostics();
    },
    files: createTestFiles(workspace),
    requests,
    workspace,
    session,
    close,
    [Symbol.asyncDispose]: close,
  };
}
