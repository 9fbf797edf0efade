import { existsSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, run } from "../workspace.ts";

/**
 * Compiles a module that imports published packages and the sources of `@haft/adapters`.
 *
 * @param folder of the installed packages
 */
export async function checkTypes(folder: string, module: string): Promise<void> {
  writeFileSync(join(folder, "check-types.ts"), module);
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    module: "nodenext",
    target: "es2024",
    lib: ["es2024"],
    customConditions: ["@haft/source"],
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
  };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: ["check-types.ts"] }),
  );
  const haft = join(folder, "node_modules/@haft");
  if (!existsSync(haft)) symlinkSync(join(root, "node_modules/@haft"), haft);
  await run(join(root, "node_modules/.bin/tsc"), ["-p", folder], { cwd: folder });
}
