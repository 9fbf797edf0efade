import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { createHostWorkspace } from "../../src/files/host-workspace.ts";
import { bytes, catchErrorCode } from "../support.ts";
import { repository } from "./support.ts";

it.each([
  ["core.editor", "tools/x"],
  ["sequence.editor", "sh tools/x"],
  ["core.pager", "./tools/x"],
  ["pager.log", "tools/x -R"],
  ["filter.a.process", "tools/x"],
  ["diff.external", "tools/x"],
  ["diff.a.textconv", "python3 tools/x"],
  ["diff.a.command", "'tools/x' --a"],
  ["merge.a.driver", "tools/x %O %A %B"],
  ["interactive.diffFilter", "tools/x"],
  ["credential.helper", "!tools/x"],
  ["core.sshCommand", "ssh -i key; tools/x"],
  ["gpg.program", "tools/x"],
  ["alias.a", "!tools/x"],
  ["submodule.a.update", "!tools/x"],
  ["remote.a.uploadpack", "tools/x"],
  ["uploadpack.packObjectsHook", "tools/x"],
  ["init.templateDir", "tools"],
])("requires consent for a missing file that %s = %s names", async (key, value) => {
  const r = repository();
  const { fs } = createHostWorkspace({ root: r.root, homeDir: r.home });
  const victim = key === "init.templateDir" ? "tools/hooks/pre-commit" : "tools/x";
  await fs.write(victim, bytes("x"));
  await fs.remove(victim);
  r.git("config", key, key === "init.templateDir" ? join(r.root, value) : value);
  expect(await catchErrorCode(fs.write(victim, bytes("x")))).toBe("CONSENT_NEEDED");
  await fs.write("docs/a.md", bytes("x"));
});

it.each(["GIT_EXTERNAL_DIFF", "GIT_PAGER", "EDITOR", "GIT_SSH_COMMAND"])(
  "requires consent for a file that the variable %s names",
  async (name) => {
    const r = repository();
    vi.stubEnv(name, "tools/x");
    onTestFinished(() => void vi.unstubAllEnvs());
    const { fs } = createHostWorkspace({ root: r.root, homeDir: r.home });
    expect(await catchErrorCode(fs.write("tools/x", bytes("x")))).toBe("CONSENT_NEEDED");
  },
);

it.each([
  ["GIT_CONFIG_PARAMETERS", "'user.name'='a b' 'core.fsmonitor'='tools/x'"],
  ["GIT_CONFIG_PARAMETERS", "'core.fsmonitor=tools/x'"],
  ["GIT_CONFIG_VALUE_0", "tools/x"],
])("requires consent for a file that settings in %s name: %s", async (name, value) => {
  const r = repository();
  vi.stubEnv("GIT_CONFIG_COUNT", name === "GIT_CONFIG_VALUE_0" ? "1" : "0");
  vi.stubEnv("GIT_CONFIG_KEY_0", "core.fsmonitor");
  vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { fs } = createHostWorkspace({ root: r.root, homeDir: r.home });
  expect(await catchErrorCode(fs.write("tools/x", bytes("x")))).toBe("CONSENT_NEEDED");
});

it("allows changing files that other settings name", async () => {
  const r = repository();
  for (const [key, value] of [
    ["alias.a", "diff -- src/a.ts"],
    ["url.https://x.example/.insteadOf", "src/a.ts"],
    ["remote.a.url", "src/a.ts"],
    ["branch.a.merge", "src/a.ts"],
    ["format.pretty", "src/a.ts"],
    ["diff.a.wordRegex", "src/a.ts"],
    ["core.fsmonitor", "true"],
    ["core.pager", "less"],
  ] as const)
    r.git("config", key, value);
  const { fs } = createHostWorkspace({ root: r.root, homeDir: r.home });
  for (const path of ["src/a.ts", "true", "less"])
    expect(await fs.write(path, bytes("x"))).toMatchObject({ created: true });
});
