import type { ContainedNetwork } from "@haft/sandbox/view";

/** `full` depends on the machine. */
export function describeReach({
  kind,
  hosts = [],
  by,
  reason,
  abstractSockets = [],
}: ContainedNetwork): string {
  if (kind === "none") return "none, except a private loopback";
  if (kind === "hosts") return `only ${hosts.join(", ")}, through a proxy of Haft, and a private loopback`;
  if (by !== "host") return `all of it, through ${by} from a separate network, without the host's loopback`;
  const sockets =
    abstractSockets.length === 0
      ? "no abstract socket"
      : `the abstract sockets ${abstractSockets.join(", ")}`;
  const why = reason === undefined ? "" : ` (${reason})`;
  return `the host's${why}: all of it, services on its loopback, and ${sockets}`;
}
