/** Bytes that are handed on at once: fewer take longer, more wait in memory. */
const PIECE = 64 * 1024;

/**
 * A text as it is made. It is pulled: nothing more is made before the connection took what there is, and no more at all once whoever
 * asked has gone.
 *
 * @param cut ends the connection where the text cannot be made to its end, so that nobody takes a part for the whole
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
          // A stream that failed would be written to the terminal of the program.
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
