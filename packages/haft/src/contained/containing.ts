import { type Logger, type SessionFacts, withoutUndefined, type Workspace } from "@haft/core";
import { sha256 } from "@haft/core/internal";
import type { Network, SessionOptions } from "@haft/core/kernel";
import type { ContainmentWish, ExplainingPolicy } from "@haft/policy";
import type { HostProcessesOptions } from "@haft/workspace";
import type { SessionWorkspace } from "@haft/workspace/internal/places";
import { homedir } from "node:os";
import { join } from "node:path";
import type { HostBoundary } from "../boundary/host-boundary.ts";
import type { KeptPlaces } from "../boundary/kept-folders.ts";
import { hostError } from "../errors.ts";
import type { ContainedPlaces } from "./contained-places.ts";
import type { ContainedWorkspace } from "./contained-workspace.ts";
import { containmentFor, type SessionContainment } from "./containment.ts";

export interface ContainingOptions {
  policy: () => ExplainingPolicy;
  files: Workspace;
  boundary: HostBoundary;
  kept: KeptPlaces;
  folder: string;
  processes: Omit<HostProcessesOptions, "workspace">;
  network: Network;
  logger?: Logger | undefined;
}

export class Containing {
  readonly #options: ContainingOptions;
  #told = false;

  constructor(options: ContainingOptions) {
    this.#options = options;
  }

  get ground() {
    const { files, processes } = this.#options;
    return { files, processes, contain: this.viewFor.bind(this) };
  }

  wishFor(facts: SessionFacts): ContainmentWish | undefined {
    return this.#options.policy().containment(facts);
  }

  /**
   * For a session that policy wants contained, where this machine can. Elsewhere policy decides without: it knows that the
   * session is not.
   */
  async workspaceFor(facts: SessionFacts): Promise<ContainedWorkspace | undefined> {
    const { files, logger, boundary, kept, processes } = this.#options;
    const { wanted: wish, contained, reason, fix = "" } = await this.lookFor(facts);
    if (wish === undefined) return undefined;
    if (contained) {
      const { createContainedWorkspace } = await import("./contained-workspace.ts");
      const folder = this.#folderOf(files);
      return createContainedWorkspace(files, { wish, boundary, kept, processes, logger, folder });
    }
    if (!this.#told)
      logger?.warn(
        `Commands are to be contained (${wish.source}), and nothing can do that here: ${reason} ${fix}`.trim(),
      );
    this.#told = true;
    return undefined;
  }

  /**
   * For what runs in a view of its own, whatever policy says.
   *
   * @param offer what to do about hosts that are refused, for the end of a sentence
   *
   * @throws HaftError `MCP_UNAVAILABLE`
   */
  async viewFor(
    wish: ContainmentWish,
    offer: (hosts: readonly string[]) => string,
  ): Promise<ContainedWorkspace> {
    const { files, logger, boundary, kept, processes } = this.#options;
    const { contained, reason = "", fix } = await containmentFor(wish);
    if (!contained)
      throw hostError("MCP_UNAVAILABLE", `Nothing can contain ${wish.source} here: ${reason}`, {
        fix:
          fix ??
          "See haft sandbox doctor; haft mcp add --outside runs the server on the machine as it is, with all rights of the user.",
      });
    const { createContainedWorkspace } = await import("./contained-workspace.ts");
    const folder = this.#folderOf(files);
    return createContainedWorkspace(files, { wish, boundary, kept, processes, offer, logger, folder });
  }

  async networkFor(facts: SessionFacts): Promise<Network> {
    const wish = this.wishFor(facts);
    if (wish === undefined) return this.#options.network;
    const { toolNetwork } = await import("./tool-network.ts");
    return toolNetwork(wish, this.#options.network);
  }

  lookFor(facts: SessionFacts): Promise<SessionContainment> {
    return containmentFor(this.wishFor(facts));
  }

  async previewFor(facts: SessionFacts): Promise<SessionWorkspace | undefined> {
    const { files, boundary, processes } = this.#options;
    const { wanted: wish, contained } = await this.lookFor(facts);
    const { homeDir: home = homedir() } = boundary;
    if (!contained) return undefined;
    const { previewContained } = await import("./preview-contained.ts");
    return previewContained(files, { wish: wish!, home, processes });
  }

  /**
   * What of the host is theirs, where policy wants them contained.
   *
   * @throws HaftError `SANDBOX_MOUNT_REFUSED`, `CONTAINMENT_BROKEN`
   */
  async placesFor(facts: SessionFacts): Promise<ContainedPlaces | undefined> {
    const { files, boundary, kept } = this.#options;
    const wish = this.wishFor(facts);
    if (wish === undefined) return undefined;
    const { mounts } = files.describe();
    const { cachesIn } = await import("./session-view.ts");
    const { containedPlaces } = await import("./contained-places.ts");
    return containedPlaces({ wish, mounts, boundary, kept }, cachesIn(this.#folderOf(files)));
  }

  #folderOf(files: Workspace): string {
    const hash = sha256(files.describe().cwd).slice(0, 16);
    return join(this.#options.folder, hash);
  }
}

export function factsBefore(
  wanted: Pick<SessionOptions, "agentId" | "messageChannel" | "groupId" | "sender" | "parent" | "model">,
  kind: SessionFacts["kind"],
): SessionFacts {
  const { agentId = "main", messageChannel = "", groupId, sender, parent, model } = wanted;
  return withoutUndefined({
    kind,
    agentId,
    model: model?.name ?? "",
    messageChannel,
    groupId,
    sender,
    parent,
  });
}
