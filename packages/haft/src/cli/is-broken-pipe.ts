const GONE = new Set(["EPIPE", "EIO", "ECONNRESET"]);

/** Matches errors of a reader that closed the output first (`| head`). */
export function isBrokenPipe(thrown: unknown): boolean {
  return GONE.has((thrown as NodeJS.ErrnoException | undefined)?.code ?? "");
}
