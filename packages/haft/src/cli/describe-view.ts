import { describeContainment, escapeInvisible } from "@haft/core/internal";
import type { SessionContainment } from "../contained/containment.ts";

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
