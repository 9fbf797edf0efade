import { fateOf, thisOwner } from "@haft/workspace/internal/system";

/** Names this process to other hosts: where its number means something, the number, and when it started. */
export function hostMark(): string {
  const { space, pid, started } = thisOwner();
  return `${space} ${pid} ${started}`;
}

/**
 * For certain: a host whose process is no more. Of those on other machines, in other containers, or before the last
 * start of the system, nothing is known.
 */
export function hasDied(mark: string): boolean {
  const [space = "", pid, started] = mark.split(" ");
  return fateOf({ space, pid: Number(pid), started: Number(started) }) === "gone";
}
