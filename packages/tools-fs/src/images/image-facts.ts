export interface ImageLimits {
  /** Pixels of the longer side; 2,000 by default. */
  maxSide: number;
  /** Bytes of the base64 text; 4.5 MiB by default. */
  maxBase64Bytes: number;
}

const BY_EXTENSION: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
};

const SHOWN: ReadonlySet<string> = new Set(Object.values(BY_EXTENSION));

export function getImageType(path: string): string | undefined {
  const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  return Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined;
}

export function isShownImage(mimeType: string): boolean {
  return SHOWN.has(mimeType);
}

export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}
