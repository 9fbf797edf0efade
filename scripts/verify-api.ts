// Keeps one report of each public entry point's surface in `etc/`, so that every change of it is seen in review, and
// counts what is in them. `--update` writes the reports; without it a difference fails. Everything has to be built.
import {
  Extractor,
  ExtractorConfig,
  type ExtractorLogLevel,
  type ExtractorMessage,
} from "@microsoft/api-extractor";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSurface, type Surface } from "./lib/api-report.ts";
import { check, expectNone, finish } from "./lib/checks.ts";
import { entryPoints, publicPackages, root, run, type EntryPoint, type Package } from "./lib/workspace.ts";

const update = process.argv.includes("--update");
const reports = join(root, "etc");
const scratch = mkdtempSync(join(tmpdir(), "haft-api-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
mkdirSync(reports, { recursive: true });

/** Names that an entry point exports, at most. */
const MOST_EXPORTS: Readonly<Record<string, number>> = { "@haft/core": 90, "@haft/tools-fs": 35 };

const written = new Set<string>();
/** By package, then by entry point. */
const surfaces = new Map<string, Map<string, Surface>>();
for (const pkg of publicPackages()) {
  for (const entry of entryPoints(pkg).filter(isPublic)) {
    const name = `${entry.specifier.replace("@haft/", "").replaceAll("/", ".")}.api.md`;
    written.add(name);
    await check(`${entry.specifier}: etc/${name}`, () => compare(pkg, entry, name));
    const surface = readSurface(readFileSync(join(scratch, name), "utf8"));
    surfaces.set(
      pkg.name,
      (surfaces.get(pkg.name) ?? new Map<string, Surface>()).set(entry.specifier, surface),
    );
  }
}

for (const entries of surfaces.values()) {
  // What another entry point of the package exports has a name there.
  const named = new Set([...entries.values()].flatMap(({ exports }) => [...exports]));
  for (const [specifier, { exports, forgotten, undocumented }] of entries) {
    // Beside all of core, which has a report, it exports TypeBox, which is bundled and has comments and names of its own.
    if (specifier === "@haft/plugin-sdk") continue;
    const nameless = forgotten.filter((name) => !named.has(name));
    const numbers = `${exports.size} exports, ${nameless.length} forgotten, ${undocumented.length} undocumented`;
    await check(`${specifier}: ${numbers}`, () => {
      const most = MOST_EXPORTS[specifier] ?? Infinity;
      expectNone([
        ...(exports.size > most ? [`more than ${most} exports`] : []),
        ...nameless.map((name) => `is part of the surface, but not exported: ${name}`),
        ...undocumented.map((line) => `has no comment: ${line}`),
      ]);
    });
  }
}

await check("etc/ holds no report of an entry point that is gone", () => {
  const stale = readdirSync(reports).filter((file) => !written.has(file));
  if (update) stale.forEach((file) => rmSync(join(reports, file)));
  else expectNone(stale);
});
await finish();

/** The others are for sibling packages, and may change at any time. */
function isPublic({ specifier }: EntryPoint): boolean {
  return !specifier.includes("/internal");
}

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
      newlineKind: "lf",
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
