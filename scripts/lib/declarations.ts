import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { importedPackages, importedSpecifiers } from "./imported-packages.ts";
import { removeNodeTypes } from "./remove-node-types.ts";

interface Bundle {
  /** Absolute paths of the entry points' declarations. */
  entries: readonly string[];
  /** The package's absolute folder, with declarations in `dist`. */
  folder: string;
  bundled: readonly string[];
  licences: string;
}

/** Bundles a package's `tsc` declarations: only reachable files, with bundled packages, without Node's types. */
export async function bundleDeclarations({ entries, folder, bundled, licences }: Bundle): Promise<void> {
  const reached = new Set(entries);
  for (const path of reached) {
    for (const specifier of importedSpecifiers(readFileSync(path, "utf8"))) {
      if (specifier.startsWith(".")) reached.add(resolve(dirname(path), declarationOf(specifier)));
    }
  }
  for (const file of readdirSync(join(folder, "dist"), { recursive: true, encoding: "utf8" })) {
    const path = join(folder, "dist", file);
    if (path.endsWith(".d.ts") && !reached.has(path)) rmSync(path);
  }
  for (const path of reached) {
    if (importedPackages(readFileSync(path, "utf8")).some((name) => bundled.includes(name))) {
      await rollUp(path, folder, bundled);
      writeFileSync(path, `${licences}\n${readFileSync(path, "utf8")}`);
    }
    writeFileSync(path, removeNodeTypes(readFileSync(path, "utf8")));
  }
}

function declarationOf(specifier: string): string {
  return specifier.replace(/\.[jt]s$/, ".d.ts");
}

/** @throws the declarations' problems */
async function rollUp(path: string, folder: string, bundledPackages: readonly string[]): Promise<void> {
  // Its own compiler takes seconds to load.
  const { Extractor, ExtractorConfig, ExtractorLogLevel, ExtractorMessageCategory } =
    await import("@microsoft/api-extractor");
  const compilerOptions = {
    target: "es2023",
    lib: ["es2023"],
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    types: [],
  };
  const errors = { default: { logLevel: ExtractorLogLevel.Error } };
  const nothing = { default: { logLevel: ExtractorLogLevel.None } };
  const problems: string[] = [];
  Extractor.invoke(
    ExtractorConfig.prepare({
      configObjectFullPath: join(folder, "api-extractor.json"),
      packageJsonFullPath: join(folder, "package.json"),
      configObject: {
        projectFolder: folder,
        newlineKind: "lf",
        mainEntryPointFilePath: path,
        bundledPackages: [...bundledPackages],
        compiler: { overrideTsconfig: { compilerOptions, files: [path] } },
        apiReport: { enabled: false },
        docModel: { enabled: false },
        dtsRollup: { enabled: true, untrimmedFilePath: path },
        tsdocMetadata: { enabled: false },
        messages: {
          compilerMessageReporting: errors,
          extractorMessageReporting: nothing,
          tsdocMessageReporting: nothing,
        },
      },
    }),
    {
      messageCallback: (message) => {
        const isFinding =
          message.category !== ExtractorMessageCategory.Console &&
          message.logLevel === ExtractorLogLevel.Error;
        if (isFinding) problems.push(message.text);
        message.handled = true;
      },
    },
  );
  if (problems.length > 0) throw new Error(`${path}:\n${problems.join("\n")}`);
}
