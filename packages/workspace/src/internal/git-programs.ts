export { SETTINGS_OF_OTHER_SYSTEMS } from "../boundary/start-files.ts";
export { findGitPrograms, type GitPrograms, type GitRepository } from "../git-programs/find-git-programs.ts";
export { createGitProgramList, resolveRealPath } from "../git-programs/git-program-list.ts";
