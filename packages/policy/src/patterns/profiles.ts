import type { ToolEffect, ToolFacts } from "@haft/core";

/** The profiles there are. */
export type ProfileName = "minimal" | "coding" | "messaging" | "full";

/** Which tools a profile leaves, said by what tools do and where they belong, never by name. */
export interface Profile {
  /** In a few words, for schemas and help. */
  readonly description: string;
  /** Tools that do nothing beyond these effects. */
  readonly within?: readonly ToolEffect[];
  /** Tools of these groups. */
  readonly groups?: readonly string[];
  /** Tools that do any of these. */
  readonly does?: readonly ToolEffect[];
}

/** From narrow to wide, except that coding and messaging stand side by side. */
export const profiles: Readonly<Record<ProfileName, Profile>> = {
  minimal: { description: "looks, but changes nothing and reaches nobody", within: ["read"] },
  coding: {
    description: "files, commands and the network, but no messages",
    within: ["read", "write", "execute", "network"],
  },
  messaging: {
    description: "messages and sessions, but neither files nor commands",
    groups: ["messaging", "sessions"],
    does: ["message"],
  },
  full: { description: "everything", within: ["read", "write", "execute", "network", "message"] },
};

export const profileNames = Object.keys(profiles) as readonly ProfileName[];

export function profileCovers(name: ProfileName, tool: ToolFacts): boolean {
  const { within, groups, does } = profiles[name];
  if (within?.length && tool.effects.every((effect) => within.includes(effect))) return true;
  if (groups?.some((group) => tool.groups.includes(group))) return true;
  return does?.some((effect) => tool.effects.includes(effect)) ?? false;
}

/** The narrowest profile that covers `tool` and everything that `current` covers. */
export function widerProfile(
  current: ProfileName,
  tool: ToolFacts,
  catalogue: readonly ToolFacts[],
): ProfileName {
  const kept = catalogue.filter((other) => profileCovers(current, other));
  const fits = (name: ProfileName) => [tool, ...kept].every((each) => profileCovers(name, each));
  return profileNames.find(fits) ?? "full";
}
