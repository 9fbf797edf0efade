import { readRegularFile } from "@haft/workspace/internal/regular-file";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** Bytes. */
const LARGEST = 256 * 1024 * 1024;

/** What lockfiles have of a package, each in its own words. */
const READERS: Readonly<Record<string, (text: string, name: string, version: string) => unknown>> = {
  "package-lock.json": npm,
  "npm-shrinkwrap.json": npm,
  "pnpm-lock.yaml": (text, name, version) =>
    after(text, `\n  '?${escape(name)}@${escape(version)}'?:\\n`, /integrity: ([^,}\s]+)/),
  "yarn.lock": yarn,
  "bun.lock": (text, name, version) =>
    after(text, `"${escape(name)}": \\["${escape(name)}@${escape(version)}"`, /"(sha\d+-[^"]+)"\]/),
};

/**
 * The hash that the lockfile has of a package which was fetched: as `sha512-…`, of yarn its own checksum. `undefined` where it
 * has none.
 */
export function lockedIntegrity(folder: string, name: string, version: string): string | undefined {
  for (const [file, read] of Object.entries(READERS)) {
    const path = join(folder, file);
    if (!existsSync(path)) continue;
    const found = read(textOf(path).replaceAll("\r\n", "\n"), name, version);
    if (typeof found === "string" && found !== "") return found;
  }
  return undefined;
}

function textOf(path: string): string {
  return readRegularFile(path, { largest: LARGEST, followLink: true }).toString("utf8");
}

export function integrityOf(archive: string): string {
  return `sha512-${createHash("sha512")
    .update(readRegularFile(archive, { largest: LARGEST, followLink: true }))
    .digest("base64")}`;
}

function npm(text: string, name: string, version: string): unknown {
  try {
    const lock = JSON.parse(text) as {
      packages?: Record<string, { version?: unknown; integrity?: unknown }>;
    } | null;
    const found = lock?.packages?.[`node_modules/${name}`];
    return found?.version === version ? found.integrity : undefined;
  } catch {
    return undefined;
  }
}

function yarn(text: string, name: string, version: string): string | undefined {
  const block = text.split("\n\n").find((each) => {
    const [head = "", ...rest] = each.trimStart().split("\n");
    return (
      head.replaceAll('"', "").startsWith(`${name}@`) &&
      rest.some((line) => line.trim().replace(/[":]/g, "").replace(/\s+/, " ") === `version ${version}`)
    );
  });
  return /^\s+(?:integrity|checksum:) (\S+)$/m.exec(block ?? "")?.[1];
}

function after(text: string, start: string, pattern: RegExp): string | undefined {
  const at = new RegExp(start).exec(`\n${text}`);
  if (at === null) return undefined;
  return pattern.exec(text.slice(at.index, at.index + 2_000))?.[1];
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
