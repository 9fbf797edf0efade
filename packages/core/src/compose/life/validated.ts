import { isObject } from "../../utils/values.ts";

export type Validated = { value: unknown } | { issues: { path: (string | number)[]; message: string }[] };

/** Has a library judge a configuration, and reads its answer: what it makes of it may be more than JSON. */
export async function validated(validate: (value: unknown) => unknown, value: unknown): Promise<Validated> {
  const said = (await validate(value)) as {
    value?: unknown;
    issues?: readonly { message?: unknown; path?: readonly unknown[] }[];
  };
  if (said.issues === undefined || said.issues === null) return { value: said.value };
  return {
    issues: Array.from(said.issues, ({ message, path = [] }) => ({
      message: String(message),
      path: Array.from(path, (part) => {
        const key: unknown = isObject(part) && "key" in part ? part["key"] : part;
        return typeof key === "number" ? key : String(key);
      }),
    })),
  };
}
