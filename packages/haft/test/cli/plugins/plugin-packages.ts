import { checkValue } from "@haft/core/internal";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type Finished, haftHere, type Line } from "../../support/haft.ts";
import { toJsonSchema } from "../json/shape.ts";
import { names, shapes } from "../json/shapes.ts";

/** A module with one finished tool, as `definePlugin` makes it, so that the package needs no other. */
export function moduleWith(id: string, tool: string, more = ""): string {
  return `const tool = {
  name: ${JSON.stringify(tool)},
  description: "Says the weather of a place. Made for tests.",
  parameters: { type: "object", properties: { place: { type: "string", description: "Where." } }, required: ["place"] },
  effects: ["network"],
  execute: () => ({ content: [{ type: "text", text: "rain" }], details: {} }),
};
${more}
export default {
  id: ${JSON.stringify(id)},
  contract: 1,
  tools: [
    { names: [tool.name], scope: "host", static: true, factory: () => tool },
    { names: ["${tool}_later"], optional: true, factory: () => ({ ...tool, name: "${tool}_later" }) },
  ],
};
`;
}

export interface PackageFiles {
  name: string;
  version?: string;
  module: string;
  manifest?: object;
}

/** A packed package, as `npm pack` makes it. */
export async function pack(
  folder: string,
  { name, version = "1.0.0", module, manifest = {} }: PackageFiles,
): Promise<string> {
  const inner = join(folder, `${name.replace("/", "-")}-${version}`, "package");
  await mkdir(inner, { recursive: true });
  await writeFile(join(inner, "index.js"), module);
  const text = JSON.stringify({
    name,
    version,
    type: "module",
    exports: "./index.js",
    license: "MIT",
    ...manifest,
  });
  await writeFile(join(inner, "package.json"), text);
  const archive = join(folder, `${name.replace("/", "-")}-${version}.tgz`);
  execFileSync("tar", ["czf", archive, "package"], { cwd: join(inner, "..") });
  return archive;
}

/** A packed package of these files, by their paths in its folder. */
export async function packTree(folder: string, files: Readonly<Record<string, string>>): Promise<string> {
  const inner = join(folder, "tree", "package");
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(inner, path)), { recursive: true });
    await writeFile(join(inner, path), text);
  }
  const archive = join(folder, "tree.tgz");
  execFileSync("tar", ["czf", archive, "package"], { cwd: join(inner, "..") });
  return archive;
}

/** A user with a home of their own, and no registry. */
export interface Home {
  /** Where their configuration is. */
  config: string;
  state: string;
  /** A folder to work in. */
  cwd: string;
  env: Record<string, string>;
  haft(...args: string[]): Promise<Finished>;
}

export async function makeHome(): Promise<Home> {
  const root = await mkdtemp(join(tmpdir(), "haft-plugins-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const [cwd, config, state] = ["work", "config/haft", "state"].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  await mkdir(cwd);
  const env = {
    HOME: root,
    XDG_CONFIG_HOME: join(root, "config"),
    HAFT_STATE_DIR: state,
    HAFT_CONFIG: "",
    HAFT_POLICY: "",
    // These tests may themselves be run by a session of Haft.
    HAFT_PROCESS: "",
    npm_config_user_agent: "",
    npm_config_cache: join(root, "cache"),
    npm_config_registry: `http://127.0.0.1:${await closedPort()}/`,
    npm_config_fetch_retries: "0",
    npm_config_update_notifier: "false",
    npm_config_userconfig: join(root, ".npmrc"),
  };
  return { config, state, cwd, env, haft: (...args) => haftHere(args, { cwd, env }) };
}

/** The one line that a command printed, which has to have the shape that its page says. */
export function readPrintedLine({ lines }: Finished, line: string): Line {
  const all = lines();
  const problems = checkValue(toJsonSchema(shapes[line]!, names), all[0], 5);
  if (all.length !== 1 || problems.length > 0) throw new Error(JSON.stringify({ line, all, problems }));
  return all[0];
}

/** Where nobody listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => void server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => void server.close(resolve));
  return port;
}
