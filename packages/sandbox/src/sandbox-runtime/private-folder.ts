import { chmodSync, chownSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeTemporaryFolder } from "../temporary-folder.ts";

/** Commands may only write in `home` and `workspace`. */
export interface RuntimeFolder {
  path: string;
  home: string;
  workspace: string;
  keeper: string;
  programs: string;
  start: string;
  seccomp?: string;
}

export function makeRuntimeFolder(
  start: (folder: RuntimeFolder) => string,
  options: { node: string; owner: { uid: number; gid: number } | undefined; seccomp: string | undefined },
): RuntimeFolder {
  const { node, owner, seccomp } = options;
  const path = makeTemporaryFolder("haft-srt-");
  const setOwner = (one: string): string => {
    if (owner !== undefined) chownSync(one, owner.uid, owner.gid);
    return one;
  };
  const folder = (name: string): string => {
    mkdirSync(join(path, name), { mode: 0o700 });
    return setOwner(join(path, name));
  };
  setOwner(path);
  const made: RuntimeFolder = {
    path,
    home: folder("home"),
    workspace: folder("workspace"),
    keeper: folder("keeper"),
    programs: folder("programs"),
    start: join(path, "start"),
    ...(seccomp === undefined ? {} : { seccomp: join(path, "apply-seccomp") }),
  };
  symlinkSync(node, join(made.programs, "node"));
  if (seccomp !== undefined) {
    copyFileSync(seccomp, made.seccomp!);
    chmodSync(made.seccomp!, 0o555);
  }
  writeFileSync(made.start, start(made), { mode: 0o400 });
  setOwner(made.start);
  return made;
}
