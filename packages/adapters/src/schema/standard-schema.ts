/** It accepts every value: the kernel validates. */
export function standardSchema(schema: Record<string, unknown>) {
  return {
    "~standard": {
      version: 1 as const,
      vendor: "haft" as const,
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => schema, output: () => schema },
    },
  };
}
