/** Bytes: smaller pieces are slower, larger pieces need memory. */
const PIECE = 64 * 1024;

/**
 * Produces text on demand until the client leaves.
 *
 * @param cut Ends an incomplete text's connection, so that it looks incomplete.
 */
export function textStream(
  pieces: AsyncIterable<string>,
  signal: AbortSignal,
  cut: () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const made = pieces[Symbol.asyncIterator]();
  const next = async () => {
    let text = "";
    while (text.length < PIECE) {
      signal.throwIfAborted();
      const { done, value } = await made.next();
      if (done === true) return { text, isOver: true };
      text += value;
    }
    return { text, isOver: false };
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { text, isOver } = await next();
          if (text !== "") controller.enqueue(encoder.encode(text));
          if (isOver) controller.close();
        } catch {
          // A failed stream would be logged on the terminal.
          cut();
          await made.return?.();
        }
      },
      async cancel() {
        await made.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
