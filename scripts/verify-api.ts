import {
  Extractor,
  ExtractorConfig,
  type ExtractorLogLevel,
  type ExtractorMessage,
} from "@microsoft/api-extractor";
// Keeps one report of each entry point's public surface in `etc/`, so that every change of it is
// seen in review. `--update` writes the reports; without it a difference fails.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check, expectNone, finish, need } from "./lib/checks.ts";
import {
  entryPoints,
  pnpm,
  publicPackages,
  root,
  run,
  type EntryPoint,
  type Package,
} from "./lib/workspace.ts";

const update = process.argv.includes("--update");
const reports = join(root, "etc");
const scratch = mkdtempSync(join(tmpdir(), "haft-api-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
mkdirSync(reports, { recursive: true });

await need("build", () => pnpm("exec", "turbo", "run", "build", "--output-logs=errors-only"));

const written = new Set<string>();
for (const pkg of publicPackages()) {
  for (const entry of entryPoints(pkg)) {
    const name = `${entry.specifier.replace("@haft/", "").replaceAll("/", ".")}.api.md`;
    written.add(name);
    await check(`${entry.specifier}: etc/${name}`, () => compare(pkg, entry, name));
  }
}

await check("etc/ holds no report of an entry point that is gone", () => {
  const stale = readdirSync(reports).filter((file) => !written.has(file));
  if (update) stale.forEach((file) => rmSync(join(reports, file)));
  else expectNone(stale);
});
await finish();

async function compare(pkg: Package, { types }: EntryPoint, reportFileName: string): Promise<void> {
  const projectFolder = join(root, pkg.folder);
  const messages: string[] = [];
  const result = Extractor.invoke(configure(projectFolder, types, reportFileName), {
    localBuild: update,
    messageCallback: (message) => {
      const isFinding = message.category !== "console" && /^(error|warning)$/.test(message.logLevel);
      if (isFinding) messages.push(describe(message));
      message.handled = true;
    },
  });
  expectNone(messages);
  if (update || !result.apiReportChanged) return;
  const [old, now] = [join(reports, reportFileName), join(scratch, reportFileName)];
  const difference = await run("diff", ["-u", existsSync(old) ? old : "/dev/null", now]).catch(
    (error: unknown) => (error as Error).message,
  );
  throw new Error(
    `The public surface changed. If it is meant: npm run verify:api -- --update\n${difference}`,
  );
}

/** api-extractor brings its own TypeScript, which reads the `.ts` specifiers of our declarations. */
function configure(projectFolder: string, types: string, reportFileName: string): ExtractorConfig {
  const log = (logLevel: `${ExtractorLogLevel}`, addToApiReportFile = false) => ({
    logLevel: logLevel as ExtractorLogLevel,
    addToApiReportFile,
  });
  const compilerOptions = {
    target: "es2023",
    lib: ["es2024", "esnext.disposable"],
    module: "nodenext",
    moduleResolution: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    typeRoots: [join(root, "node_modules/@types")],
    types: ["node"],
  };
  return ExtractorConfig.prepare({
    configObjectFullPath: join(projectFolder, "api-extractor.json"),
    packageJsonFullPath: join(projectFolder, "package.json"),
    configObject: {
      projectFolder,
      mainEntryPointFilePath: join(projectFolder, types),
      compiler: { overrideTsconfig: { compilerOptions, files: [join(projectFolder, types)] } },
      apiReport: { enabled: true, reportFolder: reports, reportTempFolder: scratch, reportFileName },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: log("error") },
        // A type that is part of the surface but cannot be named is written into the report, to be seen there.
        extractorMessageReporting: { default: log("none"), "ae-forgotten-export": log("none", true) },
        tsdocMessageReporting: { default: log("none") },
      },
    },
  });
}

function describe({ text, sourceFilePath, sourceFileLine }: ExtractorMessage): string {
  return sourceFilePath === undefined ? text : `${sourceFilePath}:${sourceFileLine} ${text}`;
}
