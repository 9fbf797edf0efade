import type { SandboxSettings } from "../../sandbox/settings.ts";

/** How commands of an agent run. */
export const COMMANDS = ["contained", "careful", "free"] as const;

/** What a first configuration of a user says. */
export interface OwnAnswers {
  commands: (typeof COMMANDS)[number];
  network: NonNullable<SandboxSettings["network"]>;
  /** Paths are absolute. */
  roots: Readonly<Record<string, { path: string; access: "ro" | "rw" }>>;
}

/** What a first configuration of a workspace says: it only tightens. */
export interface ProjectAnswers {
  commands: "careful" | "free";
  /** Entries of a policy. */
  deny: readonly string[];
  /** Patterns of paths. */
  protect: readonly string[];
}
