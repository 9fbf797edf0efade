import type { ContainedNetwork } from "@haft/sandbox/view";

/** In words; what is reached by `full` differs from machine to machine. */
export function describeReach({
  kind,
  hosts = [],
  by,
  reason,
  abstractSockets = [],
}: ContainedNetwork): string {
  if (kind === "none") return "none but a loopback of its own";
  if (kind === "hosts") return `only ${hosts.join(", ")}, by a proxy of Haft's; and a loopback of its own`;
  if (by !== "host")
    return `all of it, by ${by} out of a network of its own, which the host's loopback is not in`;
  const sockets = abstractSockets.length === 0 ? "no abstract socket" : abstractSockets.join(", ");
  const why = reason === undefined ? "" : ` (${reason})`;
  return `the host's${why}: all of it, what listens on its loopback, and of sockets without a file ${sockets}`;
}
