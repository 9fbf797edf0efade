import type { GitCall } from "@haft/commands";
import type { GitContext } from "./git-context.ts";
import type { RepositoryPaths } from "./git-repository.ts";
import type { GitSettings } from "./git-settings.ts";

export interface GitUse {
  context: GitContext;
  call: GitCall;
  folder: string;
  repository: RepositoryPaths | undefined;
  /** Without a repository, the working folder. */
  top: string;
  settings: GitSettings;
  isAfterChanges: boolean;
}
