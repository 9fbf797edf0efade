import type { ToolEffect, ToolFacts } from "@haft/core";

/** The name of a profile. */
export type ProfileName = "minimal" | "coding" | "messaging" | "full";

/** A selection of tools by effects and groups, never by name. */
export interface Profile {
  /** The description in a few words, for schemas and help. */
  readonly description: string;
  /** The profile has the tools whose effects are all among these. */
  readonly within?: readonly ToolEffect[];
  /** The profile has the tools of these groups. */
  readonly groups?: readonly string[];
  /** The profile has the tools that have any of these effects. */
  readonly does?: readonly ToolEffect[];
}

/** The profiles, from narrow to wide. Neither of `coding` and `messaging` contains the other. */
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
