import { getErrorMessage } from "@haft/core";
import { fingerprint, type McpToolDefinition, readDefinition, type ServerChange } from "@haft/mcp";
import { PrivateFolder } from "@haft/system";
import { join } from "node:path";
import { toServerFileName } from "./credentials.ts";

export interface ServerToolChange {
  changed: readonly McpToolDefinition[];
  gone: readonly string[];
  added: readonly McpToolDefinition[];
}

const NOTHING: ServerToolChange = { changed: [], gone: [], added: [] };

export class ServerChangeStore {
  readonly #folder: PrivateFolder;
  readonly #file: string;
  readonly #last = new Map<string, string>();

  constructor(stateDir: string, file: string) {
    this.#folder = new PrivateFolder(join(stateDir, "mcp"));
    this.#file = file;
  }

  read(server: string): ServerToolChange {
    try {
      const { changed, gone, added } = JSON.parse(
        this.#folder.read(toServerFileName(this.#file, server))?.text ?? "{}",
      ) as Partial<ServerToolChange>;
      return {
        changed: tools(changed),
        gone: Array.isArray(gone) ? gone.map(String) : [],
        added: tools(added),
      };
    } catch {
      return NOTHING;
    }
  }

  /** Writes only changes. @returns the reason if the file cannot be written */
  record({ server, changed, gone, added }: ServerChange): string | undefined {
    const text = JSON.stringify({ changed, gone, added });
    const isSame = (this.#last.get(server) ?? JSON.stringify(this.read(server))) === text;
    this.#last.set(server, text);
    if (isSame) return undefined;
    try {
      this.#folder.make();
      this.#folder.replace(toServerFileName(this.#file, server), text);
      return undefined;
    } catch (thrown) {
      return getErrorMessage(thrown);
    }
  }

  forget(server: string): void {
    this.#last.delete(server);
    this.#folder.remove(toServerFileName(this.#file, server));
  }
}

export function isChanged(tool: McpToolDefinition, { changed }: ServerToolChange): boolean {
  const found = changed.find(({ name }) => name === tool.name);
  return found !== undefined && fingerprint(found) !== fingerprint(tool);
}

function tools(given: unknown): McpToolDefinition[] {
  if (!Array.isArray(given)) return [];
  return given.map(readDefinition).filter((tool): tool is McpToolDefinition => !("problem" in tool));
}
