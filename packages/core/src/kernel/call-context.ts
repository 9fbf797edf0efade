import { withoutUndefined, lazy } from "@haft/utils";
import type { Sender, SessionKind } from "../contract/policy-port.ts";
import type { Logger, Workspace } from "../contract/ports.ts";
import type { ToolOutcome } from "../contract/result.ts";
import type { ModelFacts, ToolContext } from "../contract/tool.ts";
import { fenceWorkspace } from "../ports/fence-workspace.ts";
import type { Call } from "./call.ts";

const loadFetch = lazy(() => import("./fetch/fetch-for-call.ts"));

export async function prepareFetch(): Promise<void> {
  await loadFetch();
}

export class CallContext implements ToolContext {
  readonly #call: Call;
  #nested = 0;
  #fetch: ToolContext["fetch"] | undefined;

  constructor(call: Call) {
    this.#call = call;
  }

  get toolName(): string {
    return this.#call.calledAs ?? this.#call.toolName;
  }
  get sessionKey(): string {
    return this.#call.session.key;
  }
  get sessionKind(): SessionKind {
    return this.#call.session.facts.kind;
  }
  get runId(): string {
    return this.#call.session.openingId;
  }
  get agentId(): string {
    return this.#call.session.facts.agentId;
  }
  get messageChannel(): string {
    return this.#call.session.facts.messageChannel;
  }
  get groupId(): string | undefined {
    return this.#call.session.facts.groupId;
  }
  /** A copy: policy decides by the original. */
  get sender(): Readonly<Sender> | "system" | undefined {
    const sender = this.#call.options.sender ?? this.#call.session.facts.sender;
    return typeof sender === "object" ? Object.freeze({ ...sender }) : sender;
  }
  get workspace(): Workspace {
    const { workspace } = this.#call.session;
    const { consent } = this;
    return consent === undefined ? workspace : (workspace.withConsent?.(consent) ?? workspace);
  }
  get model(): ModelFacts {
    return this.#call.session.model;
  }
  get logger(): Logger {
    const { session, tool } = this.#call;
    const { logger } = session.settings;
    return tool?.lifecycle?.logger(logger) ?? logger;
  }

  get plan(): unknown {
    return this.#call.plan?.data;
  }

  get isAgreed(): boolean {
    const { isAgreed, meta } = this.#call;
    return isAgreed || meta?.grantIds !== undefined;
  }

  fenced(workspace: Workspace): Workspace {
    const { fence } = this.#call.session;
    return fence === undefined ? workspace : fenceWorkspace(workspace, fence);
  }

  get consent(): readonly string[] | undefined {
    const consent = this.#call.plan?.consent ?? [];
    return consent.length === 0 ? undefined : consent.map(({ place }) => place);
  }

  get fetch(): ToolContext["fetch"] {
    return (this.#fetch ??= async (input, init) => {
      const { fetchForCall } = await loadFetch();
      return fetchForCall(this.#call, input, init);
    });
  }

  call(name: string, args: unknown): Promise<ToolOutcome> {
    const { session, id, controller, options } = this.#call;
    // The outer call's rules for the sender apply to the inner call.
    const { sender } = options;
    return session.settings.run(
      session,
      { id: this.#nextId(), name, arguments: args },
      withoutUndefined({ signal: controller.signal, parentCallId: id, sender }),
    );
  }

  #nextId(): string {
    const { session, id } = this.#call;
    const prefix = id.slice(0, 200);
    do this.#nested++;
    while (session.callHistory.get(`${prefix}.${this.#nested}`));
    return `${prefix}.${this.#nested}`;
  }
}
