import { type BuiltInBackend, backendNames, BUILT_IN_BACKENDS } from "@haft/config/internal/settings";
import { getErrorMessage } from "@haft/core";
import { loadSandboxBackend } from "@haft/host/internal/sandbox";
import { formatTable } from "@haft/policy";
import type { SandboxProbe } from "@haft/sandbox";
import { addSessionRoot } from "@haft/system";
import { readSandboxValues, type SessionValues } from "../session-arguments.ts";
import { UsageError } from "../usage.ts";

/** Returns 0 if a backend works; with `onlyContained`, if commands can be contained. */
export async function runSandboxDoctor(
  values: SessionValues & { json?: boolean },
  onlyContained: boolean,
): Promise<number> {
  if (onlyContained && values.sandbox !== undefined)
    throw new UsageError("contained checks commands on the host, and --sandbox selects a sandbox; omit one.");
  const names = onlyContained ? [] : selectBackends(values);
  const all = names.length > 1;
  // Refuses programs like a session here.
  addSessionRoot(process.cwd());
  const [contained, host, ...probes] = await Promise.all([
    all || onlyContained ? probeContained() : [],
    all ? probeHost() : [],
    ...names.map(probeBackend),
  ]);
  if (values.json) console.log(JSON.stringify([...probes, ...contained, ...host]));
  else {
    const sections = [...contained.map(formatContained), ...host.map(formatHost)];
    console.log([formatProbes(probes, all), ...sections].filter(Boolean).join("\n\n"));
  }
  return (onlyContained ? contained : probes).some(({ available }) => available) ? 0 : 1;
}

async function probeContained(): Promise<SandboxProbe[]> {
  const { probeContainment: probe } = await import("./probe-containment.ts");
  return [await probe()];
}

async function probeHost(): Promise<SandboxProbe[]> {
  const { probeHostCommands } = await import("./probe-host-commands.ts");
  return [await probeHostCommands()];
}

export function selectBackends(values: SessionValues): readonly BuiltInBackend[] {
  const { backend = "auto" } = readSandboxValues(values) ?? {};
  return backend === "auto" ? BUILT_IN_BACKENDS : BUILT_IN_BACKENDS.filter((name) => name === backend);
}

/** Errors become failed probes. */
export async function probeBackend(name: BuiltInBackend): Promise<SandboxProbe> {
  try {
    const backend = await loadSandboxBackend(name);
    try {
      return await backend.probe();
    } finally {
      await backend.close?.();
    }
  } catch (thrown) {
    return { backend: name, available: false, reason: getErrorMessage(thrown), details: {} };
  }
}

function formatProbes(probes: readonly SandboxProbe[], all: boolean): string {
  const rows = probes.map(({ backend, available, startMs }) => [
    backend,
    available ? "works" : "does not work",
    startMs === undefined ? "" : `${Math.round(startMs)} ms to the first answer`,
  ]);
  const sections = probes.map((probe) => {
    const lines = linesOf(probe);
    return lines.length === 0 ? "" : `${probe.backend}\n${lines.join("\n")}`;
  });
  return [formatTable(rows).join("\n"), ...sections, all ? conclusionOf(probes) : ""]
    .filter(Boolean)
    .join("\n\n");
}

function linesOf({ available, reason, fix, details }: SandboxProbe): string[] {
  return formatTable(
    [
      ["because", available ? undefined : reason],
      ["to have it", available ? undefined : fix],
      ...Object.entries(details),
    ].flatMap(([name, text]) => (text === undefined ? [] : [[`  ${name}`, text]])),
  );
}

function formatContained(probe: SandboxProbe): string {
  const { available, startMs } = probe;
  const time = startMs === undefined ? "" : `: a view opened and was checked from inside in ${startMs} ms`;
  const title = available
    ? `Commands on the host can be contained${time}.`
    : "Commands on the host cannot be contained. If policy wants containment, lists of commands decide, and other commands need approval.";
  return [title, ...linesOf(probe)].join("\n");
}

function formatHost(probe: SandboxProbe): string {
  const title = probe.available
    ? "Commands on the host without containment:"
    : "No command could be tried on the host.";
  return [title, ...linesOf(probe)].join("\n");
}

function conclusionOf(probes: readonly SandboxProbe[]): string {
  const chosen = (names: readonly string[]) =>
    probes.find(({ available, backend }) => available && names.includes(backend))?.backend;
  const usual = chosen(backendNames({}));
  const listed = chosen(backendNames({ network: { allow: [] } }));
  if (usual === undefined && listed === undefined)
    return "No sandbox works here, so sandboxed sessions cannot be opened. They never run on the host instead.";
  return [
    usual === undefined
      ? "Sandboxed sessions can only be opened with a list of hosts as their network, or by naming a backend."
      : `Sandboxed sessions use ${usual} by default.`,
    listed === undefined
      ? "A list of hosts as their network cannot be enforced here."
      : `With a list of hosts as their network they use ${listed}.`,
  ].join("\n");
}
