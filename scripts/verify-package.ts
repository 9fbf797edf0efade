// Checks a package's tarball, in its folder: files, imports, publint, and type resolution (attw).
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { check, expectNone, finish, need } from "./lib/checks.ts";
import { importedPackages } from "./lib/imported-packages.ts";
import { LONGEST_LINE } from "./lib/line-limit.ts";
import { brokenLinks } from "./lib/markdown.ts";
import { requireTarball } from "./lib/packed.ts";
import { surplusFiles } from "./lib/surplus-files.ts";
import { entryPoints, publicPackages, root, run, tool, type Package } from "./lib/workspace.ts";

const pkg = await need("it is a package that is published", () => {
  const found = publicPackages().find(({ folder }) => join(root, folder) === process.cwd());
  if (found === undefined) throw new Error("Run this in the folder of a package.");
  return found;
});
const { name, manifest } = pkg;
/** A sentence of MIT or BSD. */
const GRANT = /Permission is hereby granted|Redistribution and use/;
const tarball = requireTarball(pkg.folder);
const scratch = mkdtempSync(join(tmpdir(), "haft-package-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
await need("the tarball can be taken apart", () =>
  run("tar", ["-xzf", tarball, "--strip-components=1", "-C", scratch]),
);
const paths = readdirSync(scratch, { recursive: true, withFileTypes: true, encoding: "utf8" })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(scratch, join(entry.parentPath, entry.name)));
const read = (path: string) => readFileSync(join(scratch, path), "utf8");

await check("the tarball holds what it should", () => {
  const needed = ["LICENSE", "README.md", "CHANGELOG.md", ...built(pkg)];
  const missing = needed.filter((path) => !paths.includes(path));
  const data = manifest.files.filter((file) => file.endsWith(".json"));
  const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).map((file) => `src/${file}`);
  expectNone([
    ...missing.map((path) => `missing: ${path}`),
    ...surplusFiles(paths, { data, sources, read }).map((path) => `does not belong: ${path}`),
  ]);
});

await check("links in the documents it carries lead somewhere, and its skills exist", () => {
  const pages = paths.filter((path) => path.endsWith(".md"));
  const skills = manifest.agents?.skills.map(({ path }) => `${path.replace("./", "")}/SKILL.md`) ?? [];
  expectNone([
    ...pages.flatMap((path) => brokenLinks(path, { read, exists: (target) => paths.includes(target) })),
    ...skills.filter((path) => !paths.includes(path)).map((path) => `missing: ${path}`),
  ]);
});

await check("what is built imports only what is installed with it", () => {
  const { dependencies, optionalDependencies, peerDependencies } = manifest;
  const own = [name, ...Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })];
  const foreign = paths.flatMap((path) =>
    /^dist\/.*\.(js|d\.ts)$/.test(path)
      ? importedPackages(read(path))
          .filter((imported) => !own.includes(imported))
          .map((imported) => `${path} imports ${imported}`)
      : [],
  );
  expectNone([...new Set(foreign)]);
});

await check("what is bundled brings its licence", () => {
  const sources = paths.flatMap((path) =>
    /^dist\/.*\.js\.map$/.test(path) ? (JSON.parse(read(path)) as { sources: string[] }).sources : [],
  );
  const bundled = sources.flatMap(
    (source) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? [],
  );
  const code = paths.filter((path) => /^dist\/.*\.js$/.test(path)).map(read);
  expectNone(
    [...new Set(bundled)]
      .filter((each) => !code.some((text) => text.includes(`/*! Contains ${each}.\n`) && GRANT.test(text)))
      .map((each) => `no licence: ${each}`),
  );
});

await check("what is built has lines", () => {
  const long = paths.flatMap((path) => {
    // Often started programs (.cjs) are minified; the same package has readable modules.
    if (!/^dist\/.*\.js$/.test(path)) return [];
    const longest = Math.max(
      ...read(path)
        .split("\n")
        .filter((line) => !/^(?:import|export) \{/.test(line))
        .map(({ length }) => length),
    );
    return longest > LONGEST_LINE ? [`${path} has a line of ${longest} characters`] : [];
  });
  expectNone(long);
});

await check("publint", async () => {
  const found = await publint({
    pack: { tarball: new Uint8Array(readFileSync(tarball)).buffer },
    strict: true,
  });
  expectNone(found.messages.map((message) => formatMessage(message, found.pkg) ?? message.code));
});

await check("types resolve (attw)", () =>
  tool("attw", tarball, "--profile", "esm-only", "--no-color", "--no-emoji"),
);

await finish();

/** Build files that the tarball must contain. */
function built(of: Package): string[] {
  return [...commands(of), ...entryPoints(of).map(({ types }) => types.replace("./", ""))];
}

function commands(of: Package): string[] {
  return Object.values(of.manifest.publishConfig?.bin ?? {}).map((path) => path.replace("./", ""));
}
