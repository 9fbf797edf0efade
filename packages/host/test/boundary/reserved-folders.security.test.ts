import { contentToText, type ToolOutcome } from "@haft/core";
import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { realFolder } from "../../../../test/support/real-folder.ts";
import { getStateFolder, temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { HostOptions } from "../../src/host/host-options.ts";
import { toSandboxSpec } from "../../src/sandbox/sandbox-spec.ts";
import { openHost } from "../support/open-host.ts";

afterEach(() => vi.unstubAllEnvs());

const user = process.getuid?.() ?? "user";

/** A folder in which everything is that hosts keep, by the names they have by default. */
function temporaryFiles(): string {
  const folder = realFolder();
  vi.stubEnv("TMPDIR", folder);
  for (const name of [
    `haft-${user}/0123abcd`,
    `haft-${user}/.compiled`,
    "haft-4711/0123abcd",
    `haft-${user}-sandboxes`,
    `haft-locks-${user}`,
    "haft-spool-aB3dE6",
    "haft-srt-aB3dE6",
    "haft-probe-aB3dE6",
    ".haft-runner-aB3dE6",
    "cache/haft",
    "ordinary",
  ]) {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, "file"), "of others\n");
  }
  vi.stubEnv("XDG_CACHE_HOME", join(folder, "cache"));
  symlinkSync(`haft-${user}`, join(folder, "link"));
  return folder;
}

const textOf = (outcome: ToolOutcome) => ("content" in outcome ? contentToText(outcome.content) : "");

async function sessionIn(options: HostOptions) {
  const host = await openHost({ ...options });
  const session = await host.openSession();
  let count = 0;
  return (name: string, args: object): Promise<ToolOutcome> =>
    session.call({ id: `c-${++count}`, name, arguments: args });
}

