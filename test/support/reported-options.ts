import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";

interface Node {
  type: string;
  start: number;
  end: number;
  [part: string]: unknown;
}

const REPORTS = join(import.meta.dirname, "../../etc");
const NAMES = /^(?:options|given|settings|reading|how|config|limits)$/;
const TYPES = /(?:Options|Settings|Reading|Limits|Context|Environment|Spec|Config|Definition)\b|^\{/;

/**
 * Public functions and methods that take options, by the reports in `etc/`: `createHost`, `Session.call`. Options are told by the
 * name of the parameter or by its type. Functions that are handed to Haft, as members of options, are none.
 */
export function reportedOptions(): Set<string> {
  const found = new Set<string>();
  for (const file of readdirSync(REPORTS)) {
    const source = /```ts\n([^]*?)```/.exec(readFileSync(join(REPORTS, file), "utf8"))![1]!;
    const takesOptions = (params: readonly Node[]) =>
      params.some((param) => {
        const type = param["typeAnnotation"] as Node | undefined;
        const text = type === undefined ? "" : source.slice(type.start + 1, type.end).trim();
        const isPlain = /^(?:readonly )?(?:string|unknown|any|object)\b/.test(text);
        return !isPlain && (NAMES.test(String(param["name"])) || TYPES.test(text));
      });
    const visit = (value: unknown, owner: string): void => {
      if (Array.isArray(value)) for (const one of value) visit(one, owner);
      if (typeof value !== "object" || value === null || !("type" in value)) return;
      const node = value as Node;
      const name = nameOf(node);
      switch (node.type) {
        case "TSDeclareFunction":
          if (takesOptions(node["params"] as Node[])) found.add(name!);
          return visit(node["returnType"], name!);
        case "TSMethodSignature":
        case "MethodDefinition": {
          const { params } = (node["value"] ?? node) as { params: Node[] };
          if (takesOptions(params)) found.add(`${owner}.${name}`);
          return;
        }
        case "TSPropertySignature": {
          const type = (node["typeAnnotation"] as Node | undefined)?.["typeAnnotation"] as Node | undefined;
          const isFunction = type?.type === "TSFunctionType";
          if (
            isFunction &&
            !/(?:Options|Context|Definition)$/.test(owner) &&
            takesOptions(type["params"] as Node[])
          )
            found.add(`${owner}.${name}`);
          if (!isFunction) visit(type, owner);
          return;
        }
        case "TSFunctionType":
          return;
      }
      const isOwner = /^(?:TSInterface|Class|TSTypeAlias)Declaration$/.test(node.type);
      for (const part of Object.values(node)) visit(part, isOwner ? name! : owner);
    };
    visit(parseSync("report.d.ts", source).program.body, "");
  }
  return found;
}

function nameOf(node: Node): string | undefined {
  const { name, value } = (node["id"] ?? node["key"] ?? {}) as { name?: string; value?: string };
  return name ?? value;
}
