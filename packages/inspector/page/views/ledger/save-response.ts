interface SaveTarget {
  createWritable(): Promise<WritableStream<Uint8Array>>;
}

interface CanSave {
  showSaveFilePicker?(options: { suggestedName: string }): Promise<SaveTarget>;
}

/**
 * Has a person say where a file goes, where the browser asks for that: called first, since browsers allow it to nothing but a click.
 * `undefined` where it does not; `"no"` where nobody wants it any more.
 */
export async function askSaveTarget(name: string): Promise<SaveTarget | "no" | undefined> {
  try {
    return await (window as CanSave).showSaveFilePicker?.({ suggestedName: name });
  } catch (thrown) {
    // Some have it and refuse it, as in a frame.
    return thrown instanceof DOMException && thrown.name === "AbortError" ? "no" : undefined;
  }
}

/** Writes what comes to where it goes, or has it downloaded once all of it is there. @param told of the bytes that came so far */
export async function saveResponse(
  response: Response,
  { name, where, told }: { name: string; where: SaveTarget | undefined; told: (bytes: number) => void },
): Promise<void> {
  let bytes = 0;
  const counted = response.body!.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        told((bytes += piece.length));
        controller.enqueue(piece);
      },
    }),
  );
  // What was there is replaced when all has come, and not before.
  if (where !== undefined) return counted.pipeTo(await where.createWritable());
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await new Response(counted).blob());
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
