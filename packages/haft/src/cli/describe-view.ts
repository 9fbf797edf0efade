import { describeContainment } from "@haft/core/internal";
import type { SessionContainment } from "@haft/host/internal/contained";
import { escapeInvisible } from "@haft/utils";

const UNCONTAINED = "they run as you, with all your rights";

export function describeView({ wanted, contained, reason, fix }: SessionContainment): string {
  if (wanted === undefined) return `not contained: ${UNCONTAINED}`;
  const source = escapeInvisible(wanted.source);
  if (contained) return `contained: ${escapeInvisible(describeContainment(wanted))} (${source})`;
  return [
    `not contained, though ${source} wants it: ${UNCONTAINED}. So lists of commands decide, and other commands need approval.`,
    escapeInvisible(reason ?? ""),
    fix === undefined ? "" : escapeInvisible(fix),
  ]
    .filter(Boolean)
    .join(" ");
}
