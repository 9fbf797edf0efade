import { describeContainment, escapeInvisible } from "@haft/core/internal";
import type { SessionContainment } from "../contained/containment.ts";
import type { HostSessionOptions } from "../host/host-options.ts";
import type { Host } from "../host/host.ts";

/**
 * One sentence about the view that commands of a session run in, for people. Nothing where policy wants none: then there
 * is nothing to say.
 */
export function describeView({ wanted, contained, reason, fix }: SessionContainment): string | undefined {
  if (wanted === undefined) return undefined;
  const source = escapeInvisible(wanted.source);
  if (contained) return `contained: ${escapeInvisible(describeContainment(wanted))} (${source})`;
  return [
    `not contained, though ${source} wants it, so lists decide and people are asked.`,
    escapeInvisible(reason ?? ""),
    fix === undefined ? "" : escapeInvisible(fix),
  ]
    .filter(Boolean)
    .join(" ");
}

/** Where commands that are to be contained are not, a person hears why before the first of them is asked about. */
export async function tellOfContainment(host: Host, session: HostSessionOptions): Promise<void> {
  const containment = await host.containment(session);
  if (containment.wanted !== undefined && !containment.contained)
    console.error(`haft: commands are ${describeView(containment)}`);
}
