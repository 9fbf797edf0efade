import type { Logger } from "@haft/core";
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { getStateFolder, temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { HostOptions } from "../../src/host/host-options.ts";
import { openHost } from "../support/open-host.ts";

/** A folder with a configuration, and beside it a workspace. */
export async function createPluginWorkspace(files: Readonly<Record<string, string>>) {
  const above = realpathSync(await temporaryFolder());
  const folder = join(above, "configuration");
  const cwd = join(above, "workspace");
  for (const each of [folder, cwd]) mkdirSync(each);
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const [path, text] of Object.entries(files)) put(path, text);
  const stateDir = getStateFolder(above);
  return { folder, cwd, put, stateDir };
}

export type PluginWorkspace = Awaited<ReturnType<typeof createPluginWorkspace>>;

/** A host with a configuration that names these plugins, and what it was told. */
export async function openHostWith(at: PluginWorkspace, plugins: readonly unknown[], more: HostOptions = {}) {
  const config = join(at.folder, "haft.config.json");
  writeFileSync(config, JSON.stringify({ plugins }));
  const told: string[] = [];
  const tell = (message: string) => void told.push(message);
  const logger: Logger = { debug() {}, info() {}, warn: tell, error: tell };
  const host = await openHost({
    config,
    workspaceDir: at.cwd,
    stateDir: at.stateDir,
    logger,
    ...more,
  });
  return { host, told };
}

/** Module of a plugin with one finished tool that answers `answer`. */
export function tool(id: string, name: string, { answer = name, before = "", more = "" } = {}): string {
  return `import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
${before}
export default definePlugin({
  id: ${JSON.stringify(id)},
  tools: [
    defineTool({
      name: ${JSON.stringify(name)},
      description: "Answers.",
      parameters: Type.Object({ to: Type.Optional(Type.String()) }),
      effects: ["network"],
      execute: async () => ({ content: [text(${JSON.stringify(answer)})], details: {} }),
      ${more}
    }),
  ],
});
`;
}

/** The first lines of a module that says when it is loaded, and by whom. */
export function recordLoad(file: string): string {
  return `import { appendFileSync } from "node:fs";
appendFileSync(${JSON.stringify(file)}, process.pid + "\\n");`;
}

/** The processes that loaded it, in order. */
export function readLoads(file: string): number[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8").split("\n").filter(Boolean).map(Number);
}

export function installedPackage(name: string, text: string, more: object = {}): Record<string, string> {
  return {
    [`node_modules/${name}/package.json`]: JSON.stringify({
      name,
      version: "1.2.3",
      type: "module",
      exports: "./main.js",
      ...more,
    }),
    [`node_modules/${name}/main.js`]: text,
  };
}
