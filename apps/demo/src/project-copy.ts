import { appendFileSync, readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The project as it stands in the repository. Nobody works on it. */
export const fixture = fileURLToPath(new URL("../project", import.meta.url));

/** Stands in the file beside the workspace, and must stand in no result. */
export const SECRET = "A. Nobody,12345";

export type ProjectCopy = Awaited<ReturnType<typeof copyProject>>;

/**
 * A temporary folder with the project to work on, and things around it that must stay as they are.
 *
 * @param temporary the folder it is made in
 */
export async function copyProject(temporary = tmpdir()) {
  const root = await mkdtemp(join(await realpath(temporary), "haft-demo-"));
  const outbox = join(root, "outbox.jsonl");
  const copy = {
    root,
    /** The workspace of the sessions. */
    project: join(root, "project"),
    /** A second copy, for the sandboxed session. */
    isolated: join(root, "isolated"),
    /** The folder of the node, with another copy in it. */
    onNode: join(root, "machine", "project"),
    /** What the bell of the node writes into: a line each time it rings. */
    bell: join(root, "machine", "bell.log"),
    /** Where one more is made to a repository, for contained commands. */
    repository: join(root, "repository"),
    /** Beside the workspace, not in it. */
    neighbour: join(root, "neighbour"),
    /** Delivers a message: one line of a file. */
    deliver: (channel: string, text: string) =>
      appendFileSync(outbox, `${JSON.stringify({ channel, text })}\n`),
    /** How many messages were delivered, read from the file. */
    delivered: () => readFileSync(outbox, "utf8").split("\n").length - 1,
    remove: () => rm(root, { recursive: true, force: true }),
  };
  const copies = [copy.project, copy.isolated, copy.onNode];
  await Promise.all(copies.map((folder) => cp(fixture, folder, { recursive: true })));
  await mkdir(copy.neighbour);
  await writeFile(join(copy.neighbour, "salaries.csv"), `name,salary\n${SECRET}\n`);
  await writeFile(outbox, "");
  return copy;
}
