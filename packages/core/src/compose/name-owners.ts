import type { Entry } from "./make-tools.ts";

/** Whether there is a channel on which both are. */
export function meet(
  { registration: { channels: one } }: Entry,
  { registration: { channels: other } }: Entry,
): boolean {
  return one === undefined || other === undefined || one.some((channel) => other.includes(channel));
}

/** Who has each short name: the first to claim it, unless a later plugin replaces it on purpose. */
export function ownersOf(entries: readonly Entry[]): Map<string, Entry> {
  const owners = new Map<string, Entry>();
  for (const entry of entries) {
    for (const name of entry.names) {
      if (!owners.has(name) || takesOver(entry, owners.get(name)!, name)) owners.set(name, entry);
    }
  }
  return owners;
}

function takesOver({ plugin, replaces }: Entry, owner: Entry, name: string): boolean {
  return plugin !== owner.plugin && replaces.includes(name);
}
