import { type ProcessIdentity, thisProcess } from "@haft/workspace/internal/system";

const NAME = /^address-(\d+)(?:-(\d+))?-\d+$/;

export function addressFile(port: number): string {
  const { pid, started } = thisProcess();
  return `address-${pid}-${started}-${port}`;
}

/** Whose such a file is; nothing where it is none. */
export function addressOwner(name: string): ProcessIdentity | undefined {
  const [, pid, started = 0] = NAME.exec(name) ?? [];
  return pid === undefined ? undefined : { pid: Number(pid), started: Number(started) };
}
