// Apart from the other entries: a hook of an agent loads this before a call that writes, and little else of this package.
export { createGitProgramList } from "../git-programs/git-program-list.ts";
export { realPlace } from "../git-programs/real-place.ts";
