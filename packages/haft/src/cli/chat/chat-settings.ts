import { parseBytes } from "@haft/config/internal/document";
import type { ChatSettings } from "@haft/config/internal/settings";
import { DEFAULT_RETENTION } from "@haft/core/internal";
import type { StoreLocationValues } from "../location/store-location.ts";

export interface OperatorChatSettings {
  chat: ChatSettings;
  modelName?: string | undefined;
  contextTokens?: number | undefined;
  /** False if calls are not recorded: conversations contain results. */
  storesConversations: boolean;
  keepDays: number;
  keepBytes: number;
}

/** Workspace files could send the key and conversation to any address. */
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
