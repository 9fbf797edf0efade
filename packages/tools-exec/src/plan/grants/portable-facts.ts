import type { CommandTemplate } from "@haft/commands";
import type { FileIdentity, Mount } from "@haft/plugin-sdk";
import type { ResolvedPlanFiles } from "../find-programs.ts";
import { contains } from "../paths.ts";
import { programKey } from "./grant-keys.ts";
import { redirectFacts } from "./redirect-facts.ts";

/**
 * Returns the facts that identify this call: content and location of files, without details of one host. An equal call on another host, or
 * with another temporary folder, needs no new approval.
 */
export function portableFacts(
  found: ResolvedPlanFiles,
  { text, commands }: CommandTemplate,
  { mounts, temporary = "" }: { mounts: readonly Mount[]; temporary?: string | undefined },
): Record<string, string> {
  const { cwd, portableEnvironment, programs, interpreters, scripts, sources, guards, redirects } = found;
  const fact = (one: FileIdentity | undefined): string =>
    one === undefined ? "not there" : `${portable(mounts, one.realPath)}\0${one.sha256 ?? one.version}`;
  const facts: Record<string, string> = {
    variables: portableEnvironment,
    folder: portable(mounts, cwd.realPath),
    ...redirectFacts(redirects, (path) => portable(mounts, path)),
  };
  if (text.includes("TMPDIR")) facts["temporary folder"] = temporary;
  const names = (kind: string, name: string): string => `${kind} ${portable(mounts, name)}`;
  for (const [name, one] of programs)
    facts[names("program", name)] = `${one && portable(mounts, one.path)}\0${fact(one)}`;
  for (const [name, chain] of interpreters) {
    const each = chain.map((one) => [
      one.name,
      one.found && portable(mounts, one.found.path),
      fact(one.found),
    ]);
    facts[names("what runs", name)] = JSON.stringify(each);
  }
  for (const [name, one] of scripts) facts[names("script", name)] = fact(one);
  for (const [path, one] of [...sources, ...guards]) facts[names("file", path)] = fact(one);
  const words = commands.flatMap(({ expanded, argv }) => (expanded === true ? [argv] : []));
  if (words.length > 0) facts["words put into the line"] = JSON.stringify(words);
  return facts;
}

/** Works without details of one host. */
export function portableProgramKey(
  path: string,
  cwd: string,
  found: readonly (FileIdentity | undefined)[],
  { shell, mounts }: { shell: string | undefined; mounts: readonly Mount[] },
): string {
  const contents = found.map((one) => one?.sha256 ?? one?.version ?? "");
  return `anywhere ${programKey(portable(mounts, path), portable(mounts, cwd), contents, shell)}`;
}

function portable(mounts: readonly Mount[], path: string): string {
  const holding = mounts.filter((mount) => contains(mount.path, path));
  const [root] = holding.toSorted((one, other) => other.path.length - one.path.length);
  return root === undefined ? path : `${root.name}:${path.slice(root.path.length).replace(/^\/+/, "")}`;
}
