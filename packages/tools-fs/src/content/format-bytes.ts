/** `812 B`, `32 KB`, `1.5 MB`: 1,024 to the step. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const unit = bytes < 1024 * 1024 ? "KB" : "MB";
  const value = bytes / (unit === "KB" ? 1024 : 1024 * 1024);
  return `${value >= 10 ? Math.round(value) : Math.round(value * 10) / 10} ${unit}`;
}
