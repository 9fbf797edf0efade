import { type Plugin, type ToolMeta, type ToolOutcome, type Workspace, withoutUndefined } from "@haft/core";
import { requireKnownOptions } from "@haft/core/internal";
import {
  type CallExplanation,
  type CallOptions,
  type MissingTool,
  Registry,
  SessionFactory,
  type Session,
  type ToolDefinition,
  type ToolDiagnostic,
  type ExplainOptions,
} from "@haft/core/kernel";
import { createFakeNetwork, type RecordedRequest } from "../fakes/fake-network.ts";
import { createTestFiles, type TestFiles } from "./test-files.ts";
import type { TestSessionOptions } from "./test-options.ts";
import { createTestPolicy } from "./test-policy.ts";
import { openTestWorkspace } from "./test-workspace.ts";

/** A session to test a plugin in: the kernel of every host, over files of its own. */
export interface TestSession extends AsyncDisposable {
  /** Calls a tool as a model does. Resolves to an outcome whatever happens. */
  call(name: string, args?: unknown, options?: CallOptions): Promise<ToolOutcome>;
  /** What would become of a call, and which rule decides. Runs nothing. */
  explain(name: string, args?: unknown, options?: ExplainOptions): Promise<CallExplanation>;
  /** The outcome of the last call. */
  readonly outcome: ToolOutcome | undefined;
  /** Every call, oldest first. */
  readonly ledger: readonly Readonly<ToolMeta>[];
  /** What is offered to the model. */
  readonly tools: readonly ToolDefinition[];
  /** What is not offered, and why. */
  readonly missing: readonly MissingTool[];
  /** What could not be made, and why. */
  readonly diagnostics: readonly ToolDiagnostic[];
  /** Its files. */
  readonly files: TestFiles;
  /** Every request of its tools. */
  readonly requests: readonly RecordedRequest[];
  /** Where its tools act. */
  readonly workspace: Workspace;
  /** The session itself: approvals, events, aborts. */
  readonly session: Session;
  /** Ends it, and removes what was made for it. */
  close(): Promise<void>;
}

/**
 * Opens a session that has the tools of a plugin and nothing else.
 *
 * ```ts
 * await using session = await createTestSession(plugin, { files: { "a.txt": "one\ntwo\n" } });
 * const outcome = await session.call("count_lines", { path: "a.txt" });
 * ```
 *
 * @throws HaftError `PACKAGE_MISSING`, `SANDBOX_UNAVAILABLE`, `POLICY_INVALID`, `INVALID_OPTIONS`
 */
export async function createTestSession(
  plugin: Plugin,
  options: TestSessionOptions = {},
): Promise<TestSession> {
  requireKnownOptions<TestSessionOptions>("createTestSession", options, {
    kind: true,
    workspace: true,
    sandbox: true,
    files: true,
    links: true,
    policy: true,
    approve: true,
    sender: true,
    channel: true,
    groupId: true,
    agentId: true,
    model: true,
    config: true,
    network: true,
    logger: true,
    kernel: true,
  });
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
