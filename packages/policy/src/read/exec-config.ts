/** The rules for commands in one scope of a policy. */
export interface ExecRules {
  /**
   * Defaults for the other keys of this scope. `careful`: `security: allowlist` and `ask: on-miss`. `contained`:
   * `containment: workspace` and `security: full`; if nothing contains the commands, the same as `careful`.
   */
  preset?: "careful" | "contained";
  /**
   * Which commands run. `full` (default): all. `allowlist`: those of `allow`, and the safe bins. `deny`: none. A command
   * has to pass every scope.
   */
  security?: "deny" | "allowlist" | "full";
  /**
   * What happens to a command that is not on this scope's list: it is denied (`off`, the default) or asked about
   * (`on-miss`). `always`: every command is asked about.
   */
  ask?: "off" | "on-miss" | "always";
  /** Patterns of commands, such as `git status*`. A list always applies, whatever `security` other scopes have. */
  allow?: readonly string[];
  /** Programs that only transform their input. Default: `cut`, `uniq`, `head`, `tail`, `tr`, `wc`. */
  safeBins?: readonly string[];
  /** Absolute folders that safe bins may be in, beside `/bin` and `/usr/bin`. */
  trustedDirs?: readonly string[];
  /** Which calls may exceed these rules. */
  elevated?: ElevatedRules;
  /**
   * `workspace`: commands on the host run in a view of it in which they write only in the roots of the session.
   * `read-only`: in which they write only in a private temporary folder. `none` (the default): this scope needs no view.
   * With several scopes the strictest applies. Sandboxed sessions have their sandbox instead.
   */
  containment?: "workspace" | "read-only" | "none";
  /**
   * What contained commands can reach: nothing, everything, or these hosts (as in `host:` conditions). Default `none` if
   * this scope has `containment`. With several scopes, what all of them allow.
   */
  network?: "none" | "full" | readonly string[];
  /**
   * Other folders that contained commands may write in, absolute or `~/…`: the caches of package managers. Default: those
   * of the host if this scope has `containment`. With several scopes, what all of them have.
   */
  caches?: readonly string[];
}

/** Which calls may exceed the exec rules. */
export interface ElevatedRules {
  /** `ask`: they may, and a person decides each time. `full`: they may, without a question. `off`: they may not. */
  mode?: "off" | "ask" | "full";
  /**
   * The senders whose calls may: `id:…`, `phone:…`, `username:…` (each also as `channel/id:…`), `system` for turns that the
   * host started, `*` for everybody who is known by one of the first three. Display names and unknown senders never count.
   */
  senders?: readonly string[];
}

/** A program as `safeBins` names it. */
export const binName = /^[\w.+-]+$/;
export const securities = ["deny", "allowlist", "full"] as const;
export const asks = ["off", "on-miss", "always"] as const;
export const presets = ["careful", "contained"] as const;
export const containments = ["workspace", "read-only", "none"] as const;
export const networks = ["none", "full"] as const;
export const elevatedModes = ["off", "ask", "full"] as const;

/** A scope's rules with its preset filled in. @param uncontained nothing contains commands, though this scope wants it */
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

/** How a scope wants commands contained, once the preset has filled that in; and the key that says so. */
export function readContainment({
  preset,
  containment,
}: ExecRules): { mode: "workspace" | "read-only"; key: "containment" | "preset" } | undefined {
  if (containment !== undefined)
    return containment === "none" ? undefined : { mode: containment, key: "containment" };
  return preset === "contained" ? { mode: "workspace", key: "preset" } : undefined;
}
