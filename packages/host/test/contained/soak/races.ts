import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { openContained } from "../escapes/contained-host.ts";
import { openUsersProject } from "../escapes/users-project.ts";
import { SWAPS } from "./swaps.ts";

/** What came of it. */
export interface RaceCount {
  /** Changes that commands made, or tried. */
  races: number;
  /** Commands that ran meanwhile, each with the looks before and after it. */
  commands: number;
  /** Of those, how many were refused, by what was said. */
  refused: Record<string, number>;
  /** What the host did meanwhile: files replaced, git. */
  ofUser: number;
}

const HELD = ".vscode/settings.json";

/**
 * One contained command swaps files, links and folders at everything that Haft mounts, mends, takes back, looks at and moves aside, while
 * others run, the user saves held files, and the user's git works.
 *
 * @throws Error that says what was written or lost outside, or what of the command's ran
 */
export async function raceContained(races: number, seed: number): Promise<RaceCount> {
  const project = openUsersProject(false);
  const { root, folder } = project;
  const out = join(folder, "out");
  fill(out);
  mkdirSync(join(root, ".vscode"));
  writeFileSync(join(root, HELD), "{}\n");
  const outside = () => treeOf(out).join("\n");
  const before = outside();
  const contained = await openContained({ workspaceDir: root });
  const count: RaceCount = { races, commands: 0, refused: {}, ofUser: 0 };
  try {
    const prepared = await contained.run(
      `${project.evil}\ncat >.swaps.py <<'PY'\n${SWAPS}\nPY\nmkdir -p ${out}`,
      {},
    );
    if (prepared.output.includes("Error")) throw new Error(prepared.output);
    const swaps = { over: false };
    const swapping = contained
      .run(`python3 .swaps.py ${races} ${seed} ${out} "$PWD/.evil"`, {})
      .finally(() => (swaps.over = true));
    while (!swaps.over) {
      const { output } = await contained.run(
        `# ${count.commands}\ngit status >/dev/null 2>&1; git config user.email ${count.commands}@example.com`,
        {},
      );
      const code = /"code":"([A-Z_]+)"/.exec(output)?.[1];
      // An error that nobody thought of.
      if (code === "TOOL_FAILED") throw new Error(output);
      if (code !== undefined) {
        const why = /"message":"(.*?)","/.exec(output)?.[1] ?? code;
        count.refused[why] = (count.refused[why] ?? 0) + 1;
      }
      count.commands++;
      writeFileSync(join(folder, "saved"), `{ "saved": ${count.ofUser} }\n`);
      renamed(join(folder, "saved"), join(root, HELD));
      project.git("-c", "user.name=A Person", "config", "user.name", `A Person ${++count.ofUser}`);
      if (outside() !== before) throw new Error(`changed outside:\n${before}\n--\n${outside()}`);
    }
    const { output } = await swapping;
    if (!output.includes(`SWAPPED ${races}`)) throw new Error(`the swaps ended early: ${output}`);
    // Whatever the last left is looked for by now.
    await contained.run(": last", {});
    await contained.run(": really", {});
    if (outside() !== before) throw new Error("changed outside, at the end");
    const found = project.judge();
    if (found !== undefined) throw new Error(`${found}\n${contained.lastOutcome()}`);
    return count;
  } finally {
    await contained.close();
    project.close();
  }
}

/** The command may have taken the folder away. */
function renamed(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (thrown) {
    if (!["ENOENT", "ENOTDIR", "EISDIR"].includes((thrown as NodeJS.ErrnoException).code ?? "")) throw thrown;
  }
}

/** With everything that Haft looks for, so that whoever follows a link there would find it. */
function fill(out: string): void {
  for (const name of [".vscode", ".claude", ".git/hooks", "hooks", "objects", "refs", "logs"])
    mkdirSync(join(out, name), { recursive: true });
  for (const name of [
    ".vscode/settings.json",
    ".vscode/tasks.json",
    ".envrc",
    ".mcp.json",
    "HEAD",
    "config",
    "hooks/pre-commit",
    ".git/config",
    "COMMIT_EDITMSG",
    "settings.json",
  ])
    writeFileSync(join(out, name), `the user's ${name}\n`);
}

function treeOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => {
      const path = join(folder, name);
      const stats = lstatSync(path);
      const holds = stats.isFile()
        ? readFileSync(path, "utf8")
        : stats.isSymbolicLink()
          ? readlinkSync(path)
          : "";
      return `${name} ${stats.mode} ${holds}`;
    });
}
