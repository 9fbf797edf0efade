import { DEFAULT_LIMITS } from "@haft/config/internal/settings";
import type { Logger, Workspace } from "@haft/core";
import type { Nodes } from "@haft/nodes";
import type { SandboxWorkspace } from "@haft/sandbox";
import { withoutUndefined } from "@haft/utils";
import { loadNodeBackend, loadSandboxes } from "./load-backend.ts";
import { previewOnNode } from "./preview-on-node.ts";

/** Opens a session's node workspaces, each with its first command. */
export class NodeWorkspaces {
  readonly #nodes: Nodes;
  readonly #sessionKey: string;
  readonly #logger: Logger | undefined;
  readonly #open = new Map<string, Promise<SandboxWorkspace>>();
  #closed = false;

  constructor(nodes: Nodes, sessionKey: string, logger: Logger | undefined) {
    this.#nodes = nodes;
    this.#sessionKey = sessionKey;
    this.#logger = logger;
  }

  attachTo(workspace: Workspace): Workspace {
    return withElsewhere(workspace, (node) => this.#elsewhere(node));
  }

  attachPreviewTo(workspace: Workspace): Workspace {
    const programs = () => workspace.processes!;
    return withElsewhere(workspace, async (node) =>
      previewOnNode(this.#nodes.resolveWorkspace({ node }), programs),
    );
  }

  /** The node closes unclosed workspaces later. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([...this.#open.values()].map(async (opening) => (await opening).close()));
  }

  /** Resolves the node for each command: its approval may have been revoked. */
  async #elsewhere(node: string | undefined): Promise<Workspace> {
    const { id, workspace } = this.#nodes.resolveWorkspace({ node });
    const key = JSON.stringify([id, workspace]);
    let opening = this.#open.get(key);
    if (opening === undefined) {
      this.#open.set(key, (opening = this.#openOne(id, workspace)));
      opening.catch(() => this.#open.delete(key));
    }
    const opened = await opening;
    if (this.#closed) await opened.close();
    return opened;
  }

  async #openOne(
    node: string,
    { name, access, network }: { name: string; access: "ro" | "rw"; network: "none" | "full" },
  ): Promise<SandboxWorkspace> {
    const { openSandbox } = await loadSandboxes();
    const backend = await loadNodeBackend(this.#nodes, { node, workspace: name });
    const spec = {
      key: this.#sessionKey,
      scope: "session",
      workspace: access,
      mounts: [],
      env: {},
      network,
      limits: DEFAULT_LIMITS,
      lifetime: "tethered",
    } as const;
    return await openSandbox(backend, spec, withoutUndefined({ logger: this.#logger }));
  }
}

function withElsewhere(
  workspace: Workspace,
  elsewhere: NonNullable<Workspace["openNodeWorkspace"]>,
): Workspace {
  const again = (other: Workspace) => withElsewhere(other, elsewhere);
  return Object.defineProperties({} as Workspace, {
    ...Object.getOwnPropertyDescriptors({
      fs: workspace.fs,
      describe: () => workspace.describe(),
      openNodeWorkspace: elsewhere,
      ...(workspace.withRoot && {
        withRoot: (name: string, path: string) => again(workspace.withRoot!(name, path)),
      }),
      ...(workspace.withConsent && {
        withConsent: (paths: readonly string[]) => again(workspace.withConsent!(paths)),
      }),
    }),
    // Some workspaces create processes with the first command.
    processes: { enumerable: true, get: () => workspace.processes },
  });
}
