import { type McpServerSettings, findServerProblem } from "@haft/config/internal/settings";
import { changeOperatorsFile } from "@haft/host/internal/mcp";
import { readText, systemReason } from "@haft/system";
import { resolve } from "node:path";
import { commandError } from "../../errors.ts";
import { formatHomePath } from "../plugins/plugins-target.ts";
import { UsageError } from "../usage.ts";
import { type McpValues, readMcpContext } from "./mcp-context.ts";

export async function importServers(values: McpValues, [file = ""]: readonly string[]): Promise<number> {
  const servers = readServers(resolve(file));
  const context = await readMcpContext(values);
  const taken: string[] = [];
  const left: { name: string; why: string }[] = [];
  const known = new Set(context.servers.map(({ name }) => name));
  const fresh: Record<string, { settings: McpServerSettings }> = {};
  for (const [givenName, given] of Object.entries(servers)) {
    const name = nameFrom(givenName);
    const read = settingsFrom(given);
    const why =
      typeof read === "string"
        ? read
        : known.has(name) || Object.hasOwn(fresh, name)
          ? `there is a server ${name} already`
          : findServerProblem(name, read)?.replace(/\.$/, "");
    if (why !== undefined || typeof read === "string")
      left.push({ name: givenName, why: why ?? "it is not a server" });
    else {
      fresh[name] = { settings: read };
      taken.push(name);
    }
  }
  if (taken.length > 0) await changeOperatorsFile(context.file, (before) => ({ ...before, ...fresh }));
  if (values.json) console.log(JSON.stringify({ imported: taken, left, file: context.file }));
  else {
    if (taken.length > 0)
      console.log(
        `Stored in ${formatHomePath(context.file)}, and held back until you add each: ${taken.map((name) => `haft mcp add ${name}`).join(", ")}`,
      );
    for (const { name, why } of left) console.error(`haft: ${JSON.stringify(name)} is omitted: ${why}.`);
    if (taken.length + left.length === 0) console.error("haft: the file names no servers.");
  }
  return left.length === 0 && taken.length > 0 ? 0 : 1;
}

function readServers(file: string): Record<string, unknown> {
  let value: unknown;
  try {
    const text = readText(file);
    value = JSON.parse(text);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT")
      throw new UsageError(`There is no file ${file}.`);
    throw commandError("MCP_UNAVAILABLE", `${file} cannot be read: ${systemReason(thrown)}.`, {
      fix: "Correct the file, or name another; it is JSON: { mcpServers: { NAME: { command, args, env } } }.",
      cause: thrown,
    });
  }
  const { mcpServers, servers } = (value ?? {}) as { mcpServers?: unknown; servers?: unknown };
  const found = mcpServers ?? servers;
  if (typeof found === "object" && found !== null && !Array.isArray(found))
    return found as Record<string, unknown>;
  throw commandError("MCP_UNAVAILABLE", `${file} has no mcpServers.`, {
    fix: "Name a file of this form: { mcpServers: { NAME: { command, args, env } } }.",
  });
}

/** Is deterministic. */
function nameFrom(givenName: string): string {
  return givenName
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+/, "")
    .slice(0, 24)
    .replace(/-+$/, "");
}

/** Ignores keys such as permissions; a problem is the end of a sentence. */
function settingsFrom(given: unknown): McpServerSettings | string {
  if (typeof given !== "object" || given === null) return "it is not a server";
  const { command, args, env, cwd, url, headers, type, disabled } = given as Record<string, unknown>;
  if (disabled === true) return "it is disabled there";
  if (type === "sse") return "it uses the older protocol over SSE, which Haft does not support";
  const isTexts = (value: unknown) =>
    value === undefined ||
    (typeof value === "object" &&
      value !== null &&
      Object.values(value).every((one) => typeof one === "string"));
  if (!isTexts(env) || !isTexts(headers) || !isTexts(args)) return "its args, env or headers are not texts";
  if (typeof url === "string")
    return { url, ...(headers !== undefined && { headers: headers as Record<string, string> }) };
  if (typeof command !== "string") return "it has neither a command nor a url";
  return {
    command,
    ...(args !== undefined && { args: args as string[] }),
    ...(env !== undefined && { env: env as Record<string, string> }),
    ...(typeof cwd === "string" && { cwd }),
  };
}
