import type { SandboxBackend, SandboxSpec } from "@haft/sandbox";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { createHost } from "../../src/host/host.ts";

async function openHost(lifetime: unknown, backend: SandboxBackend) {
  const host = await createHost({
    workspaceDir: await temporaryFolder(),
    stateDir: false,
    sandbox: { backend, lifetime: lifetime as SandboxSpec["lifetime"] },
  });
  onTestFinished(() => host.close());
  return host;
}

/** Records the specification and opens nothing. */
function recordingBackend() {
  const specs: SandboxSpec[] = [];
  const backend: SandboxBackend = {
    id: "recording",
    open: async (spec) => {
      specs.push(spec);
      throw new Error("recorded");
    },
    probe: async () => ({ backend: "recording", available: true, details: {} }),
    list: async () => [],
    destroy: async () => false,
  };
  return { backend, specs };
}

describe("the lifetime of a detached sandbox", () => {
  test.each([{ idleMs: 60_000, maxAgeMs: 600_000 }, { idleMs: 60_000 }, { maxAgeMs: 600_000 }, {}])(
    "reaches the backend through createHost: %j",
    async (lifetime) => {
      const { backend, specs } = recordingBackend();
      const host = await openHost(lifetime, backend);
      await expect(host.openSession({ kind: "sandboxed" })).rejects.toThrow("recorded");
      expect(specs.map((spec) => spec.lifetime)).toEqual([lifetime]);
    },
  );

  test.each([{ idleMs: 0 }, { maxAgeMs: -1 }, { idleMs: "1" }, { idleMs: 1, days: 7 }, "detached"])(
    "is rejected by createHost: %j",
    async (lifetime) => {
      const { backend } = recordingBackend();
      await expect(openHost(lifetime, backend)).rejects.toMatchObject({ code: "INVALID_OPTIONS" });
    },
  );
});
