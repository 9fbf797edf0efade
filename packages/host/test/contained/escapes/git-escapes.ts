import {
  GIT_ATTACKS,
  LINK_ATTACKS,
  SHARED_GIT_ATTACKS,
} from "../../../../sandbox/test/view/artifacts/git-attacks.ts";
import { openContained } from "./contained-host.ts";
import { openUsersProject } from "./users-project.ts";

/** What came of trying a door, for the table. */
export interface HostEscapeResult {
  title: string;
  verdict: "blocked" | "escaped";
  detail: string;
}

const asPrograms = (doors: Readonly<Record<string, string>>, shared: boolean) =>
  Object.entries(doors).map(([name, attack]) => ({
    title: `have the user's git start a program: ${name}`,
    attack,
    shared,
  }));

/** Each is a contained command, after which the user works with git on the host. */
export const gitEscapes: readonly { title: string; attack: string; shared: boolean }[] = [
  ...asPrograms(GIT_ATTACKS, false),
  ...asPrograms(SHARED_GIT_ATTACKS, true),
  ...LINK_ATTACKS.map((attack) => ({
    title: `have the user's git write elsewhere: ${/\.git\/\S+$/.exec(attack)![0]} leads there`,
    attack,
    shared: false,
  })),
];

/** Twice, as the second finds what the first left. */
export async function tryGitEscape({
  title,
  attack,
  shared,
}: (typeof gitEscapes)[number]): Promise<HostEscapeResult> {
  const project = openUsersProject(shared);
  const contained = await openContained({ workspaceDir: project.root });
  try {
    for (const time of ["once", "again"]) {
      const command = attack.replaceAll("EVIL", "$EVIL").replaceAll("THEIRS", project.theirs);
      await contained.run(`# ${time}\n${project.evil}\n{ ${command}; } 2>&1; true`, {});
      // What it left is looked for after its answer, and before the next command.
      await contained.run(`: ${time}`, {});
      const found = project.judge();
      if (found !== undefined) return { title, verdict: "escaped", detail: `${found}, ${time}` };
    }
    return { title, verdict: "blocked", detail: "nothing of it ran on the host, or wrote there" };
  } finally {
    await contained.close();
    project.close();
  }
}