describe("reserved folders of hosts", () => {
  test.each([
    `haft-${user}/0123abcd/file`,
    `haft-${user}/.compiled/file`,
    "haft-4711/0123abcd/file",
    `haft-${user}-sandboxes/file`,
    `haft-locks-${user}/file`,
    "haft-spool-aB3dE6/file",
    "haft-srt-aB3dE6/file",
    "haft-probe-aB3dE6/file",
    ".haft-runner-aB3dE6/file",
    "cache/haft/file",
    "link/0123abcd/file",
  ])("%s", async (path) => {
    const folder = temporaryFiles();
    const call = await sessionIn({ workspaceDir: folder, stateDir: false });
    expect(await call("read", { path })).toMatchObject({ kind: "error", code: "PATH_DENIED" });
    expect(await call("write", { path, content: "evil" })).toMatchObject({
      kind: "error",
      code: "PATH_DENIED",
    });
    expect(textOf(await call("grep", { pattern: "of others" }))).not.toContain(path);
    const whole = await sessionIn({
      workspaceDir: join(folder, "ordinary"),
      stateDir: false,
      boundary: { workspaceOnly: false },
    });
    expect(await whole("read", { path: join(folder, path) })).toMatchObject({ code: "PATH_DENIED" });
    expect(await call("read", { path: "ordinary/file" })).toMatchObject({ kind: "ok" });
  });

  test("cannot be mounted", () => {
    const folder = temporaryFiles();
    const owner = { workspaceDir: "", sessionKey: "k", agentId: "main" };
    for (const name of [
      `haft-${user}`,
      "haft-4711/0123abcd",
      "haft-spool-aB3dE6",
      "cache",
      "cache/haft",
      "link",
    ]) {
      const workspaceDir = join(folder, name);
      expect(() => toSandboxSpec({ workspaceAccess: "ro" }, { ...owner, workspaceDir })).toThrow(
        expect.objectContaining({ code: "SANDBOX_MOUNT_REFUSED" }),
      );
    }
    const workspaceDir = join(folder, "ordinary");
    expect(() =>
      toSandboxSpec(
        { workspaceAccess: "ro" },
        { ...owner, workspaceDir, spoolDir: join(workspaceDir, "spool") },
      ),
    ).toThrow("it contains files of Haft");
  });

  test("cannot be mounted if they are inside a folder of credentials", async () => {
    const home = await temporaryFolder();
    const workspaceDir = join(home, ".ssh/project");
    mkdirSync(workspaceDir, { recursive: true });
    expect(() =>
      toSandboxSpec({ workspaceAccess: "rw" }, { workspaceDir, sessionKey: "k", agentId: "main" }),
    ).toThrow("a folder of credentials");
  });

  test("include folders that options name", async () => {
    const cwd = await temporaryFolder();
    for (const name of ["state", "spools/haft-spool-aB3dE6", "runs"]) {
      mkdirSync(join(cwd, name), { recursive: true });
      writeFileSync(join(cwd, name, "file"), "x");
    }
    const call = await sessionIn({
      workspaceDir: cwd,
      stateDir: join(cwd, "state"),
      spoolDir: join(cwd, "spools"),
      processes: { stateFolder: join(cwd, "runs") },
    });
    for (const name of ["state", "spools/haft-spool-aB3dE6", "runs"])
      expect(await call("read", { path: `${name}/file` })).toMatchObject({ code: "PATH_DENIED" });
  });

  test("let only the session that spooled a result read it", async () => {
    const cwd = await temporaryFolder();
    const long = defineTool({
      name: "long",
      description: "Says much.",
      parameters: Type.Object({}),
      effects: [],
      execute: () => ({ content: [text(`secret ${"x".repeat(400_000)} end`)], details: {} }),
    });
    const host = await openHost({
      workspaceDir: cwd,
      stateDir: getStateFolder(cwd),
      spoolDir: cwd,
      plugins: [definePlugin({ id: "p", tools: [long] })],
    });
    const [one, other] = [await host.openSession(), await host.openSession()];
    const shown = textOf(await one.call({ id: "1", name: "long", arguments: {} }));
    const path = /results:result-\d+\.txt/.exec(shown)![0];
    expect(await one.call({ id: "2", name: "read", arguments: { path } })).toMatchObject({ kind: "ok" });
    expect(await other.call({ id: "3", name: "read", arguments: { path } })).toMatchObject({ kind: "error" });
    const found = textOf(await other.call({ id: "4", name: "grep", arguments: { pattern: "secret" } }));
    expect(found).toContain("No match");
  });

  test("include credentials for a server, and folders with them cannot be mounted", async () => {
    const workspaceDir = await temporaryFolder();
    const at = (name: string) => join(workspaceDir, name);
    const names = ["seal.key", "host.creds", "nkey.seed", "tls.key"];
    for (const name of [...names, "ca.pem"]) writeFileSync(at(name), "of the host\n");
    symlinkSync("seal.key", at("link"));
    const nats = {
      servers: "nats://127.0.0.1:1",
      sealKeyFile: at("seal.key"),
      credentialsFile: at("host.creds"),
      nkeyFile: at("nkey.seed"),
      tls: { keyFile: at("tls.key"), caFile: at("ca.pem") },
    };
    const call = await sessionIn({ workspaceDir, stateDir: false, store: { nats } });
    for (const path of [...names, "link"])
      expect([path, await call("read", { path })]).toMatchObject([path, { code: "PATH_DENIED" }]);
    expect(textOf(await call("grep", { pattern: "of the host" }))).toMatch(/ca\.pem/);
    expect(textOf(await call("grep", { pattern: "of the host" }))).not.toMatch(/seal|creds|nkey|tls/);
    const owner = { workspaceDir, sessionKey: "k", agentId: "main" };
    expect(() => toSandboxSpec({ workspaceAccess: "ro" }, { ...owner, keyFiles: [at("seal.key")] })).toThrow(
      expect.objectContaining({ code: "SANDBOX_MOUNT_REFUSED" }),
    );
  });
});
