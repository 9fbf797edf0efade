import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fences } from "../markdown.ts";

/** Instructions of `haft serve --print-config`. */
export interface PrintedConfig {
  files: readonly { language: string; path: string; text: string }[];
  add: string;
  check: string;
  remove: string;
  start: readonly string[];
}

export function readPrinted(markdown: string): PrintedConfig {
  const blocks = fences(markdown).map(({ info, text }) => {
    const [language = "", about = ""] = info.split(" ");
    return { language, about, text };
  });
  const typed = (what: string) =>
    blocks
      .filter(({ language, about }) => language === "sh" && about === what)
      .map(({ text }) => text.trim())
      .join("\n");
  return {
    files: blocks.flatMap(({ language, about, text }) =>
      language === "sh" ? [] : [{ language, path: about, text }],
    ),
    add: typed("add"),
    check: typed("check"),
    remove: typed("remove"),
    // Printed words are not quoted.
    start: typed("start").split(" ").slice(1),
  };
}

/** Adds text to home files: at the end, or as members of an object. */
export function addFiles(files: readonly (readonly [path: string, text: string])[], home: string): void {
  for (const [path, text] of files) {
    const file = join(home, path.replace(/^~\//, ""));
    mkdirSync(dirname(file), { recursive: true });
    const before = existsSync(file) ? readFileSync(file, "utf8") : undefined;
    if (path.endsWith(".json")) {
      const merged = mergeInto(JSON.parse(before ?? "{}"), JSON.parse(text));
      writeFileSync(file, JSON.stringify(merged, null, 2));
    } else if (path.endsWith(".toml")) writeFileSync(file, `${before ?? ""}\n${text}`);
    else writeFileSync(file, text);
  }
}

function mergeInto(there: unknown, added: unknown): unknown {
  if (!isObject(there) || !isObject(added)) return added;
  const merged = { ...there };
  for (const [name, value] of Object.entries(added))
    merged[name] = name in there ? mergeInto(there[name], value) : value;
  return merged;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
