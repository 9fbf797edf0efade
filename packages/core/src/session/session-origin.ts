import type { SessionTold } from "../compose/factory-context.ts";
import type { ContextKeys } from "../compose/registry.ts";
import type { Logger } from "../contract/ports.ts";
import type { ModelFacts } from "../contract/tool.ts";
import type { SessionOptions } from "./session-options.ts";

/** What a session was opened with, for the factories of its tools: of now, and of registries that come after. */
export class SessionOrigin {
  readonly #options: SessionOptions;
  readonly keys: ContextKeys;
  readonly #model: ModelFacts;
  readonly #logger: Logger;
  /** Told to the factories that made tools for it. */
  lifetime: AbortController | undefined;

  constructor(options: SessionOptions, keys: ContextKeys, model: ModelFacts, logger: Logger) {
    this.#options = options;
    this.keys = keys;
    this.#model = model;
    this.#logger = logger;
  }

  told(): SessionTold {
    const { workspace, kind, agentDir, groupId } = this.#options;
    const { cwd } = workspace.describe();
    return {
      ...this.keys,
      workspaceDir: cwd,
      agentDir: agentDir ?? cwd,
      sessionKind: kind,
      groupId,
      model: this.#model,
      sandboxed: kind === "sandboxed",
      workspace,
      logger: this.#logger,
      signal: (this.lifetime ??= new AbortController()).signal,
    };
  }
}
