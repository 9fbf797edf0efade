export const EFFECT_CHOICES = ["none", "read", "write", "network"] as const;
export type Effect = (typeof EFFECT_CHOICES)[number];

export const PACKAGE_MANAGERS = ["npm", "pnpm", "yarn", "bun"] as const;
export type Manager = (typeof PACKAGE_MANAGERS)[number];

export interface PackageRequest {
  /** Name of the package: `haft-plugin-weather`, `@me/haft-plugin-weather`. */
  name: string;
  description?: string | undefined;
  tool?: string | undefined;
  effects?: string | undefined;
}

export interface PackagePlan {
  name: string;
  /** Id of the plugin, also a group in policies. */
  id: string;
  description: string;
  tool: string;
  effect: Effect;
  year: number;
}

/** Reports an invalid wish and its correction. */
export class PackageRequestError extends Error {}

export class FolderTakenError extends PackageRequestError {}

/** Names of Haft's own tools. A plugin with such a name needs every operator's permission. */
const TAKEN = ["read", "write", "edit", "apply_patch", "ls", "find", "grep", "exec", "process", "bash"];
const PACKAGE = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
const LONGEST_NAME = 214;
const LONGEST_DESCRIPTION = 200;
const TOOL = /^[a-zA-Z][a-zA-Z0-9_-]{0,47}$/;

/** @throws PackageRequestError */
export function createPackagePlan(wishes: PackageRequest, year = new Date().getFullYear()): PackagePlan {
  const name = checkName(wishes.name);
  const id = idOf(name);
  const description = wishes.description?.trim() || `Tools for Haft hosts: ${id}.`;
  if (/\p{Cc}/u.test(description) || description.length > LONGEST_DESCRIPTION)
    throw new PackageRequestError(
      `The description must be one line of at most ${LONGEST_DESCRIPTION} characters.`,
    );
  return {
    name,
    id,
    description,
    tool: checkToolPlan(wishes.tool || toolOf(id)),
    effect: checkEffects(wishes.effects),
    year,
  };
}

export function checkName(name: string): string {
  const wrong = (why: string) =>
    new PackageRequestError(
      `${JSON.stringify(name)} is not a valid package name: ${why}. Use a name such as haft-plugin-weather.`,
    );
  if (name === "") throw wrong("it is empty");
  if (name.length > LONGEST_NAME) throw wrong(`it has more than ${LONGEST_NAME} characters`);
  if (name !== name.toLowerCase()) throw wrong("it has capital letters");
  if (!PACKAGE.test(name)) throw wrong("use a-z, 0-9, - and ., optionally after a scope: @me/name");
  if (["node_modules", "favicon.ico"].includes(name)) throw wrong("npm reserves it");
  if (idOf(name) === "") throw wrong("it has no letters or digits for the id of the plugin");
  return name;
}

/** `@me/haft-plugin-weather.eu` becomes weather-eu. */
function idOf(name: string): string {
  return name
    .replace(/^@[^/]+\//, "")
    .replace(/^haft-plugin-/, "")
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
}

function toolOf(id: string): string {
  const name = id
    .replaceAll("-", "_")
    .replace(/^[^a-z]+/, "")
    .slice(0, 40);
  return name === "" || TAKEN.includes(name) ? `${name || "my"}_tool` : name;
}

export function checkToolPlan(tool: string): string {
  if (!TOOL.test(tool))
    throw new PackageRequestError(
      `${JSON.stringify(tool)} is not a valid tool name. Start with a letter, and use at most 48 of a-z, 0-9, _ and -.`,
    );
  if (TAKEN.includes(tool))
    throw new PackageRequestError(
      `${tool} is a built-in tool of Haft. Choose another name, such as ${tool}_more.`,
    );
  return tool;
}

export function checkEffects(effects = "read"): Effect {
  const effect = EFFECT_CHOICES.find((each) => each === effects.trim());
  if (effect !== undefined) return effect;
  throw new PackageRequestError(
    `--effects must be one of ${EFFECT_CHOICES.join(", ")}. To declare several effects, edit the source of the tool.`,
  );
}
