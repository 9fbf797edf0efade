import { parseBytes } from "@haft/config/internal/document";
import type { ChatSettings } from "@haft/config/internal/settings";
import { DEFAULT_RETENTION } from "@haft/core/internal";
import type { StoreLocationValues } from "../location/store-location.ts";

export interface OperatorChatSettings {
  chat: ChatSettings;
  modelName?: string | undefined;
  contextTokens?: number | undefined;
  /** Is false if calls are not recorded, because results are part of a conversation. */
  storesConversations: boolean;
  keepDays: number;
  keepBytes: number;
}

/** Ignores files of the workspace: these could send the key and the conversation to any address. */
export async function readOperatorChatSettings({
  config,
  "no-config": none = false,
}: StoreLocationValues): Promise<OperatorChatSettings> {
  const settings = none ? undefined : await readTrusted(config);
  const { chat = {}, model, record, keep } = settings ?? {};
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
