/** Node's globals in declarations. */
const GLOBALS = ["Buffer", "BufferEncoding"];
// Without Node's types, this suppresses the next error and makes the type `any`.
const IGNORE = "// @ts-ignore -- any, without Node's types";

/**
 * Makes declarations compile without `@types/node`; their streams, processes and buffers, most below
 * `/internal`, are then `any`.
 */
export function removeNodeTypes(declarations: string): string {
  const code = declarations.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
  const named = GLOBALS.filter((name) => new RegExp(`\\b${name}\\b`).test(code));
  const imports = named.map((name) => `${IGNORE}\nimport type { ${name} } from "node:buffer";\n`);
  return (
    imports.join("") + declarations.replaceAll(/^(?:import|export) .* from "node:[^"]+";$/gm, `${IGNORE}\n$&`)
  );
}
