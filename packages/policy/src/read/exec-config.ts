/** How freely commands run, as one scope of a policy says it. */
export interface ExecRules {
  /**
   * Where this scope does not say otherwise: `careful` is `security: allowlist` and `ask: on-miss`. `contained` is
   * `containment: workspace` and `security: full`; and where nothing contains the commands, what `careful` is.
   */
  preset?: "careful" | "contained";
  /** `full` (default): every command. `allowlist`: `allow` and the safe bins. `deny`: none. All scopes must agree. */
  security?: "deny" | "allowlist" | "full";
  /**
   * What becomes of a command that is not on this scope's list: denied (`off`, the default) or asked about
   * (`on-miss`). `always`: every single command is asked about.
   */
  ask?: "off" | "on-miss" | "always";
  /** Patterns of commands, e.g. `git status*`. A list is a gate whatever `security` other scopes have. */
  allow?: readonly string[];
  /** Programs that only transform their input. Default: `cut`, `uniq`, `head`, `tail`, `tr`, `wc`. */
  safeBins?: readonly string[];
  /** Absolute folders where safe bins may be, beside `/bin` and `/usr/bin`. */
  trustedDirs?: readonly string[];
  /** When a call asks for more than these rules allow. */
  elevated?: ElevatedRules;
  /**
   * `workspace`: commands on the host run in a view of it in which they write in the roots of the session alone.
   * `read-only`: in which they write in a temporary folder of their own alone. `none` (the default): as far as this scope
   * is concerned, on the host as it is. Several scopes: the strictest. Sandboxed sessions have their sandbox instead.
   */
  containment?: "workspace" | "read-only" | "none";
  /**
   * What contained commands reach: nothing, everything, or these hosts (as `host:` conditions have them). `none` where
   * this scope says `containment` and not this. Several scopes: what all of them let through.
   */
  network?: "none" | "full" | readonly string[];
  /**
   * Folders, absolute or `~/…`, that contained commands write in as well: the caches of package managers. Where this
   * scope says `containment` and not this, those of the host. Several scopes: what all of them have.
   */
  caches?: readonly string[];
}

/** Whose calls may do more than the list allows. */
export interface ElevatedRules {
  /** `ask`: possible, and somebody is asked every time. `full`: without asking. `off`: not at all. */
  mode?: "off" | "ask" | "full";
  /**
   * For whom: `id:…`, `phone:…`, `username:…` (each also as `channel/id:…`), `system` for turns the host started, `*`
   * for everybody known by one of the first three. Display names and unknown senders are never elevated.
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
