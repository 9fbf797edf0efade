/** Older versions lack required APIs and would fail later. */
const OLDEST = [22, 18] as const;

export const MIN_NODE_VERSION: string = OLDEST.join(".");

export function isNodeTooOld(version: string = process.versions.node): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}
