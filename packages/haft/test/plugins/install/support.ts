import type { AddOptions } from "@haft/plugin-loader/internal/check";
import { PluginRecords } from "@haft/plugin-loader/internal/plugins";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { vi } from "vitest";
import { makeHome } from "../../cli/plugins/plugin-packages.ts";

/** In this process, so that a test can come in between. */
export async function createInstallWorkspace(working: AddOptions["withProgress"] = (_, work) => work()) {
  const { config, state, env, haft } = await makeHome();
  await mkdir(config, { recursive: true, mode: 0o700 });
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const file = join(config, "haft.config.yaml");
  const records = new PluginRecords(state, () => {});
  const options: AddOptions = {
    target: { as: "user", file, kind: "text", folder: config },
    allowScripts: false,
    records,
    withProgress: working,
  };
  return { config, file, options, haft };
}
