import { messageOf } from "@haft/core";
import { fingerprint, type McpToolDefinition, readDefinition, type ServerChange } from "@haft/mcp";
import { PrivateFolder } from "@haft/workspace/internal/system";
import { join } from "node:path";
import { fileOfServer } from "./credentials.ts";

export interface NotedChange {
  changed: readonly McpToolDefinition[];
  gone: readonly string[];
  added: readonly McpToolDefinition[];
}

const NOTHING: NotedChange = { changed: [], gone: [], added: [] };

export class NotedChanges {
  readonly #folder: PrivateFolder;
  readonly #file: string;
  readonly #last = new Map<string, string>();

  /** @param file the operator's file that the servers stand in */
  constructor(stateDir: string, file: string) {
    this.#folder = new PrivateFolder(join(stateDir, "mcp"));
    this.#file = file;
  }

  read(server: string): NotedChange {
    try {
      const { changed, gone, added } = JSON.parse(
        this.#folder.read(fileOfServer(this.#file, server))?.text ?? "{}",
      ) as Partial<NotedChange>;
      return {
        changed: tools(changed),
        gone: Array.isArray(gone) ? gone.map(String) : [],
        added: tools(added),
      };
    } catch {
      return NOTHING;
    }
  }

  /** Written when it is another than the last time. @returns why it could not be, if so */
  note({ server, changed, gone, added }: ServerChange): string | undefined {
    const text = JSON.stringify({ changed, gone, added });
    const isSame = (this.#last.get(server) ?? JSON.stringify(this.read(server))) === text;
    this.#last.set(server, text);
    if (isSame) return undefined;
    try {
      this.#folder.make();
      this.#folder.replace(fileOfServer(this.#file, server), text);
      return undefined;
    } catch (thrown) {
      return messageOf(thrown);
    }
  }

  forget(server: string): void {
    this.#last.delete(server);
    this.#folder.remove(fileOfServer(this.#file, server));
  }
}

export function isChanged(tool: McpToolDefinition, { changed }: NotedChange): boolean {
  const found = changed.find(({ name }) => name === tool.name);
  return found !== undefined && fingerprint(found) !== fingerprint(tool);
}

function tools(given: unknown): McpToolDefinition[] {
  if (!Array.isArray(given)) return [];
  return given.map(readDefinition).filter((tool): tool is McpToolDefinition => !("problem" in tool));
}
