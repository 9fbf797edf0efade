import type { RequestedContainment } from "@haft/policy";

/**
 * Describes whether the commands of a session on the host run in a view of it, and why not.
 *
 * @example
 * ```ts
 * import type { Host } from "@haft/host";
 * declare const host: Host;
 * const { contained, reason, fix } = await host.containment({ kind: "group" });
 * if (!contained && reason !== undefined) console.warn(reason, fix ?? "");
 * ```
 */
export interface SessionContainment {
  /** Names the containment that the policy requests. Absent if no layer requests it or if there is nothing to contain. */
  wanted?: RequestedContainment;
  /** States whether commands are contained as the policy requests. */
  contained: boolean;
  /** Explains in one sentence why commands are not contained. */
  reason?: string;
  /** Tells a person how to get contained commands. */
  fix?: string;
}

const UNWANTED: SessionContainment = {
  contained: false,
  reason: "No layer of the policy wants commands of such a session contained.",
  fix: 'Say `exec: { preset: contained }` in the policy, or `containment: "workspace"`.',
};

/** Checks once per process, by opening a view, whether this machine supports the containment. */
export async function checkContainment(
  wanted: RequestedContainment | undefined,
): Promise<SessionContainment> {
  if (wanted === undefined) return UNWANTED;
  const { probeView } = await import("@haft/sandbox/view");
  const { available, reason = "It is not known why.", fix } = await probeView();
  if (available) return { wanted, contained: true };
  return { wanted, contained: false, reason, ...(fix === undefined ? {} : { fix }) };
}

export function createUncontained(what: string): SessionContainment {
  return {
    contained: false,
    reason: `The session works in ${what}, so its commands are not contained in addition.`,
  };
}
