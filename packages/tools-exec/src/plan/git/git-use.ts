import type { GitCall } from "@haft/commands";
import type { GitGround } from "./git-ground.ts";
import type { GitRepository } from "./git-repository.ts";
import type { GitSettings } from "./git-settings.ts";

/** One git command of a line, and what it would work on. */
export interface GitUse {
  ground: GitGround;
  call: GitCall;
  /** Where it runs; real. */
  folder: string;
  repository: GitRepository | undefined;
  /** The folder of the repository, or else the one it runs in. */
  top: string;
  settings: GitSettings;
  /** An earlier command of the line may have changed files. */
  isLate: boolean;
}
