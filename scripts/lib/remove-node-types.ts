/** Of Node's own, named in declarations without an import. */
const GLOBALS = ["Buffer", "BufferEncoding"];
// An error of the line after it, where nobody has Node's types; what it names is `any` then.
const IGNORE = "// @ts-ignore -- any, without Node's types";

/**
 * Declarations that compile without `@types/node`, too. A few of them, most behind entries below `/internal`, are about
 * streams, processes and buffers of Node; their types are Node's where a program has them, and `any` where not.
 */
export function removeNodeTypes(declarations: string): string {
  const code = declarations.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
  const named = GLOBALS.filter((name) => new RegExp(`\\b${name}\\b`).test(code));
  const imports = named.map((name) => `${IGNORE}\nimport type { ${name} } from "node:buffer";\n`);
  return (
    imports.join("") + declarations.replaceAll(/^(?:import|export) .* from "node:[^"]+";$/gm, `${IGNORE}\n$&`)
  );
}
