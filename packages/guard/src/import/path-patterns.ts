import { join } from "node:path";

export const READ_TOOLS = ["read", "ls", "find", "grep"];
export const WRITE_TOOLS = ["write", "edit", "apply_patch"];

export function pathSelectors(tools: readonly string[], paths: readonly string[]): string[] {
  return tools.flatMap((tool) => paths.map((path) => `${tool}(path:${path})`));
}

/**
 * Converts a `.gitignore` pattern: without a slash it matches at any depth, with everything below.
 *
 * @returns `undefined` if the policy cannot express it
 */
export function ignorePaths(pattern: string, home: string): string[] | undefined {
  let text = pattern.trim();
  let isAbsolute = false;
  if (text.startsWith("//")) [text, isAbsolute] = [text.slice(1), true];
  else if (/^~(?:\/|$)/.test(text)) [text, isAbsolute] = [join(home, text.slice(1)), true];
  const below = text.replace(/^\.\//, "");
  const isAnchored = /\/./.test(below);
  const plain = escaped(below.replace(/\/+$/, "").replace(isAbsolute ? /$^/ : /^\/+/, ""));
  if (plain === undefined) return undefined;
  if (plain === "" || plain === "**" || plain === "*") return isAbsolute ? ["/**"] : ["**"];
  const anywhere = isAbsolute || isAnchored || plain.startsWith("**/") ? plain : `**/${plain}`;
  return withBelow(anywhere);
}

/**
 * Here, `*` also matches slashes.
 *
 * @returns `undefined` if the policy cannot express it
 */
export function restrictingPaths(pattern: string, home: string): string[] | undefined {
  let text = pattern.trim().replace(/^\.\//, "");
  if (/^(?:~|\$HOME)(?:\/|$)/.test(text)) text = join(home, text.replace(/^(?:~|\$HOME)/, ""));
  if (text === "*" || text === "**") return ["**", "/**"];
  const plain = escaped(text);
  if (plain === undefined) return undefined;
  const names = plain.split("/");
  const last = names.at(-1)!;
  const before = names.slice(0, -1);
  if (before.some((name) => name.includes("*") && name !== "**")) return undefined;
  const folder = before.join("/");
  const lead = folder === "" ? (plain.startsWith("/") ? "/" : "") : `${folder}/`;
  if (last === "*" || last === "**") return [`${lead}**`];
  if (!last.includes("*")) return withBelow(plain);
  const [head = "", ...rest] = last.split("*");
  if (head === "" && rest.length === 1) return withBelow(`${lead}**/${last}`.replace("**/**/", "**/"));
  return rest.length === 1 && rest[0] === "" ? withBelow(`${lead}${last}`) : undefined;
}

function withBelow(path: string): string[] {
  return path.endsWith("/**") || path === "**" ? [path] : [path, `${path}/**`];
}

/** `undefined` for signs that only the pattern has. */
function escaped(text: string): string | undefined {
  if (/[[\]\\!]|\/\/|(?:^|\/)\.\.?(?:\/|$)/.test(text)) return undefined;
  const names = text.split("/").map((name) => (name === "**" ? name : name.replaceAll(/\*{2,}/g, "*")));
  return names.join("/").replaceAll(/[{}():,$%~"'`]|^\s|\s$/g, String.raw`\$&`);
}
