import { withoutUndefined } from "@haft/core";
import { policySchema, readMatrix } from "@haft/policy";
import { writeFileSync } from "node:fs";
import { createHost, type Host } from "../../host/host.ts";
import { readPolicyValues, type SessionValues } from "../session-arguments.ts";
import { UsageError } from "../usage.ts";
import { formatMatrix } from "./format-matrix.ts";
import { drawMatrix, formatMatrixPage } from "./matrix-picture.ts";

type Options = Pick<SessionValues, "policy" | "admin-policy" | "agent"> & {
  format?: string;
  out?: string;
  json?: boolean;
};

const FORMATS = ["text", "html", "svg", "json"] as const;

/** Prints, or writes, what each kind of session may do, or the schema of the rules. Resolves to the exit code. */
export async function showMatrix(what: "matrix" | "schema", options: Options): Promise<number> {
  const format = FORMATS.find((known) => known === (options.json ? "json" : (options.format ?? "text")));
  if (format === undefined)
    throw new UsageError(`--format is ${FORMATS.join(", ")}; got "${options.format}".`);
  const text =
    what === "schema"
      ? `${JSON.stringify(policySchema(), undefined, 2)}\n`
      : await matrixText(format, options);
  if (options.out === undefined) process.stdout.write(text);
  else write(options.out, text);
  return 0;
}

async function matrixText(format: (typeof FORMATS)[number], options: Options): Promise<string> {
  const host = await createHost({ ...(await readPolicyValues(options)), stateDir: false });
  try {
    return format === "text"
      ? formatMatrix(host.policy, host.catalogue, options.agent)
      : picture(format, host, options);
  } finally {
    await host.close();
  }
}

function picture(format: "html" | "svg" | "json", { policy, catalogue }: Host, options: Options): string {
  const about = withoutUndefined({
    agentId: options.agent,
    source: options.policy,
  });
  if (format === "html") return formatMatrixPage(policy, catalogue, about);
  if (format === "svg") return drawMatrix(policy, catalogue, about);
  return `${JSON.stringify({ ...about, rows: readMatrix(policy, catalogue, options.agent) })}\n`;
}

function write(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (thrown) {
    throw new UsageError(`--out: cannot write ${path}: ${(thrown as Error).message}.`);
  }
}
