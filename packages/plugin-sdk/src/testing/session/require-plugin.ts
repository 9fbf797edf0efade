import { invalidOptions } from "@haft/core";
import { toPluginError } from "@haft/core/internal";

/** @throws HaftError `INVALID_OPTIONS` for a value that is no plugin */
export function requirePlugin(where: string, value: unknown): void {
  const mistake = toPluginError(value);
  const what = mistake?.what ?? (isPlugin(value) ? undefined : "has no id or no list of tools");
  if (what === undefined) return;
  const fix = mistake?.fix ?? 'Create the plugin with definePlugin({ id: "…", tools: [tool] }).';
  throw invalidOptions(`${where}: the plugin ${what}.`, fix);
}

function isPlugin(value: unknown): boolean {
  const { id, tools } = value as { id?: unknown; tools?: unknown };
  return typeof id === "string" && Array.isArray(tools);
}
