export interface ImageLimits {
  /** Pixels of the longer side; 2,000 by default. */
  maxSide: number;
  /** Bytes of the base64 text; 4.5 MiB by default. */
  maxBase64Bytes: number;
}

/** What every large provider takes. */
export const DEFAULT_IMAGE_LIMITS: ImageLimits = { maxSide: 2000, maxBase64Bytes: 4.5 * 1024 * 1024 };
