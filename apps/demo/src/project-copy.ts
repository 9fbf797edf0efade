import { appendFileSync, readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { projectOf } from "./node/folders.ts";

/** The project as it stands in the repository. Nobody works on it. */
export const fixture = fileURLToPath(new URL("../project", import.meta.url));

/** Stands in the file beside the workspace, and must stand in no result. */
export const SECRET = "A. Nobody,12345";

export interface Message {
  channel: string;
  text: string;
}

/** A temporary folder with the project to work on, and things around it that must stay as they are. */
export interface ProjectCopy {
  /** The temporary folder. */
  readonly root: string;
  /** The copy of the project: the workspace of the sessions. */
  readonly project: string;
  /** A second copy, for the sandboxed session. */
  readonly isolated: string;
  /** The folder of the node, with another copy in it. */
  readonly machine: string;
  /** Where one more is made to a repository, for contained commands. */
  readonly repository: string;
  /** Beside the workspace, not in it. */
  readonly neighbour: string;
  /** Where the kernel puts what it cuts from long results. */
  readonly spool: string;
  /** The file that messages are delivered to. */
  readonly outbox: string;
  /** Delivers a message: one line of a file. */
  deliver(channel: string, text: string): void;
  /** What was delivered, read from the file. */
  delivered(): Message[];
  remove(): Promise<void>;
}

/** @param temporary the folder it is made in */
export async function copyProject(temporary = tmpdir()): Promise<ProjectCopy> {
  const root = await mkdtemp(join(await realpath(temporary), "haft-demo-"));
  const project = join(root, "project");
  const isolated = join(root, "isolated");
  const machine = join(root, "machine");
  const neighbour = join(root, "neighbour");
  const outbox = join(root, "outbox.jsonl");
  const copies = [project, isolated, projectOf(machine)];
  await Promise.all(copies.map((folder) => cp(fixture, folder, { recursive: true })));
  await mkdir(neighbour);
  await writeFile(join(neighbour, "salaries.csv"), `name,salary\n${SECRET}\n`);
  await writeFile(outbox, "");
  return {
    root,
    project,
    isolated,
    machine,
    repository: join(root, "repository"),
    neighbour,
    spool: join(root, "spool"),
    outbox,
    deliver: (channel, text) => appendFileSync(outbox, `${JSON.stringify({ channel, text })}\n`),
    delivered: () =>
      readFileSync(outbox, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Message),
    remove: () => rm(root, { recursive: true, force: true }),
  };
}
