import { HaftError } from "@haft/core";
import type { SandboxBackend, SandboxConnection } from "@haft/sandbox";
import { expect, test } from "vitest";
import { toSandboxSpec } from "../../src/sandbox/sandbox-spec.ts";
import { createAutoBackend } from "../../src/sandbox/sandboxes.ts";

const spec = toSandboxSpec({}, { sessionKey: "a", agentId: "main", workspaceDir: "/" });

function failing(id: string, code: string): SandboxBackend {
  const error = new HaftError(code, `${id} says ${code}.`, { category: "operational", fix: `repair ${id}` });
  return {
    id,
    open: () => Promise.reject(error),
    probe: async () => ({ backend: id, available: false, reason: error.message, fix: "f", details: {} }),
    list: async () => [],
    destroy: async () => false,
  };
}

function working(id: string): SandboxBackend {
  const connection = { ref: { backend: id } } as SandboxConnection;
  return {
    ...failing(id, "NEVER"),
    open: async () => connection,
    probe: async () => ({ backend: id, available: true, details: {} }),
  };
}

test("uses the first available backend", async () => {
  for (const code of ["SANDBOX_UNAVAILABLE", "SANDBOX_UNSUPPORTED"]) {
    const auto = createAutoBackend([failing("one", code), working("two"), working("three")]);
    expect((await auto.open(spec)).ref.backend).toBe("two");
    expect(await auto.probe()).toMatchObject({ backend: "two", available: true });
  }
});

test("reports the failure of an available backend and does not try the next", async () => {
  const auto = createAutoBackend([failing("one", "SANDBOX_SETUP_FAILED"), working("two")]);
  await expect(auto.open(spec)).rejects.toMatchObject({ code: "SANDBOX_SETUP_FAILED" });
});

test("reports the reason of each backend if all are unavailable, and that nothing ran", async () => {
  const auto = createAutoBackend([
    failing("one", "SANDBOX_UNAVAILABLE"),
    failing("two", "SANDBOX_UNAVAILABLE"),
  ]);
  await expect(auto.open(spec)).rejects.toMatchObject({
    code: "SANDBOX_UNAVAILABLE",
    category: "operational",
    receipt: "none",
    message: expect.stringMatching(/one says SANDBOX_UNAVAILABLE.*two says SANDBOX_UNAVAILABLE/),
    fix: expect.stringMatching(/repair one.*repair two.*haft sandbox doctor/),
  });
  expect(await auto.probe()).toMatchObject({ available: false, reason: expect.stringContaining("two says") });
});
