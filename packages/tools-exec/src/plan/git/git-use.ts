import type { GitCall } from "@haft/commands";
import type { GitGround } from "./git-ground.ts";
import type { RepositoryPlaces } from "./git-repository.ts";
import type { ReadSettings } from "./git-settings.ts";

export interface GitUse {
  ground: GitGround;
  call: GitCall;
  folder: string;
  repository: RepositoryPlaces | undefined;
  /** The folder of the repository, or else the one it runs in. */
  top: string;
  settings: ReadSettings;
  isLate: boolean;
}
