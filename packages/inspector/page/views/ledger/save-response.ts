interface SaveTarget {
  createWritable(): Promise<WritableStream<Uint8Array>>;
}

interface CanSave {
  showSaveFilePicker?(options: { suggestedName: string }): Promise<SaveTarget>;
}

/** Call it first: browsers require a click. `undefined` if the browser cannot ask, `"no"` if the user cancels. */
export async function askSaveTarget(name: string): Promise<SaveTarget | "no" | undefined> {
  try {
    return await (window as CanSave).showSaveFilePicker?.({ suggestedName: name });
  } catch (thrown) {
    // Some browsers refuse it, such as in frames.
    return thrown instanceof DOMException && thrown.name === "AbortError" ? "no" : undefined;
  }
}

/** Streams to the file, or downloads it whole. @param onBytes Receives the byte count. */
export async function saveResponse(
  response: Response,
  { name, where, onBytes }: { name: string; where: SaveTarget | undefined; onBytes: (bytes: number) => void },
): Promise<void> {
  let bytes = 0;
  const counted = response.body!.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        onBytes((bytes += piece.length));
        controller.enqueue(piece);
      },
    }),
  );
  // Replaces the file when complete.
  if (where !== undefined) return counted.pipeTo(await where.createWritable());
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await new Response(counted).blob());
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
