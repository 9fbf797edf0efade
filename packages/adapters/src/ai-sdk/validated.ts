import { messageOf } from "@haft/core";
import { adapterError } from "../errors.ts";

const OF_AI_SDK = Symbol.for("vercel.ai.schema");
/** Characters of what a schema has to say. */
const LONGEST = 2_000;

/**
 * Input as the AI SDK hands it to a tool: validated by the tool's own schema, and transformed. What only has JSON Schema was
 * validated by the kernel.
 *
 * @throws HaftError `INVALID_ARGUMENTS`
 */
export async function validated(schema: unknown, input: unknown): Promise<unknown> {
  const given =
    typeof schema === "function" && !("~standard" in schema) ? (schema as () => unknown)() : schema;
  if (typeof given !== "object" && typeof given !== "function") return input;
  if (given === null) return input;
  const { "~standard": standard, validate } = given as {
    "~standard"?: { validate?: (value: unknown) => unknown };
    validate?: unknown;
  };
  if (typeof standard?.validate === "function") {
    const result = (await standard.validate(input)) as { value?: unknown; issues?: readonly Issue[] };
    if (result.issues === undefined) return result.value;
    throw invalidInput(result.issues.map(issueText).join("; "));
  }
  if (OF_AI_SDK in given && typeof validate === "function") {
    const result = (await validate(input)) as { success: boolean; value?: unknown; error?: unknown };
    if (result.success) return result.value;
    throw invalidInput(messageOf(result.error));
  }
  return input;
}

interface Issue {
  message: string;
  path?: readonly (PropertyKey | { key: PropertyKey })[];
}

function issueText({ message, path = [] }: Issue): string {
  const keys = path.map((key) => String(typeof key === "object" ? key.key : key));
  return keys.length === 0 ? message : `${keys.join(".")}: ${message}`;
}

function invalidInput(problem: string): Error {
  return adapterError(
    "INVALID_ARGUMENTS",
    `The tool's own schema refuses the arguments: ${problem.slice(0, LONGEST)}`,
  );
}
