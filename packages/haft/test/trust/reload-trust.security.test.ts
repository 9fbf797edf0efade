import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createConfiguredWorkspace } from "../../../../test/support/configured-workspace.ts";
import { openHost } from "../../../host/test/support/open-host.ts";
import { haftHere } from "../support/haft.ts";

// Trust is looked at again when a host reads its rules anew.

async function running(name: string, text: string) {
  const workspace = await createConfiguredWorkspace({ [`w/${name}`]: text });
  for (const [variable, value] of Object.entries(workspace.env)) vi.stubEnv(variable, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const host = await openHost({
    workspaceDir: workspace.cwd,
    config: true,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  });
  const group = async (tool: string) =>
    (await host.preview({ kind: "group" })).tools().some((each) => each.name === tool);
  const trust = () => haftHere(["config", "trust", "--yes"], workspace.at);
  return { ...workspace, host, group, trust, file: join(workspace.cwd, name) };
}

const YAML = "policy: { deny: [ls], grant: [write] }\nmodel: { contextTokens: 5000 }\n";
const CODE =
  'export default { policy: { deny: ["ls"], grant: ["write"] }, model: { contextTokens: 5000 } };\n';

test.each([
  ["haft.config.yaml", YAML, [true, false]],
  ["haft.config.js", CODE, [false, false]],
])("adds and removes grants with trust, and keeps denials: %s", async (name, text, before) => {
  const { host, group, trust, file } = await running(name, text);
  expect([!(await group("ls")), await group("write")]).toEqual(before);
  expect(await trust()).toMatchObject({ code: 0, stderr: "" });
  expect(await host.reload()).toMatchObject({ changed: true, later: [{ key: "model", source: file }] });
  expect([await group("ls"), await group("write")]).toEqual([false, true]);
  await writeFile(file, `${text}${name.endsWith("js") ? "//" : "#"} more\n`);
  expect(await host.reload()).toMatchObject({ changed: true });
  expect([await group("ls"), await group("write")]).toEqual([false, false]);
});
