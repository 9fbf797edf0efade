import { HaftError, withoutUndefined } from "@haft/core";
import type { SandboxBackend, SandboxConnection, SandboxProbe, SandboxSpec } from "@haft/sandbox";
import { hostError } from "../errors.ts";

/** Said by a backend that cannot open such a sandbox here; another one may. Anything else is a failure of its own. */
const CANNOT = new Set(["SANDBOX_UNAVAILABLE", "SANDBOX_UNSUPPORTED"]);

/**
 * The first of several backends that can: nothing is probed before, it is simply tried. The host is none of them.
 * Whoever made them closes them.
 *
 * Codes of `open`: `SANDBOX_UNAVAILABLE` with the reason of each, and those of the backend that can.
 */
export function createAutoBackend(backends: readonly SandboxBackend[]): SandboxBackend {
  return {
    id: "auto",
    async open(spec, signal) {
      const failures: { backend: string; error: HaftError }[] = [];
      for (const backend of backends) {
        const opened = await tryToOpen(backend, spec, signal);
        if (!HaftError.is(opened)) return opened;
        failures.push({ backend: backend.id, error: opened });
      }
      throw noneOpens(failures);
    },
    async probe(signal): Promise<SandboxProbe> {
      const probes: SandboxProbe[] = [];
      for (const backend of backends) {
        const probe = await backend.probe(signal);
        if (probe.available) return probe;
        probes.push(probe);
      }
      const reason = probes.map(({ backend, reason: why }) => `${backend}: ${why}`).join(" ");
      const fix = probes.map(({ fix: what }) => what).find(Boolean);
      return withoutUndefined({
        backend: "auto",
        available: false,
        reason,
        fix,
        details: {},
      });
    },
    list: async () => (await Promise.all(backends.map((backend) => backend.list()))).flat(),
    destroy: async (ref) => (await backends.find(({ id }) => id === ref.backend)?.destroy(ref)) ?? false,
  };
}

async function tryToOpen(
  backend: SandboxBackend,
  spec: SandboxSpec,
  signal: AbortSignal | undefined,
): Promise<SandboxConnection | HaftError> {
  try {
    return await backend.open(spec, signal);
  } catch (thrown) {
    if (HaftError.is(thrown) && CANNOT.has(thrown.code)) return thrown;
    throw thrown;
  }
}

function noneOpens(failures: readonly { backend: string; error: HaftError }[]): HaftError {
  const reasons = failures.map(({ backend, error }) => `${backend}: ${error.message}`).join(" ");
  const fixes = failures.flatMap(({ backend, error }) =>
    error.fix === undefined ? [] : [`${backend}: ${error.fix}`],
  );
  return hostError("SANDBOX_UNAVAILABLE", `No sandbox can be opened here. ${reasons}`, {
    fix: `${fixes.join(" ")} haft sandbox doctor says more. Nothing was run on the host instead.`.trim(),
    details: { backends: failures.map(({ backend, error }) => ({ backend, code: error.code })) },
  });
}
