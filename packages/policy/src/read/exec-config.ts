/** How freely commands run, as one scope of a policy says it. */
export interface ExecRules {
  /** `careful`: `security: allowlist` and `ask: on-miss` where this scope does not say otherwise. */
  preset?: "careful";
  /**
   * `full` (the default): every command. `allowlist`: those of `allow` and the safe bins. `deny`: none.
   * Several scopes: each has to let a command pass.
   */
  security?: "deny" | "allowlist" | "full";
  /**
   * What becomes of a command that is not on this scope's list: denied (`off`, the default) or asked about
   * (`on-miss`). `always`: every single command is asked about.
   */
  ask?: "off" | "on-miss" | "always";
  /** Patterns of commands, e.g. `git status*`. A list is a gate whatever `security` other scopes have. */
  allow?: readonly string[];
  /**
   * Programs that only transform their input, with arguments that do just that. By default
   * `cut`, `uniq`, `head`, `tail`, `tr` and `wc`.
   */
  safeBins?: readonly string[];
  /** Absolute folders where safe bins may be, beside `/bin` and `/usr/bin`. */
  trustedDirs?: readonly string[];
  /** When a call asks for more than these rules allow. */
  elevated?: ElevatedRules;
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
export const elevatedModes = ["off", "ask", "full"] as const;

/** What holds of a scope's rules once the preset has filled in what they leave open. */
export function settled({ preset, security, ask, allow }: ExecRules): {
  security: ExecRules["security"];
  ask: NonNullable<ExecRules["ask"]>;
} {
  const careful = preset === "careful";
  const listed = careful || allow !== undefined;
  return {
    security: security ?? (listed ? "allowlist" : undefined),
    ask: ask ?? (careful ? "on-miss" : "off"),
  };
}
