import type { SandboxSettings } from "@haft/config";
import { findProtectedPaths, defaultStateFolder } from "@haft/config/internal/boundary";
import { type BuiltInBackend, backendNames, mergeSettings, applyCaps } from "@haft/config/internal/settings";
import { HaftError, getErrorMessage } from "@haft/core";
import { createHost } from "@haft/host";
import { readEffectiveOptions } from "@haft/host/internal/host";
import { loadSandboxBackend, loadSandboxes, toSandboxSpec } from "@haft/host/internal/sandbox";
import { formatTable } from "@haft/policy";
import { resolveLifetime, type SandboxProbe, type SandboxSpec } from "@haft/sandbox";
import { scanHostSockets } from "@haft/sandbox/view";
import { describeDuration, withoutUndefined } from "@haft/utils";
import { statSync } from "node:fs";
import { commandError } from "../../errors.ts";
import { readSessionValues, type SessionValues } from "../session-arguments.ts";
import { UsageError } from "../usage.ts";
import { probeBackend } from "./doctor.ts";

/** Exit code 1: the session cannot open. */
export async function explainSandbox(values: SessionValues & { json?: boolean }): Promise<number> {
  const { session: kindName = "sandboxed" } = values;
  if (kindName !== "sandboxed" && values.sandbox === undefined) {
    throw new UsageError(
      `A ${kindName} session works on the host; this explains sandboxed sessions. haft sandbox explain contained explains the containment of commands on the host.`,
    );
  }
  const options = await readSessionValues({ ...values, session: kindName });
  const { sessionKey = "", agentId = "main", sandbox } = options.session;
  const session = { ...options.session, sandbox: sandbox ?? {} };
  const host = await createHost(options.host);
  try {
    const { options: settled, caps } = await readEffectiveOptions(options.host, host.catalogue);
    if (settled.sandbox === false)
      throw commandError(
        "SANDBOX_REQUIRED",
        "The configuration has sandbox: false, so there are no sandboxes.",
        {
          fix: "Remove this setting; haft config show prints its file.",
        },
      );
    const merged = mergeSettings(settled.sandbox ?? {}, sandbox as SandboxSettings | undefined);
    const settings = applyCaps(merged, caps);
    const { workspaceDir = ".", stateDir: given } = options.host;
    const owner = { workspaceDir, stateDir: given || defaultStateFolder(), sessionKey, agentId };
    const spec = toSandboxSpec(settings, owner);
    const held = findProtectedPaths(spec, settled.boundary ?? {});
    const chosen = await choose(settings, spec);
    const doors = await doorsOf(spec);
    // As in `haft sandbox list`.
    const name = (await loadSandboxes()).sandboxKey(spec);
    const preview = await host.preview(session);
    const tools = await Promise.all(
      host.catalogue.map(async (tool) => {
        const { verdict, reason } = await preview.explain(tool.name);
        return { name: tool.name, verdict, reason };
      }),
    );
    const { kind } = preview.facts;
    if (values.json)
      console.log(JSON.stringify({ ...chosen, kind, name, spec, held, doors, execHost: "sandbox", tools }));
    else console.log(format(chosen, kind, { ...spec, key: name, protectedPaths: held }, { tools, doors }));
    return chosen.backend === undefined ? 1 : 0;
  } finally {
    await host.close();
  }
}

interface Choice {
  backend?: string;
  why: string;
  probes: SandboxProbe[];
}

/** Opens sandboxes to find a working backend. */
async function choose(settings: SandboxSettings, spec: SandboxSpec): Promise<Choice> {
  const probes: SandboxProbe[] = [];
  for (const name of backendNames(settings)) {
    let probe = await probeBackend(name);
    if (probe.available) probe = { ...probe, ...(await tryToOpen(name, spec)) };
    probes.push(probe);
    if (!probe.available) continue;
    const others = probes.slice(0, -1).map(({ backend, reason }) => `; ${backend} does not: ${reason}`);
    const why =
      settings.backend !== name
        ? `the first that works here${others.join("")}`
        : "requested, and it works here";
    return { backend: name, why, probes };
  }
  return { why: probes.map(({ backend, reason }) => `${backend}: ${reason}`).join(" "), probes };
}

/** Working backends may reject this image, hosts or folders. */
async function tryToOpen(
  name: BuiltInBackend,
  { setup: _notNow, ...spec }: SandboxSpec,
): Promise<Pick<SandboxProbe, "available" | "reason" | "fix">> {
  const backend = await loadSandboxBackend(name);
  try {
    const { openSandbox } = await loadSandboxes();
    const key = `${spec.key}-trial-${process.pid}`;
    // A detached trial would block its name.
    const opened = await openSandbox(backend, { ...spec, key, lifetime: "tethered" });
    await opened.close();
    return { available: true };
  } catch (thrown) {
    const fix = HaftError.is(thrown) ? thrown.fix : undefined;
    return withoutUndefined({ available: false, reason: getErrorMessage(thrown), fix });
  } finally {
    await backend.close?.();
  }
}

