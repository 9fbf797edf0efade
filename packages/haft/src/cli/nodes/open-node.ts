import type { SandboxSettings } from "@haft/config";
import { defaultStateFolder } from "@haft/config/internal/boundary";
import { resolveBroker } from "@haft/config/internal/document";
import {
  type NodesServer,
  type NodeSettings,
  type NodeFolders,
  nodeFolders,
  backendNames,
} from "@haft/config/internal/settings";
import { type SessionKind, type ToolFacts, HaftError } from "@haft/core";
import type { MissingTool } from "@haft/core/internal";
import type { ToolDefinition } from "@haft/core/kernel";
import { type HostSessionOptions, createHost } from "@haft/host";
import { findHostConfiguration } from "@haft/host/internal/host";
import { loadSandboxBackend, loadSandboxes, requireMountable } from "@haft/host/internal/sandbox";
import type { HaftNode, Identity, ToolOffer, NodeWorkspace, OfferToolsOptions } from "@haft/nodes";
import type { SandboxBackend } from "@haft/sandbox";
import { withoutUndefined, didYouMean, nearestNames } from "@haft/utils";
import { hostname } from "node:os";
import { basename } from "node:path";
import { commandError } from "../../errors.ts";
import { readSessionValues, type SessionValues } from "../session-arguments.ts";
import { stderrLogger } from "../stderr-logger.ts";

type OfferedTool = OfferToolsOptions["tools"][number];

export interface NodeValues extends SessionValues {
  server?: string;
  json?: boolean;
}

export interface OpenedNode {
  node: HaftNode;
  identity: Identity;
  folders: NodeFolders;
  kind: NonNullable<HostSessionOptions["kind"]>;
  withheld: readonly WithheldTool[];
  offer: ToolOffer;
  server: string | NodesServer | undefined;
  close(): Promise<void>;
}

export async function openNode(values: NodeValues): Promise<OpenedNode> {
  const { host: options, session } = await readSessionValues(values);
  const { node: settings, nats, sandbox } = (await findHostConfiguration(options))?.trusted?.config ?? {};
  if (settings === undefined)
    throw commandError("CONFIG_INVALID", "No configuration of this user defines a node on this machine.", {
      fix: "Add it to your own configuration: `node: { server: nats://…, offer: [read] }`. Files of workspaces cannot define it.",
    });
  const { createNode, offerTools, openIdentity } = await import("@haft/nodes");
  const { name = hostname() } = settings;
  const server = resolveBroker(values.server ?? settings.server, nats);
  const kind = values.session ?? (session.sandbox === undefined ? (settings.kind ?? "group") : "sandboxed");
  const stateDir = options.stateDir || defaultStateFolder();
  const folders = nodeFolders(stateDir);
  const { offer: names = [], workspaces = {} } = settings;
  if (names.length + Object.keys(workspaces).length === 0)
    throw commandError("CONFIG_INVALID", "The node offers nothing: it lists neither tools nor workspaces.", {
      fix: "Add some: `node: { offer: [read] }`.",
    });
  const identity = openIdentity(folders.node);
  const host = await createHost({ ...options, logger: stderrLogger });
  try {
    const ofHost = (hostId: string) => sessionFor(hostId, kind, session);
    const preview = await host.preview(ofHost("U"));
    const seen = { kind, catalogue: host.catalogue, tools: preview.tools(), missing: preview.missing() };
    const { offered, withheld } = offeredTools(names, seen);
    const offer = offerTools({ tools: offered, openSession: (hostId) => host.openSession(ofHost(hostId)) });
    const cwd = options.workspaceDir ?? process.cwd();
    const node = createNode({
      id: identity.id,
      name,
      commands: offer.commands,
      workspaces: await openWorkspaces(settings, sandbox, { stateDir, cwd }),
    });
    const close = async () => {
      await node.close();
      await offer.close();
      await host.close();
    };
    return { node, identity, folders, kind, withheld, offer, server, close };
  } catch (thrown) {
    await host.close();
    throw thrown;
  }
}

/** Each host has separate rules, approvals and grants, also from local sessions. */
function sessionFor(
  hostId: string,
  kind: OpenedNode["kind"],
  { sandbox, agentId, model }: HostSessionOptions,
): HostSessionOptions {
  return withoutUndefined<HostSessionOptions>({
    kind,
    sessionKey: `node:${hostId}`,
    messageChannel: "node",
    groupId: hostId,
    sender: { id: hostId },
    sandbox: kind === "sandboxed" ? sandbox : undefined,
    agentId,
    model,
  });
}

