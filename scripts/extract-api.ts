// Extracts each public entry point once: reports (verify-api.ts compares them with `etc/`) and models for the
// site's reference. Build first.
import {
  Extractor,
  ExtractorConfig,
  type ExtractorLogLevel,
  type ExtractorMessage,
} from "@microsoft/api-extractor";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { apiFolder, publicEntryPoints } from "./lib/api-report.ts";
import { check, expectNone, finish } from "./lib/checks.ts";
import { requireBuilt } from "./lib/require-built.ts";
import { root, type EntryPoint, type Package } from "./lib/workspace.ts";

for (const { pkg, entry } of publicEntryPoints())
  requireBuilt(join(root, pkg.folder, entry.types), "npm run build");
rmSync(apiFolder, { recursive: true, force: true });
mkdirSync(apiFolder, { recursive: true });
for (const { pkg, entry, name } of publicEntryPoints())
  await check(entry.specifier, () => extract(pkg, entry, name));
await finish();

function extract(pkg: Package, { types }: EntryPoint, name: string): void {
  const messages: string[] = [];
  Extractor.invoke(configure(join(root, pkg.folder), types, name), {
    localBuild: true,
    messageCallback: (message) => {
      const isFinding = message.category !== "console" && /^(error|warning)$/.test(message.logLevel);
      if (isFinding) messages.push(describe(message));
      message.handled = true;
    },
  });
  expectNone(messages);
}

/** api-extractor's own TypeScript reads the `.ts` specifiers of our declarations. */
function configure(projectFolder: string, types: string, name: string): ExtractorConfig {
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
      newlineKind: "lf",
      mainEntryPointFilePath: join(projectFolder, types),
      compiler: { overrideTsconfig: { compilerOptions, files: [join(projectFolder, types)] } },
      apiReport: {
        enabled: true,
        reportFolder: apiFolder,
        reportTempFolder: join(apiFolder, "temporary"),
        reportFileName: `${name}.api.md`,
      },
      docModel: { enabled: true, apiJsonFilePath: join(apiFolder, `${name}.api.json`) },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: log("error") },
        // The report lists public types without exported names.
        extractorMessageReporting: { default: log("none"), "ae-forgotten-export": log("none", true) },
        tsdocMessageReporting: { default: log("none") },
      },
    },
  });
}

function describe({ text, sourceFilePath, sourceFileLine }: ExtractorMessage): string {
  return sourceFilePath === undefined ? text : `${sourceFilePath}:${sourceFileLine} ${text}`;
}
