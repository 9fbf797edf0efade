import { HaftError, getErrorMessage } from "@haft/core";
import type { PluginProblem } from "../describe/describe-plugin.ts";

const REPORT = "Report it to the plugin's author, or leave the plugin out.";

/** Node only removes types, and the plugin's project has no compiler. */
export class NeedsTsx extends Error {}

export function explainLoadError(name: string, thrown: unknown): PluginProblem {
  const message = getErrorMessage(thrown).replace(/\.$/, "");
  const { code } = (thrown ?? {}) as { code?: unknown };
  const because = (why: string, fix: string): PluginProblem => ({
    code: "PLUGIN_UNLOADABLE",
    message: `${name} ${why}.`,
    fix,
  });
  if (isPluginChangedError(thrown))
    return { code: "PLUGIN_CHANGED", message: thrown.message, fix: thrown.fix ?? REPORT };
  if (isUntrustedError(thrown)) return because(`loads what is not trusted: ${message}`, thrown.fix ?? REPORT);
  if (thrown instanceof NeedsTsx)
    return because(
      `is TypeScript of a kind that Node cannot run (${message})`,
      "Do without enums, namespaces and parameter properties, or install tsx in its project: npm install --save-dev tsx.",
    );
  if (code === "ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING")
    return because(
      `is TypeScript in node_modules, which Node does not run (${message})`,
      "Its author publishes JavaScript. A file of your own is named by its path: ./plugin.ts.",
    );
  // tsx compiled it to CommonJS, and Node resolves its imports.
  if (/\?namespace=/.test(message))
    return because(
      "is TypeScript for tsx in a project of CommonJS",
      'Write "type": "module" into the package.json of its project.',
    );
  // From an import or a require.
  if (typeof code === "string" && /^(?:ERR_)?MODULE_NOT_FOUND$/.test(code))
    return because(
      `imports what is not there: ${firstLine(message)}`,
      "Install its dependency beside it, or correct the import.",
    );
  if (
    thrown instanceof ReferenceError &&
    /^(?:require|module|exports|__dirname|__filename) is not/.test(message)
  )
    return because(
      `is CommonJS where ECMAScript modules are expected: ${firstLine(message)}`,
      'Write import and export; or name the file .cjs, or leave "type": "module" out of its package.json.',
    );
  if (thrown instanceof SyntaxError && /does not provide an export/.test(message))
    return because(`imports a name that is not exported: ${message}`, REPORT);
  if (thrown instanceof SyntaxError)
    return because(`cannot be parsed: ${message}`, "node with the name of its file shows where.");
  return because(`threw while it was loaded: ${message}${positionOf(thrown)}`, REPORT);
}

export function isUntrustedError(thrown: unknown): thrown is HaftError {
  return HaftError.is(thrown) && thrown.code === "CONFIG_UNTRUSTED";
}

export function isPluginChangedError(thrown: unknown): thrown is HaftError {
  return HaftError.is(thrown) && thrown.code === "PLUGIN_CHANGED";
}

function firstLine(text: string): string {
  return text.split("\n")[0]!;
}

/** For syntax errors, the first line of a stack is the position. */
function positionOf(thrown: unknown): string {
  const stack = thrown instanceof Error ? (thrown.stack ?? "") : "";
  const position =
    /^(\/[^\n]+:\d+)$/m.exec(stack)?.[1] ?? /\(?file:\/\/([^\s)]+:\d+):\d+\)?/.exec(stack)?.[1];
  return position === undefined ? "" : ` (${decodeURI(position)})`;
}