function format(
  { backend, why }: Choice,
  kind: string,
  spec: SandboxSpec,
  { tools, doors }: { tools: readonly { name: string; verdict: string }[]; doors: Doors },
): string {
  const { limits, mounts, network, lifetime } = spec;
  const folders = mounts.map(({ hostPath, path, access }) => `${hostPath} as ${path} (${access})`);
  const rows = [
    ["backend", backend === undefined ? `none. ${why}` : `${backend} (${why})`],
    ["name", spec.key],
    [
      "shared by",
      { session: "no other session", agent: "the sessions of this agent", shared: "all sessions here" }[
        spec.scope
      ],
    ],
    [
      "folders",
      folders.join(", ") || "no folders of the host; /workspace is private and deleted with the sandbox",
    ],
    ["protected", describeHeld(spec)],
    ["commands run as", describeUser(spec)],
    [
      "read-only means",
      "the content of files: commands can lock them, and programs of the host that need the locks wait",
    ],
    ["sockets, FIFOs", describeDoors(mounts, doors)],
    ["network", typeof network === "string" ? network : `only ${network.allow.join(", ")}`],
    ["limits", describeLimits(limits)],
    ["variables", Object.keys(spec.env).join(", ") || "no variables of the host"],
    ["image", spec.image],
    ["lifetime", lifetime === "tethered" ? "ends with this process" : describeLifetime(lifetime)],
    ["commands run in", "the sandbox; host=gateway and elevated are refused, and there is no fallback"],
  ].flatMap(([name, text]) => (text === undefined ? [] : [[`  ${name}`, text]]));
  const title =
    backend === undefined
      ? `A ${kind} session could not be opened here.`
      : `A ${kind} session here would work in a sandbox.`;
  const words: Record<string, string> = { runs: "yes", asks: "needs approval" };
  const cells = tools.map(({ name, verdict }) => [`  ${name}`, words[verdict] ?? "–"]);
  return [title, formatTable(rows).join("\n"), `Tools:\n${formatTable(cells).join("\n")}`].join("\n\n");
}

function describeLifetime(lifetime: Exclude<SandboxSpec["lifetime"], string>): string {
  const { idleMs, maxAgeMs } = resolveLifetime(lifetime);
  return `ends ${describeDuration(idleMs)} after its last use, and at most ${describeDuration(maxAgeMs)} after its start`;
}

function describeHeld({ protectedPaths = [] }: SandboxSpec): string | undefined {
  const fixed = protectedPaths.filter(({ access }) => access === "ro").map(({ path }) => path);
  return fixed.length === 0 ? undefined : fixed.join(", ");
}

type Doors = Awaited<ReturnType<typeof doorsOf>>;

async function doorsOf(spec: SandboxSpec) {
  const { masked: covered, folders, unscanned: unlooked, ...rest } = await scanHostSockets(spec);
  return { covered, folders, unlooked, ...rest };
}

function describeDoors(
  mounts: SandboxSpec["mounts"],
  { covered, folders, unlooked, refused }: Doors,
): string | undefined {
  if (refused !== undefined) return refused;
  if (mounts.length === 0) return undefined;
  const works = "sockets and FIFOs of the host work: commands write there, and the network is full";
  if (folders.length === 0) return works;
  const others = mounts.map(({ hostPath }) => hostPath).filter((path) => !folders.includes(path));
  return [
    covered.length === 0
      ? "the host has none to mask now"
      : `masked, by their paths on the host: ${covered.join(", ")}`,
    "while a program listens on a socket that was created later, commands do not start; a FIFO that is created later works",
    ...(others.length === 0 ? [] : [`in ${others.join(", ")} ${works}`]),
    ...unlooked.map((path) => `deep in ${path}, which contains too many files to search, FIFOs work`),
  ].join("; ");
}

function describeUser({ user, workspace, mounts }: SandboxSpec): string {
  if (user !== undefined) return `user ${user.uid} of this machine`;
  const folder = mounts.find(({ name }) => name === "")?.hostPath;
  if (workspace === "none" || folder === undefined) return "no user of this machine";
  const { uid } = statSync(folder);
  if (uid !== 0) return `user ${uid} of this machine, who owns the workspace`;
  return (
    "the user id of root, because root owns the workspace: without capabilities. Of other files of root, they can open only those in " +
    "/usr that the sandbox shows, also files that only root may read. A workspace of an ordinary user is one more barrier"
  );
}

function describeLimits({ memoryMb, tasks, cpus, fileMb, tmpMb }: SandboxSpec["limits"]): string {
  const processors = cpus === 0 ? "all processors" : `${cpus} processors`;
  return `${memoryMb} MiB of memory, ${tasks} processes, ${processors}, files of ${fileMb} MiB, ${tmpMb} MiB in /tmp`;
}
