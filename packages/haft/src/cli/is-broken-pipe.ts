const GONE = new Set(["EPIPE", "EIO", "ECONNRESET"]);

/** The reader closed the output first (`| head`). */
export function isBrokenPipe(thrown: unknown): boolean {
  return GONE.has((thrown as NodeJS.ErrnoException | undefined)?.code ?? "");
}
