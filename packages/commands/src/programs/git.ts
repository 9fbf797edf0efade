import { readGitCall } from "../git/git-call.ts";
import { opaque, type LauncherRule } from "./launcher.ts";

/** Settings of git can be programs, and so can addresses. What the repository says is another question. */
export const git: LauncherRule = (name, args) => {
  if (name !== "git") return name.startsWith("git-") ? opaque(`${name} can start other programs`) : undefined;
  const call = readGitCall(args);
  return call !== undefined && "unclear" in call ? opaque(call.unclear) : undefined;
};
