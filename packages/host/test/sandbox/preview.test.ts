import type { SandboxSettings } from "@haft/config";
import type { CallExplanation } from "@haft/core/kernel";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { getStateFolder, temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { HostOptions } from "../../src/host/host-options.ts";
import { createHost } from "../../src/host/host.ts";

async function aHost(workspaceDir: string, options: HostOptions = {}) {
  const host = await createHost({ workspaceDir, stateDir: getStateFolder(workspaceDir), ...options });
  onTestFinished(() => host.close());
  return host;
}

const placeRuleOf = ({ trace }: CallExplanation) => trace.find(({ stage }) => stage === "place")?.rule;

test("a preview uses the sandbox's facts without opening it", async () => {
  // A backend that could not open anything.
  const host = await aHost(await temporaryFolder(), { sandbox: { backend: { id: "none" } as never } });
  const preview = await host.preview({ kind: "sandboxed" });
  expect(preview.facts).toMatchObject({ kind: "sandboxed", sandbox: { mount: "none", network: "none" } });
  expect(placeRuleOf(await preview.explain("read", { path: "a" }))).toBe(
    "acts on the sandbox (mount none, network none)",
  );
  expect(await preview.explain("sandboxed_read", { path: "a" })).toMatchObject({ verdict: "runs" });
  expect((await preview.explain("host_workspace_write", { path: "a", content: "" })).verdict).not.toBe(
    "runs",
  );
});

test("a group with a sandbox becomes a sandboxed session, and a main session stays main", async () => {
  const host = await aHost(await temporaryFolder());
  const facts = async (kind: "main" | "group", sandbox: SandboxSettings) =>
    (await host.preview({ kind, sandbox })).facts;
  expect(await facts("group", { workspaceAccess: "ro" })).toMatchObject({
    kind: "sandboxed",
    sandbox: { mount: "ro", network: "none" },
  });
  expect(await facts("main", { network: { allow: ["example.org"] } })).toMatchObject({
    kind: "main",
    sandbox: { mount: "none", network: "limited" },
  });
});

test("rules on paths and commands apply to paths inside", async () => {
  const workspaceDir = await temporaryFolder();
  await writeFile(join(workspaceDir, "run.sh"), "#!/bin/sh\n");
  const host = await aHost(workspaceDir, {
    sandbox: { workspaceAccess: "rw" },
    policy: { deny: ["read(path:secret/**)"] },
  });
  const preview = await host.preview({ kind: "sandboxed" });
  for (const path of ["secret/a", "/workspace/secret/a", join(workspaceDir, "secret/a")]) {
    const explanation = await preview.explain("read", { path });
    expect(explanation).toMatchObject({ verdict: "denied" });
    expect(explanation.plan?.subjects?.paths?.[0]?.path).toBe("/workspace/secret/a");
  }
  const asking = await aHost(workspaceDir, {
    sandbox: { workspaceAccess: "rw" },
    policy: { deny: ["exec(*/run.sh *)"] },
  });
  const { plan } = await (
    await asking.preview({ kind: "sandboxed" })
  ).explain("exec", { command: "./run.sh now" });
  expect(plan?.subjects?.command).toMatchObject({ cwd: "/workspace" });
});

test("a preview without mounts sees no files of the host", async () => {
  const host = await aHost(await temporaryFolder(), { policy: { deny: ["read(path:secret/**)"] } });
  const preview = await host.preview({ kind: "sandboxed" });
  expect(await preview.explain("read", { path: "secret/a" })).toMatchObject({ verdict: "denied" });
  expect(await preview.explain("read", { path: "a" })).toMatchObject({ verdict: "runs" });
});

test("a host without sandboxes refuses sandboxed sessions and main sessions with a sandbox", async () => {
  const host = await aHost(await temporaryFolder(), { sandbox: false });
  const refused = { code: "SANDBOX_REQUIRED" };
  await expect(host.preview({ kind: "sandboxed" })).rejects.toMatchObject(refused);
  await expect(host.openSession({ kind: "sandboxed" })).rejects.toMatchObject(refused);
  await expect(host.openSession({ kind: "main", sandbox: {} })).rejects.toMatchObject(refused);
});

test("an image is refused for a backend without images", async () => {
  const host = await aHost(await temporaryFolder(), { sandbox: { backend: "bubblewrap", image: "debian" } });
  await expect(host.openSession({ kind: "sandboxed" })).rejects.toMatchObject({
    code: "SANDBOX_UNSUPPORTED",
  });
});

test("a session with both a workspace and a sandbox is refused", async () => {
  const host = await aHost(await temporaryFolder());
  const { workspace } = host;
  await expect(host.openSession({ sandbox: {}, workspace })).rejects.toMatchObject({
    code: "INVALID_OPTIONS",
  });
  await expect(host.openSession({ kind: "sandboxed", workspace })).rejects.toMatchObject({
    code: "SANDBOX_REQUIRED",
  });
});

test.each(["ro", "rw", "none"] as const)(
  "a mount with access %s allows the matching reads and writes",
  async (workspaceAccess) => {
    const workspaceDir = await temporaryFolder();
    await writeFile(join(workspaceDir, "a.txt"), "a");
    const host = await aHost(workspaceDir, { sandbox: { workspaceAccess } });
    const preview = await host.preview({ kind: "sandboxed" });
    const codeOf = async (name: string, args: object) => (await preview.explain(name, args)).code;
    const write = (path: string) => codeOf("write", { path, content: "b" });
    expect(await write("a.txt")).toBe(workspaceAccess === "ro" ? "READ_ONLY" : undefined);
    expect(await write("/workspace/new.txt")).toBe(workspaceAccess === "ro" ? "READ_ONLY" : undefined);
    expect(await codeOf("read", { path: "a.txt" })).toBeUndefined();
    for (const path of ["../x", "/etc/passwd"]) {
      expect(await codeOf("read", { path })).toBe("OUTSIDE_WORKSPACE");
      expect(await write(path)).toBe("OUTSIDE_WORKSPACE");
    }
    expect(await readFile(join(workspaceDir, "a.txt"), "utf8")).toBe("a");
  },
);
