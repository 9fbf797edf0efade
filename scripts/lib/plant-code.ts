import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** Lists installed files of Haft's packages, relative to the folder. */
export function installedFiles(folder: string): string[] {
  const modules = join(folder, "node_modules");
  return ["haft", "@haft"].flatMap((name) =>
    readdirSync(join(modules, name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(?:js|json)$/.test(entry.name))
      .map((entry) => relative(folder, join(entry.parentPath, entry.name))),
  );
}

export function fingerprint(folder: string, files: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(join(folder, file)));
  return hash.digest("hex");
}

/** File tool calls that would replace each file's code, for lines of `haft run`. */
export function plantingCalls(files: readonly string[]): object[] {
  const patch = (text: string) => ({
    name: "apply_patch",
    arguments: { input: `*** Begin Patch\n${text}\n*** End Patch` },
  });
  return files.flatMap((path) => [
    { name: "write", arguments: { path, content: "evil\n" } },
    { name: "write", arguments: { path: `./node_modules/../${path}`, content: "evil\n" } },
    patch(`*** Delete File: ${path}`),
    patch(`*** Move File: ${path} -> taken/${path}`),
    patch(`*** Move File: planted.js -> ${path}`),
  ]);
}

/** Plants code by commands. */
export const PLANTING_SCRIPT = `
  find node_modules/haft node_modules/@haft -name '*.js' | while read -r file; do
    echo evil > "$file"; rm -f "$file"; cp planted.js "$file"; mv -f planted.js "$file"
  done 2>/dev/null
  mkdir -p node_modules/@haft/node_modules/yaml
  echo evil > node_modules/picomatch.js
  mv node_modules/@haft/core away
  mv node_modules modules && mkdir -p node_modules/@haft/core/dist && echo evil > node_modules/@haft/core/dist/index.js
  rm -rf node_modules
  true`;
