import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { createPlugin, formatFolder } from "./create-plugin.ts";
import {
  checkEffects,
  checkName,
  checkToolPlan,
  EFFECT_CHOICES,
  type Manager,
  PACKAGE_MANAGERS,
  FolderTakenError,
  createPackagePlan,
  PackageRequestError,
  type PackageRequest,
} from "./plan.ts";

const HELP = `npm create haft-plugin [NAME] -- [--dir DIR] [--description TEXT] [--tool NAME] [--effects EFFECTS]

Creates the package of a plugin for Haft hosts: one tool, its tests in main, group and sandboxed sessions, a manifest,
README, CI and releases. It asks for missing values. Without a terminal, or with --yes, it uses the defaults.

NAME                      name of the package, such as @me/haft-plugin-weather. Default: haft-plugin-example

      --dir DIR           new or empty folder. Default: a folder with the name of the package
      --description TEXT  purpose of the package, in one sentence
      --tool NAME         name of the first tool. Default: derived from the name of the package
      --effects EFFECTS   effect of this tool: none, read (default), write or network
      --package-manager   npm, pnpm, yarn or bun. Default: the manager that runs this command
      --no-install        do not install packages
      --no-git            do not create a git repository
      --yes               do not ask
      --help, --version

Exit codes: 0 if the package was created, 1 if not, 2 for wrong usage, 130 after Ctrl-C. If it fails, no files remain.`;

const OPTIONS = {
  dir: { type: "string" },
  description: { type: "string" },
  tool: { type: "string" },
  effects: { type: "string" },
  "package-manager": { type: "string" },
  install: { type: "boolean" },
  git: { type: "boolean" },
  yes: { type: "boolean", short: "y" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const;

const NAMES = Object.entries(OPTIONS).flatMap(([name, { type }]) =>
  type === "boolean" ? [name, `no-${name}`] : [name],
);
const USUAL_NAME = "haft-plugin-example";

/** JSON of package → source to install instead, for unpublished packages. */
const PACKAGES = "HAFT_CREATE_PACKAGES";

/** @returns exit code */
export async function runCreateCommand(args: readonly string[], signal: AbortSignal): Promise<number> {
  let read: ReturnType<typeof readArguments>;
  try {
    read = readArguments(args);
  } catch (thrown) {
    console.error(`create-haft-plugin: ${(thrown as Error).message}\n\n${HELP}`);
    return 2;
  }
  const { values, positionals } = read;
  if (values.help) return say(HELP);
  const version = ownVersion();
  if (values.version) return say(version);
  try {
    const manager = managerOf(values["package-manager"]);
    const said: Partial<PackageRequest> = {
      ...values,
      ...(positionals[0] !== undefined && { name: positionals[0] }),
    };
    const mayAsk = !values.yes && process.stdin.isTTY && process.stdout.isTTY;
    const plan = createPackagePlan(
      mayAsk ? await askFor(said, signal) : { ...said, name: said.name ?? USUAL_NAME },
    );
    const { folder, files, warnings } = await createPlugin(plan, {
      folder: values.dir ?? plan.name.replace(/^@[^/]+\//, ""),
      manager,
      install: values.install ?? true,
      git: values.git ?? true,
      version,
      packages: packagesOf(process.env[PACKAGES]),
      signal,
      report: (line) => console.log(line),
    });
    const shown = formatFolder(folder);
    console.log(`Created ${plan.name} in ${shown}: ${files.length} files.`);
    for (const warning of warnings) console.error(`create-haft-plugin: ${warning}`);
    const go = shown === "." ? "" : `  cd ${shown}\n`;
    const first = values.install === false ? `  ${manager} install\n` : "";
    console.log(`\nNext:\n${go}${first}  ${manager} test\n  ${manager} run check`);
    return 0;
  } catch (thrown) {
    if (signal.aborted) {
      console.error("create-haft-plugin: Stopped. No files were created.");
      return 130;
    }
    if (!(thrown instanceof PackageRequestError)) throw thrown;
    console.error(`create-haft-plugin: ${thrown.message}`);
    return thrown instanceof FolderTakenError ? 1 : 2;
  }
}

function readArguments(args: readonly string[]) {
  const config = { args: [...args], options: OPTIONS, allowPositionals: true, allowNegative: true } as const;
  for (const token of parseArgs({ ...config, strict: false, tokens: true }).tokens) {
    if (token.kind !== "option") continue;
    // The name of a negative option is without `no-`.
    const name = token.rawName.startsWith("--") ? token.rawName.slice(2) : token.name;
    if (!NAMES.includes(name)) throw new Error(`There is no option ${token.rawName}.`);
  }
  const read = parseArgs(config);
  if (read.positionals.length > 1)
    throw new Error(`Give one name instead of ${read.positionals.length}: ${read.positionals.join(" ")}`);
  return read;
}

function managerOf(
  wanted = /^(\w+)\//.exec(process.env["npm_config_user_agent"] ?? "")?.[1] ?? "npm",
): Manager {
  const manager = PACKAGE_MANAGERS.find((each) => each === wanted);
  if (manager !== undefined) return manager;
  throw new PackageRequestError(
    `--package-manager must be one of ${PACKAGE_MANAGERS.join(", ")}; it is ${wanted}.`,
  );
}

function packagesOf(text: string | undefined): Record<string, string> | undefined {
  return text === undefined || text === "" ? undefined : (JSON.parse(text) as Record<string, string>);
}

function ownVersion(): string {
  return (JSON.parse(readFileSync(findPackageJSON(import.meta.url)!, "utf8")) as { version: string }).version;
}

function say(text: string): number {
  console.log(text);
  return 0;
}

/** Asks for missing wishes in turn; repeats a question after an invalid answer. */
async function askFor(wishes: Partial<PackageRequest>, signal: AbortSignal): Promise<PackageRequest> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  terminal.once("SIGINT", () => process.emit("SIGINT"));
  const ask = async (
    question: string,
    usual: string,
    check: (answer: string) => unknown,
  ): Promise<string> => {
    for (;;) {
      const answer = (await terminal.question(`${question} (${usual}): `, { signal })).trim() || usual;
      try {
        check(answer);
        return answer;
      } catch (thrown) {
        if (!(thrown instanceof PackageRequestError)) throw thrown;
        process.stdout.write(`  ${thrown.message}\n`);
      }
    }
  };
  try {
    const name = wishes.name ?? (await ask("Name of the package", USUAL_NAME, checkName));
    const usual = createPackagePlan({ name });
    const description =
      wishes.description ??
      (await ask("Purpose of the package", usual.description, (text) =>
        createPackagePlan({ name, description: text }),
      ));
    const tool = wishes.tool ?? (await ask("Name of the first tool", usual.tool, checkToolPlan));
    const effects =
      wishes.effects ?? (await ask(`Effect of the tool: ${EFFECT_CHOICES.join(", ")}`, "read", checkEffects));
    return { name, description, tool, effects };
  } finally {
    terminal.close();
  }
}
