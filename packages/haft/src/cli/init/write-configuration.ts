import { configFolder } from "@haft/config/internal/boundary";
import { readUserFile, configSchema } from "@haft/config/internal/document";
import { getDiskFullFix } from "@haft/plugin-loader/internal/plugins";
import { systemReason } from "@haft/system";
import { makeFolder } from "@haft/utils";
import { closeSync, lstatSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandError } from "../../errors.ts";
import { listConfigurationProblems } from "../config/check.ts";
import { UsageError } from "../usage.ts";

export interface ConfigTarget {
  folder: string;
  isProject: boolean;
  /** A relative path for editors. */
  schema: string | undefined;
}

const FILE = "haft.config.yaml";
/** A folder's second configuration is an error or also applies. */
const OTHERS = [FILE, "haft.config.json", "haft.config.ts", "haft.config.js"];
const USER_SCHEMA = "config.schema.json";
const INSTALLED_SCHEMA = "node_modules/haft/config.schema.json";

export function getUserConfigTarget(): ConfigTarget {
  return empty({ folder: configFolder(), isProject: false, schema: `./${USER_SCHEMA}` });
}

export function getProjectConfigTarget(folder: string): ConfigTarget {
  const isInstalled = isThere(join(folder, INSTALLED_SCHEMA));
  return empty({ folder, isProject: true, schema: isInstalled ? `./${INSTALLED_SCHEMA}` : undefined });
}

function empty(target: ConfigTarget): ConfigTarget {
  const there = OTHERS.map((name) => join(target.folder, name)).find(isThere);
  if (there === undefined) return target;
  throw commandError("CONFIG_EXISTS", `${there} exists already, and was not changed.`);
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

export async function writeConfiguration(
  target: ConfigTarget,
  text: string,
  asJson: boolean,
): Promise<number> {
  const { folder, isProject } = target;
  await requireValid(text, isProject);
  const file = join(folder, FILE);
  const schema = isProject ? undefined : join(folder, USER_SCHEMA);
  const made: string[] = [];
  const write = (path: string, content: string, mode: number) => {
    // Another program may have created it.
    const opened = openSync(path, "wx", mode);
    made.push(path);
    try {
      writeFileSync(opened, content);
    } finally {
      closeSync(opened);
    }
  };
  try {
    makeFolder(folder, 0o700);
    if (schema !== undefined && !isThere(schema))
      write(schema, `${JSON.stringify(configSchema(), undefined, 2)}\n`, 0o666);
    write(file, text, isProject ? 0o644 : 0o600);
  } catch (thrown) {
    for (const path of made) rmSync(path, { force: true });
    if ((thrown as NodeJS.ErrnoException).code === "EEXIST") empty(target);
    throw commandError(
      "FILE_UNWRITABLE",
      `${file} cannot be written: ${systemReason(thrown)}.`,
      getDiskFullFix(thrown),
    );
  }
  const next = isProject
    ? ["haft config show", "haft tools"]
    : ["haft config show", "haft tools", `haft explain exec '{"command":"git push"}'`];
  if (asJson) console.log(JSON.stringify({ file, schema, next }));
  else
    console.log(
      [
        `Wrote ${file}${schema === undefined ? "" : `, and ${USER_SCHEMA} next to it for editors`}.`,
        "",
        "Read the file: its comments show other settings. Then check the result:",
        ...next.map((line) => `  ${line}`),
      ].join("\n"),
    );
  warnUnused(target, file);
  return 0;
}

async function requireValid(text: string, isProject: boolean): Promise<void> {
  const trial = mkdtempSync(join(tmpdir(), "haft-init-"));
  try {
    const file = join(trial, FILE);
    writeFileSync(file, text, { mode: 0o600 });
    const [problem] = await listConfigurationProblems(file, isProject);
    if (problem === undefined) return;
    const where = problem.path === "" ? "" : `${problem.path}: `;
    throw new UsageError(`These answers would give an invalid configuration. ${where}${problem.message}`);
  } finally {
    rmSync(trial, { recursive: true, force: true });
  }
}

function warnUnused({ isProject }: ConfigTarget, file: string): void {
  const { HAFT_CONFIG: named = "" } = process.env;
  if (!isProject && named !== "")
    console.error(`haft: HAFT_CONFIG names ${named}, which is read instead of this file.`);
  const read = readUserFile(file);
  if (read !== undefined && "why" in read)
    console.error(`haft: ${file} is not used as it is: it ${read.why}.`);
}
