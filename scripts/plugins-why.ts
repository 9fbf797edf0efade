// What `haft plugins why` says to kinds of absence: a home that is thrown away, with a plugin for each, and the real command.
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const home = mkdtempSync(join(tmpdir(), "haft-why-"));
const config = join(home, ".config/haft");
const env = {
  ...process.env,
  HOME: home,
  XDG_CONFIG_HOME: "",
  HAFT_STATE_DIR: join(home, "state"),
  HAFT_CONFIG: "",
  HAFT_POLICY: "",
  HAFT_PROCESS: "",
};

/** A plugin with one tool. */
function plugin(id: string, tool: string, registration = ""): string {
  return `const tool = { name: "${tool}", description: "A tool of ${id}.", parameters: { type: "object", properties: {} }, effects: ["network"], execute: () => ({ content: [], details: {} }) };
export default { id: "${id}", contract: 1, tools: [{ names: ["${tool}"], factory: () => tool, ${registration} }] };
`;
}

const files: Readonly<Record<string, string>> = {
  "haft.config.yaml": `plugins:
  - haft-plugin-gone
  - ./throws.js
  - ./takes.js
  - ./asks.js
  - ./chats.js
  - ./none.js
  - ./denied.js
policy:
  deny: [leak]
`,
  "throws.js": 'throw new Error("no key for the service");\n',
  "takes.js": plugin("takes", "read"),
  "asks.js": plugin("asks", "publish", "optional: true"),
  "chats.js": plugin("chats", "send", 'channels: ["telegram"]'),
  "none.js": plugin("none", "gpu").replace("factory: () => tool", "factory: () => null"),
  "denied.js": plugin("denied", "leak"),
};

const questions: readonly (readonly [string, ...string[]])[] = [
  ["no plugin has it", "forecast"],
  ["its package is missing", "haft-plugin-gone"],
  ["it broke when it was tried", "./throws.js"],
  ["its name is taken", "takes"],
  ["it is optional", "publish"],
  ["a rule denies it", "leak"],
  ["it is for another channel", "send"],
  ["its factory made none", "gpu"],
  ["nothing grants it in this kind of session", "publish", "--session", "group"],
];

mkdirSync(config, { recursive: true, mode: 0o700 });
for (const [name, text] of Object.entries(files)) writeFileSync(join(config, name), text, { mode: 0o600 });
try {
  for (const [kind, ...words] of questions) {
    console.log(`# ${kind}\n$ haft plugins why ${words.join(" ")}`);
    console.log(answer(["plugins", "why", ...words]));
  }
  console.log("# it is not what was pinned\n$ haft plugins why forecast");
  addPacked("haft-plugin-weather", plugin("weather", "forecast"));
  appendFileSync(join(config, "node_modules/haft-plugin-weather/index.js"), "// somebody was here\n");
  console.log(answer(["plugins", "why", "forecast"]));
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** Packed as its author would, and installed as its user would. */
function addPacked(name: string, module: string): void {
  const folder = join(home, name);
  mkdirSync(folder);
  const manifest = { name, version: "1.0.0", type: "module", exports: "./index.js" };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "index.js"), module);
  execFileSync("npm", ["pack", "--silent", folder], { cwd: home, env, stdio: "ignore" });
  answer(["plugins", "add", `./${name}-1.0.0.tgz`]);
}

function answer(args: readonly string[]): string {
  const main = join(root, "packages/haft/src/cli/main.ts");
  const command = [process.execPath, "--conditions=@haft/source", main, ...args];
  try {
    return execFileSync(command[0]!, command.slice(1), {
      cwd: home,
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch (thrown) {
    // Exit code 1 says that it is not there.
    return (thrown as { stdout: string }).stdout;
  }
}
