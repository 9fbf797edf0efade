import { image, text } from "@haft/core";
import type { FileStat, FileSystem, ModelFacts, ToolResult } from "@haft/core";
import type { FileType } from "../read/file-type.ts";

/** What a provider takes. */
export interface ImageLimits {
  /** Pixels of the longer side. */
  maxSide: number;
  /** Bytes of the base64 text. */
  maxBase64Bytes: number;
}

export interface ReadImageDetails {
  kind: "image";
  path: string;
  mimeType: string;
  /** Bytes of the file. */
  size: number;
  version: string;
}

export async function readImage(
  fs: FileSystem,
  path: string,
  found: { type: FileType; stat: FileStat },
  _options: { signal: AbortSignal; model: ModelFacts; limits: Partial<ImageLimits> | undefined },
): Promise<ToolResult<ReadImageDetails>> {
  const { bytes, stat } = await fs.read(path);
  const { mimeType } = found.type;
  return {
    content: [text(`Read image file [${mimeType}]`), image(bytes, mimeType)],
    details: { kind: "image", path, mimeType, size: stat.size, version: stat.version },
  };
}
