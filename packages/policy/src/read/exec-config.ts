/** Lists the rules for commands in one scope of a policy. */
export interface ExecRules {
  /**
   * Sets defaults for the other keys of this scope. `careful`: `security: allowlist` and `ask: on-miss`. `contained`: `containment:
   * workspace` and `security: full`; if nothing contains the commands, the same as `careful`.
   */
  preset?: "careful" | "contained";
  /**
   * Selects the commands that run. `full` (default): all. `allowlist`: commands in `allow`, and safe bins. `deny`: no commands. A command
   * has to pass every scope.
   */
  security?: "deny" | "allowlist" | "full";
  /**
   * Decides about commands that are not on this scope's list: denied (`off`, the default) or approval (`on-miss`). `always`: every command
   * needs approval.
   */
  ask?: "off" | "on-miss" | "always";
  /** Lists patterns of commands, such as `git status*`. A list always applies, regardless of `security` in other scopes. */
  allow?: readonly string[];
  /** Lists programs that only transform their input. Default: `cut`, `uniq`, `head`, `tail`, `tr`, `wc`. */
  safeBins?: readonly string[];
  /** Lists absolute folders for safe bins, in addition to `/bin` and `/usr/bin`. */
  trustedDirs?: readonly string[];
  /** Selects calls that may exceed these rules. */
  elevated?: ElevatedRules;
  /**
   * Selects where commands on the host can write. `workspace`: only in the roots of the session. `read-only`: only in a private temporary
   * folder. `none` (the default): this scope needs no view. With several scopes the strictest applies. Sandboxed sessions use their sandbox
   * instead.
   */
  containment?: "workspace" | "read-only" | "none";
  /**
   * Limits the network of contained commands: nothing, everything, or these hosts (as in `host:` conditions). Default `none` if this scope
   * has `containment`. Several scopes: the hosts that all of them allow.
   */
  network?: "none" | "full" | readonly string[];
  /**
   * Lists additional folders in which contained commands can write, absolute or `~/…`: caches of package managers. Default: the folders of
   * the host if this scope has `containment`. Several scopes: the folders that all of them have.
   */
  caches?: readonly string[];
}

/** Selects calls that may exceed the exec rules. */
export interface ElevatedRules {
  /** Decides about elevated calls. `ask`: each needs approval. `full`: they run without approval. `off`: they are denied. */
  mode?: "off" | "ask" | "full";
  /**
   * Lists the permitted senders: `id:…`, `phone:…`, `username:…` (each also as `channel/id:…`), `system` for turns that the host started,
   * `*` for all senders known by id, phone or username. Display names and unknown senders never count.
   */
  senders?: readonly string[];
}

export const binName = /^[\w.+-]+$/;
export const securities = ["deny", "allowlist", "full"] as const;
export const asks = ["off", "on-miss", "always"] as const;
export const presets = ["careful", "contained"] as const;
export const containments = ["workspace", "read-only", "none"] as const;
export const networks = ["none", "full"] as const;
export const elevatedModes = ["off", "ask", "full"] as const;

/** @param uncontained this scope requires containment, but nothing contains the commands */
export function resolveExecConfig(
  { preset, security, ask, allow }: ExecRules,
  uncontained: boolean,
): {
  security: ExecRules["security"];
  ask: NonNullable<ExecRules["ask"]>;
} {
  const gated = uncontained || allow !== undefined || security === "allowlist";
  const careful = preset === "careful" || (preset === "contained" && gated);
  const listed = careful || allow !== undefined;
  return {
    security: security ?? (listed ? "allowlist" : undefined),
    ask: ask ?? (careful && security !== "full" ? "on-miss" : "off"),
  };
}

/** Returns the containment that a scope requires, after the preset, and the key that requires it. */
export function readContainment({
  preset,
  containment,
}: ExecRules): { mode: "workspace" | "read-only"; key: "containment" | "preset" } | undefined {
  if (containment !== undefined)
    return containment === "none" ? undefined : { mode: containment, key: "containment" };
  return preset === "contained" ? { mode: "workspace", key: "preset" } : undefined;
}
