import { isObject } from "@haft/utils";

export function readObject(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString());
    return isObject(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
