import type { RequestedContainment } from "@haft/policy";

/**
 * Whether the commands of a session on the host run in a view of it, and why not.
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
  /** The containment that the policy asks for. It is absent where no layer asks for it, and where there is nothing to contain. */
  wanted?: RequestedContainment;
  /** Whether commands are contained as the policy asks. */
  contained: boolean;
  /** Why commands are not contained, as a sentence. */
  reason?: string;
  /** What a person can do so that commands are contained. */
  fix?: string;
}

const UNWANTED: SessionContainment = {
  contained: false,
  reason: "No layer of the policy wants commands of such a session contained.",
  fix: 'Say `exec: { preset: contained }` in the policy, or `containment: "workspace"`.',
};

/** Can this machine do what is wanted? Asked once in a process, by opening a view. */
export async function checkContainment(
  wanted: RequestedContainment | undefined,
): Promise<SessionContainment> {
  if (wanted === undefined) return UNWANTED;
  const { probeView } = await import("@haft/sandbox/view");
  const { available, reason = "It is not known why.", fix } = await probeView();
  if (available) return { wanted, contained: true };
  return { wanted, contained: false, reason, ...(fix === undefined ? {} : { fix }) };
}

/** A session that has no host beside it whose view it could have. */
export function createUncontained(what: string): SessionContainment {
  return {
    contained: false,
    reason: `The session works in ${what}, so its commands are not contained beside.`,
  };
}
