import { HaftError, getErrorMessage } from "@haft/core";
import { withoutUndefined } from "@haft/utils";
import type { SandboxProbe, SandboxSpec } from "../backend.ts";

export function probeSpec(
  limits: Partial<SandboxSpec["limits"]>,
  more: Partial<SandboxSpec> = {},
): SandboxSpec {
  return {
    key: "probe",
    scope: "session",
    workspace: "none",
    mounts: [],
    env: {},
    network: "none",
    limits: { memoryMb: 512, tasks: 128, cpus: 0, fileMb: 16, tmpMb: 16, ...limits },
    lifetime: "tethered",
    ...more,
  };
}

export function unavailableProbe(
  backend: string,
  thrown: unknown,
  details: Readonly<Record<string, string>>,
): SandboxProbe {
  const fix = HaftError.is(thrown) ? thrown.fix : undefined;
  return withoutUndefined({ backend, available: false, reason: getErrorMessage(thrown), fix, details });
}

export function toProbeResult(
  output: string,
  found: Pick<SandboxProbe, "backend" | "details" | "startMs">,
  fix: string,
): SandboxProbe {
  if (output === "held") return { ...found, available: true };
  const reason = `A sandbox starts, but does not isolate: ${output || "its command printed nothing"}.`;
  return { ...found, available: false, reason, fix };
}
