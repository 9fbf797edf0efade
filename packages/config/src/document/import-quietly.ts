const HIDDEN = "MODULE_TYPELESS_PACKAGE_JSON";

let running = 0;
let restore: () => void = () => {};

/**
 * Imports a module without Node's warning that its `package.json` names no `type`: the folder of a configuration
 * needs none.
 *
 * @example
 * ```ts
 * import { importQuietly } from "@haft/config/internal/document";
 * const module = await importQuietly<{ default: unknown }>("file:///srv/plugin.ts");
 * ```
 */
export async function importQuietly<T>(url: string): Promise<T> {
  if (running++ === 0) restore = hideWarning();
  try {
    return (await import(url)) as T;
  } finally {
    if (--running === 0) restore();
  }
}

function hideWarning(): () => void {
  // Called with its process.
  // oxlint-disable-next-line typescript/unbound-method
  const { emitWarning } = process;
  const filtered = (...args: unknown[]) => {
    const isHidden = args.some(
      (one) => one === HIDDEN || (one as { code?: unknown } | undefined)?.code === HIDDEN,
    );
    if (!isHidden) Reflect.apply(emitWarning, process, args);
  };
  process.emitWarning = filtered;
  // A module may have replaced it since.
  return () => {
    if (process.emitWarning === filtered) process.emitWarning = emitWarning;
  };
}
