/** Of Node's own, named in declarations without an import. */
const GLOBALS = ["Buffer", "BufferEncoding"];
// Suppresses the error of the next line without Node's types; the named type is `any` then.
const IGNORE = "// @ts-ignore -- any, without Node's types";

/**
 * Makes declarations compile without `@types/node`. A few, most behind entries below `/internal`, use streams, processes and buffers of
 * Node; these types are `any` without Node's types.
 */
export function removeNodeTypes(declarations: string): string {
  const code = declarations.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
  const named = GLOBALS.filter((name) => new RegExp(`\\b${name}\\b`).test(code));
  const imports = named.map((name) => `${IGNORE}\nimport type { ${name} } from "node:buffer";\n`);
  return (
    imports.join("") + declarations.replaceAll(/^(?:import|export) .* from "node:[^"]+";$/gm, `${IGNORE}\n$&`)
  );
}
