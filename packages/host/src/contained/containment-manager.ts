import type { HostBoundary, ReservedPaths } from "@haft/config/internal/boundary";
import type { Logger, SessionFacts, Workspace } from "@haft/core";
import type { Network, SessionOptions } from "@haft/core/kernel";
import type { RequestedContainment, ExplainingPolicy } from "@haft/policy";
import type { ContainmentPlan } from "@haft/sandbox/view";
import { withoutUndefined, sha256 } from "@haft/utils";
import type { HostProcessesOptions } from "@haft/workspace";
import type { SessionWorkspace } from "@haft/workspace/internal/places";
import { homedir } from "node:os";
import { join } from "node:path";
import { hostError } from "../errors.ts";
import { addVariables } from "./add-variables.ts";
import type { ContainedWorkspace } from "./contained-workspace.ts";
import { checkContainment, type SessionContainment } from "./containment.ts";

export interface ContainmentManagerOptions {
  policy: () => ExplainingPolicy;
  files: Workspace;
  boundary: HostBoundary;
  reserved: ReservedPaths;
  folder: string;
  processes: Omit<HostProcessesOptions, "workspace">;
  network: Network;
  logger?: Logger | undefined;
}

export class ContainmentManager {
  readonly #options: ContainmentManagerOptions;
  #hasWarned = false;

  constructor(options: ContainmentManagerOptions) {
    this.#options = options;
  }

  get context() {
    const { files, processes } = this.#options;
    return { files, processes, contain: this.viewFor.bind(this) };
  }

  resolveRequested(facts: SessionFacts): RequestedContainment | undefined {
    return this.#options.policy().containment(facts);
  }

  /** Returns a workspace if the policy requests containment and this machine supports it. */
  async workspaceFor(facts: SessionFacts): Promise<ContainedWorkspace | undefined> {
    const { files, logger, boundary, reserved, processes } = this.#options;
    const { wanted: request, contained, reason, fix = "" } = await this.checkContainment(facts);
    if (request === undefined) return undefined;
    if (contained) {
      const { createContainedWorkspace } = await import("./contained-workspace.ts");
      const folder = this.#folderOf(files);
      return createContainedWorkspace(files, {
        requested: request,
        boundary,
        reserved,
        processes,
        logger,
        folder,
      });
    }
    if (!this.#hasWarned)
      logger?.warn(
        `The policy requests contained commands (${request.source}), but this machine cannot contain them: ${reason} ${fix}`.trim(),
      );
    this.#hasWarned = true;
    return undefined;
  }

  /**
   * Opens a view for a server, regardless of the policy.
   *
   * @param offer advice about refused hosts: the end of a sentence
   * @param variables added to the environment of its processes
   *
   * @throws HaftError `MCP_UNAVAILABLE`
   */
  async viewFor(
    request: RequestedContainment,
    offer: (hosts: readonly string[]) => string,
    variables: Readonly<Record<string, string>> = {},
  ): Promise<ContainedWorkspace> {
    const { files, logger, boundary, reserved, processes } = this.#options;
    const { contained, reason = "", fix } = await checkContainment(request);
    if (!contained)
      throw hostError("MCP_UNAVAILABLE", `Nothing can contain ${request.source} here: ${reason}`, {
        fix:
          fix ??
          "See haft sandbox doctor; haft mcp add --outside runs the server on the machine as it is, with all rights of the user.",
      });
    const { createContainedWorkspace } = await import("./contained-workspace.ts");
    const folder = this.#folderOf(files);
    return createContainedWorkspace(files, {
      requested: request,
      boundary,
      reserved,
      processes: addVariables(processes, variables),
      offer,
      logger,
      folder,
    });
  }

  async networkFor(facts: SessionFacts): Promise<Network> {
    const request = this.resolveRequested(facts);
    if (request === undefined) return this.#options.network;
    const { createToolNetwork } = await import("./tool-network.ts");
    return createToolNetwork(request, this.#options.network);
  }

  checkContainment(facts: SessionFacts): Promise<SessionContainment> {
    return checkContainment(this.resolveRequested(facts));
  }

  async previewFor(facts: SessionFacts): Promise<SessionWorkspace | undefined> {
    const { files, boundary, processes } = this.#options;
    const { wanted: request, contained } = await this.checkContainment(facts);
    const { homeDir: home = homedir() } = boundary;
    if (!contained) return undefined;
    const { previewContained } = await import("./preview-contained.ts");
    return previewContained(files, { requested: request!, home, processes });
  }

  /**
   * Returns the mount plan of a session if the policy requests containment.
   *
   * @throws HaftError `SANDBOX_MOUNT_REFUSED`, `CONTAINMENT_BROKEN`
   */
  async planFor(facts: SessionFacts): Promise<ContainmentPlan | undefined> {
    const { files, boundary, reserved } = this.#options;
    const request = this.resolveRequested(facts);
    if (request === undefined) return undefined;
    const { mounts } = files.describe();
    const { resolveViewPaths } = await import("./view-paths.ts");
    const { planView } = await import("@haft/sandbox/view");
    const paths = resolveViewPaths({ requested: request, mounts, boundary, reserved });
    return planView(paths, request.network, this.#folderOf(files));
  }

  #folderOf(files: Workspace): string {
    const hash = sha256(files.describe().cwd).slice(0, 16);
    return join(this.#options.folder, hash);
  }
}

export function toSessionFacts(
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
