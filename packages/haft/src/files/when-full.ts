/** What to do where a disk or a quota took no more, whatever else the error says for its kind. */
export function whenFull(thrown: unknown): { fix?: string } {
  const { code } = Object(thrown) as NodeJS.ErrnoException;
  return code === "ENOSPC" || code === "EDQUOT"
    ? { fix: "Make room on the disk and run the command again: what was there is as it was." }
    : {};
}