export function requireServer({ server }: OpenedNode): string | NodesServer {
  if (server !== undefined) return server;
  throw commandError("CONFIG_INVALID", "The node has no server.", {
    fix: "Set `node: { server: nats://… }` in your own configuration, or use --server nats://….",
  });
}

export interface WithheldTool {
  name: string;
  reason: string;
  fix?: string;
}

interface Seen {
  kind: SessionKind;
  catalogue: readonly ToolFacts[];
  tools: readonly ToolDefinition[];
  missing: readonly MissingTool[];
}

/**
 * Withholds tools denied to every session of that kind.
 *
 * @throws HaftError `CONFIG_INVALID` for an unknown tool, or without tools
 */
function offeredTools(
  names: readonly string[],
  { kind, catalogue, tools, missing }: Seen,
): { offered: OfferedTool[]; withheld: WithheldTool[] } {
  const offered: OfferedTool[] = [];
  const withheld: WithheldTool[] = [];
  for (const name of new Set(names)) {
    const facts = catalogue.find((each) => each.name === name);
    const definition = tools.find((each) => each.name === name);
    const why = missing.find((each) => each.name === name);
    if (facts !== undefined && definition !== undefined)
      offered.push({ ...definition, effects: facts.effects });
    else if (facts !== undefined || why !== undefined) {
      const { reason = "No session of this kind has it.", fix } = why ?? {};
      withheld.push({ name, reason, ...(fix !== undefined && { fix }) });
    } else {
      const near = didYouMean(
        nearestNames(
          name,
          catalogue.map((each) => each.name),
        ),
      );
      throw commandError("CONFIG_INVALID", `node.offer: there is no tool ${JSON.stringify(name)}.${near}`, {
        fix: "Correct `node.offer`, or the rules; `haft nodes offer` shows the offer.",
      });
    }
  }
  if (offered.length > 0 || names.length === 0) return { offered, withheld };
  const reasons = withheld.map(({ name, reason }) => `${name}: ${reason}`).join(" ");
  throw commandError("CONFIG_INVALID", `A ${kind} session may call no tool of the offer. ${reasons}`, {
    fix: withheld.find(({ fix }) => fix !== undefined)?.fix ?? "Offer other tools.",
    details: { withheld },
  });
}

/** @throws HaftError `CONFIG_INVALID` without a sandbox, `SANDBOX_MOUNT_REFUSED` for a missing or too large folder */
async function openWorkspaces(
  { workspaces = {} }: NodeSettings,
  sandbox: SandboxSettings | false | undefined,
  { stateDir, cwd }: { stateDir: string; cwd: string },
): Promise<NodeWorkspace[]> {
  const entries = Object.entries(workspaces);
  if (entries.length === 0) return [];
  const backend = await workingBackend(sandbox);
  const { offerWorkspace } = await loadSandboxes();
  const owner = { workspaceDir: cwd, sessionKey: "", agentId: "main", stateDir };
  return entries.map(
    ([name, { folder, access = "ro", network = "none", description = basename(folder) }]) => {
      const { hostPath } = lent(name, () => requireMountable(folder, owner));
      return offerWorkspace(backend, { name, description, folder: hostPath, access, network });
    },
  );
}

function lent<T>(name: string, find: () => T): T {
  try {
    return find();
  } catch (thrown) {
    if (!HaftError.is(thrown)) throw thrown;
    const { code, message, details } = thrown;
    throw commandError(code as "SANDBOX_MOUNT_REFUSED", `node.workspaces.${name}: ${message}`, {
      fix: `Name the folder of a project in node.workspaces.${name}, or omit it.`,
      ...(details !== undefined && { details }),
    });
  }
}

/** Chosen once, because the approved declaration names it. */
async function workingBackend(sandbox: SandboxSettings | false | undefined): Promise<SandboxBackend> {
  const reasons: string[] = [];
  const names = sandbox === false ? [] : backendNames({ backend: "auto", ...sandbox });
  for (const name of names) {
    const backend = await loadSandboxBackend(name);
    const { available, reason } = await backend.probe();
    if (available) return backend;
    reasons.push(`${name}: ${reason ?? "it does not work"}`);
  }
  const why = reasons.length === 0 ? "the configuration excludes the built-in backends" : reasons.join(" ");
  throw commandError("CONFIG_INVALID", `node.workspaces need a sandbox, and none works here: ${why}`, {
    fix: "Run `haft sandbox doctor` for a fix, or omit them.",
  });
}
