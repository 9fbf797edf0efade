import type { ToolEffect, ToolFacts } from "@haft/core";
import { nearestNames } from "@haft/core";

/** What a selector points at. */
export type Target =
  | { kind: "all" }
  /** A plain word, before the catalogue has told whether it is a tool or a plugin. */
  | { kind: "word"; word: string }
  | { kind: "name"; name: string }
  | { kind: "id"; id: string }
  /** `*` stands for any characters; with a `/` it is compared with the id, else with the name. */
  | { kind: "pattern"; pattern: string }
  | { kind: "group"; group: string }
  | { kind: "plugin"; pluginId: string }
  /** `group:plugins`: everything that did not come with Haft. */
  | { kind: "plugins" }
  | { kind: "effect"; effect: ToolEffect };

/** A parsed selector. Conditions on actions and arguments will stand beside the target. */
export interface Selector {
  /** As written. */
  readonly text: string;
  readonly target: Target;
}

const effects: readonly ToolEffect[] = ["read", "write", "execute", "network", "message"];

/** Parses a selector, or says what is wrong with it. Whether the names exist is the catalogue's to tell. */
export function parseSelector(text: string): Selector | { message: string; nearest?: string[] } {
  if (text === "*") return { text, target: { kind: "all" } };
  const colon = text.indexOf(":");
  if (colon >= 0) return parsePrefixed(text, text.slice(0, colon), text.slice(colon + 1));
  if (!/^[\w*-]+(\/[\w*-]+)?$/.test(text)) {
    const message = `${JSON.stringify(text)} is not a selector; write a tool name, plugin/name, a name with *, group:… or effect:….`;
    const cleaned = text.trim();
    return cleaned !== text && cleaned !== "" ? { message, nearest: [cleaned] } : { message };
  }
  if (text.includes("*")) return { text, target: { kind: "pattern", pattern: text } };
  if (text.includes("/")) return { text, target: { kind: "id", id: text } };
  return { text, target: { kind: "word", word: text } };
}

function parsePrefixed(text: string, prefix: string, rest: string): ReturnType<typeof parseSelector> {
  if (prefix === "group" && /^[\w-]+$/.test(rest)) {
    return { text, target: rest === "plugins" ? { kind: "plugins" } : { kind: "group", group: rest } };
  }
  if (prefix === "effect") {
    const effect = effects.find((known) => known === rest);
    if (effect !== undefined) return { text, target: { kind: "effect", effect } };
    const near = nearestNames(rest, effects).map((known) => `effect:${known}`);
    return { message: `"${rest}" is not an effect; there are ${effects.join(", ")}.`, nearest: near };
  }
  const near = nearestNames(prefix, ["group", "effect"]).map((known) => `${known}:${rest}`);
  return {
    message: `${JSON.stringify(text)} is not a selector; before a colon stands group or effect.`,
    nearest: near.filter((candidate) => candidate !== text),
  };
}

/** Does it name tools one by one (or a plugin, or all plugins), which switches optional ones on? */
export function namesTools({ target }: Selector): boolean {
  return (
    target.kind === "name" || target.kind === "id" || target.kind === "plugin" || target.kind === "plugins"
  );
}

/** Points at the tool by anything but what it does, which allowing and forbidding read differently. */
export function pointsAt(target: Exclude<Target, { kind: "effect" }>, tool: ToolFacts): boolean {
  switch (target.kind) {
    case "all":
      return true;
    case "name":
      return target.name === tool.name;
    case "id":
      return target.id === tool.id;
    case "pattern":
      return matchesGlob(target.pattern, target.pattern.includes("/") ? tool.id : tool.name);
    case "group":
      return tool.groups.includes(target.group);
    case "plugin":
      return target.pluginId === tool.pluginId;
    case "plugins":
      return !tool.builtIn;
    case "word":
      return false;
  }
}

/** Knows `*` only. Never looks back past the last star, so no pattern makes it slow. */
function matchesGlob(pattern: string, text: string): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  let position = 0;
  while (position < text.length) {
    if (pattern[at] === "*") {
      star = at++;
      resume = position;
    } else if (pattern[at] === text[position]) {
      at++;
      position++;
    } else if (star >= 0) {
      at = star + 1;
      position = ++resume;
    } else return false;
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
}
