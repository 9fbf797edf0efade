import { createDenyList, type DenyList, START_FILES } from "@haft/workspace/internal/boundary";
import { AGENT_FOLDER_NAMES } from "./agent-paths.ts";

const OTHERS: readonly string[] = [
  "/etc/gitconfig",
  "~/.ssh/{config,config.d}",
  "~/.config/gh",
  "~/.{docker/config.json,kube/config,aws/config}",
];
/** Instructions, plans and memories of agents are data. Their settings are protected by other rules. */
const OF_AGENTS = new RegExp(
  `^/(?:${AGENT_FOLDER_NAMES.join("|").replaceAll(".", String.raw`\.`)}|\\.config/(?:opencode|claude|goose|crush|amp))/`,
);

const lists = new Map<string, DenyList>();

/** Returns whether programs that commands start run the file, or what it names. @param path absolute */
export function isUserProgramFile(path: string, home: string): boolean {
  if (path.startsWith(`${home}/`) && OF_AGENTS.test(path.slice(home.length).toLowerCase())) return false;
  let list = lists.get(home);
  if (list === undefined)
    lists.set(home, (list = createDenyList([...START_FILES, ...OTHERS], { root: home, home, roots: [] })));
  return list.denies(path);
}
