import type { GitCall } from "@haft/commands";
import type { GitGround } from "./git-ground.ts";
import type { GitRepository } from "./git-repository.ts";
import type { GitSettings } from "./git-settings.ts";

export interface GitUse {
  ground: GitGround;
  call: GitCall;
  folder: string;
  repository: GitRepository | undefined;
  /** The folder of the repository, or else the one it runs in. */
  top: string;
  settings: GitSettings;
  isLate: boolean;
}
