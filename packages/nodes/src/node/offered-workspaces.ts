import { HaftError, getErrorMessage } from "@haft/core";
import { computeDigest } from "../contract/canonical-json.ts";
import type {
  DeclaredWorkspace,
  NodeWorkspace,
  OpenedWorkspace,
  WorkspaceOpening,
} from "../contract/workspace.ts";
import { nodesError } from "../errors.ts";

const MAX_WORKSPACES_PER_HOST = 16;
export const MAX_OPEN_WORKSPACES = 64;

export class OfferedWorkspaces {
  readonly #node: string;
  readonly #offered: Map<string, { workspace: NodeWorkspace; declared: DeclaredWorkspace }>;
  readonly #opened = new Map<OpenedWorkspace, string>();
  readonly #opening = new Set<{ host: string; controller: AbortController; done: Promise<unknown> }>();

  constructor(node: string, workspaces: readonly NodeWorkspace[], declared: readonly DeclaredWorkspace[]) {
    this.#node = node;
    this.#offered = new Map(
      declared.map((each) => {
        const workspace = workspaces.find(({ name }) => name === each.name)!;
        return [each.name, { workspace, declared: each }];
      }),
    );
  }

  get count(): number {
    return this.#opened.size + this.#opening.size;
  }

  async open(host: string, opening: WorkspaceOpening, signal: AbortSignal): Promise<OpenedWorkspace> {
    const { workspace } = this.#allowed(host, opening);
    const controller = new AbortController();
    const abort = () => controller.abort(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    const { access, network, limits } = opening;
    const begun = workspace.open({ hostId: host, access, network, limits }, controller.signal);
    const entry = { host, controller, done: begun.catch(() => undefined) };
    this.#opening.add(entry);
    try {
      const opened = await begun;
      this.#opened.set(opened, host);
      void opened.ended.then(() => this.#opened.delete(opened));
      if (!controller.signal.aborted) return opened;
      await opened.close();
      throw controller.signal.reason;
    } catch (thrown) {
      throw HaftError.is(thrown)
        ? thrown
        : nodesError("NODE_FAILED", getErrorMessage(thrown), { receipt: "none" });
    } finally {
      this.#opening.delete(entry);
      signal.removeEventListener("abort", abort);
    }
  }

  async close(): Promise<void> {
    const ending = nodesError("NODE_BUSY", `The node ${this.#node} is closing.`);
    const opening = [...this.#opening].map(({ controller, done }) => {
      controller.abort(ending);
      return done;
    });
    await Promise.all(opening);
    await Promise.all([...this.#opened.keys()].map((opened) => opened.close().catch(() => undefined)));
  }

  #allowed(host: string, { workspace, declared, access, network }: WorkspaceOpening) {
    const found = this.#offered.get(workspace);
    if (found === undefined)
      throw nodesError(
        "NODE_NOT_OFFERED",
        `The node ${this.#node} does not offer the workspace ${JSON.stringify(workspace.slice(0, 80))}.`,
      );
    const called = `The workspace ${workspace} of the node ${this.#node}`;
    if (computeDigest(found.declared) !== declared)
      throw nodesError("NODE_CHANGED", `${called} differs from the host's approval.`);
    if (access === "rw" && found.declared.access === "ro")
      throw nodesError("NODE_NOT_OFFERED", `${called} is read-only.`);
    if (network === "full" && found.declared.network === "none")
      throw nodesError("NODE_NOT_OFFERED", `${called} has no network.`);
    const hosts = [...this.#opened.values(), ...Array.from(this.#opening, (each) => each.host)];
    const ofHost = hosts.filter((each) => each === host).length;
    if (ofHost >= MAX_WORKSPACES_PER_HOST || hosts.length >= MAX_OPEN_WORKSPACES)
      throw nodesError(
        "NODE_BUSY",
        `The node ${this.#node} already has the maximum number of workspaces open.`,
      );
    return found;
  }
}
