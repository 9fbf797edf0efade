import type { ToolEffect, ToolFacts } from "@haft/core";

export type ProfileName = "minimal" | "coding" | "messaging" | "full";

/** Selects tools by effects and groups, never by name. */
export interface Profile {
  readonly description: string;
  /** Selects tools whose effects are all in this list. */
  readonly within?: readonly ToolEffect[];
  readonly groups?: readonly string[];
  /** Selects tools with any of these effects. */
  readonly does?: readonly ToolEffect[];
}

/** Contains the profiles, from narrow to wide. `coding` and `messaging` overlap: neither contains the other. */
export const profiles: Readonly<Record<ProfileName, Profile>> = {
  minimal: { description: "tools that only read", within: ["read"] },
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

export function widerProfile(
  current: ProfileName,
  tool: ToolFacts,
  catalogue: readonly ToolFacts[],
): ProfileName {
  const covered = catalogue.filter((other) => profileCovers(current, other));
  const fits = (name: ProfileName) => [tool, ...covered].every((each) => profileCovers(name, each));
  return profileNames.find(fits) ?? "full";
}
