import type { ChatSettings } from "@haft/config";
import { parseBytes } from "@haft/config/internal/document";
import { DEFAULT_RETENTION } from "@haft/core/internal";
import type { StoreLocationValues } from "../location/store-location.ts";

export interface OperatorChatSettings {
  chat: ChatSettings;
  modelName?: string | undefined;
  contextTokens?: number | undefined;
  /** Whether anything of calls is kept: where that is not, what was said is not either. */
  storesConversations: boolean;
  keepDays: number;
  keepBytes: number;
}

/** Without anything of a workspace: what stands there could send a key, and what is said, anywhere. */
export async function readOperatorChatSettings({
  config,
  "no-config": none = false,
}: StoreLocationValues): Promise<OperatorChatSettings> {
  const said = none ? undefined : await readTrusted(config);
  const { chat = {}, model, record, keep } = said ?? {};
  return {
    chat,
    modelName: model?.name,
    contextTokens: model?.contextTokens,
    storesConversations: record !== "none" && chat.keep !== false,
    keepDays: keep?.days ?? DEFAULT_RETENTION.days,
    keepBytes: (keep?.bytes === undefined ? undefined : parseBytes(keep.bytes)) ?? DEFAULT_RETENTION.bytes,
  };
}

async function readTrusted(config: string | undefined) {
  const { findOperatorConfiguration } = await import("@haft/config/internal/document");
  return (await findOperatorConfiguration(config))?.config;
}
