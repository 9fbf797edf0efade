import type { SandboxBackend, SandboxProbe } from "../backend.ts";
export async function probeBubblewrap(backend: SandboxBackend, _o: { bwrap: string | undefined; filter: boolean }, _signal?: AbortSignal): Promise<SandboxProbe> {
  return { backend: backend.id, available: true, details: {} };
}
