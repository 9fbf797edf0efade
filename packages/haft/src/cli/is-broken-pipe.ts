const CLOSED = new Set(["EPIPE", "EIO", "ECONNRESET"]);

/** The reader closed the output (`| head`). */
export function isBrokenPipe(thrown: unknown): boolean {
  return CLOSED.has((thrown as NodeJS.ErrnoException | undefined)?.code ?? "");
}
