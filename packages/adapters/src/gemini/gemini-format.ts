import type { ContentBlock } from "@haft/core";
import { asRecord } from "@haft/utils";
import { formatImageLine, formatContent } from "../outgoing/format-content.ts";
import { readName } from "../outgoing/read-name.ts";
import type { AnsweredCall, MessageCall, MessageFormat } from "../outgoing/turn.ts";

/** An image of a result. */
export interface GeminiImage {
  /** Base64 with its media type. */
  inlineData: { mimeType: string; data: string };
}

/** Answer to one call. */
export interface GeminiFunctionResponse {
  /** The answer. */
  functionResponse: {
    /** Id of the call, if it has one. */
    id?: string;
    /** Name as the model wrote it. */
    name: string;
    /** Text for the model. */
    response: { output: string } | { error: string };
    /** Images of the result, with `images: "inside"`. */
    parts?: GeminiImage[];
  };
}

/** Answers to all calls of one content, in order. */
export interface GeminiResultContent {
  /** Role of the content. */
  role: "user";
  /** Answers. With `images: "beside"`, the images of an answer follow it. */
  parts: (GeminiFunctionResponse | GeminiImage)[];
}

/** The read parts of a content. A `Content` of Google's SDK fits. */
export interface GeminiContent {
  /** Parts of the content. */
  parts?: readonly object[] | undefined;
  /** Author of the content: `model` or `user`. */
  role?: string | undefined;
}

/** Location of a result's images: `beside` the answers or `inside` them. */
export type ImageLocation = "beside" | "inside";

interface Part {
  functionCall?: { id?: unknown; name?: unknown; args?: unknown };
}

const WHERE: Readonly<Record<ImageLocation, string>> = {
  beside: "it follows this result",
  inside: "it comes with this result",
};

/** Sessions limit ids to this length. */
const ID = /^[\x20-\x7e]{1,256}$/;

export function createGeminiFormat<Given extends object>(
  place: ImageLocation,
): MessageFormat<Given, Given | GeminiContent, GeminiResultContent> {
  return {
    ids: ID,
    message: {
      is: "the content of a candidate, or the list of its parts",
      example: "Give it response.candidates[0].content.",
    },
    read(given, ids) {
      const content = (Array.isArray(given) ? { role: "model", parts: given } : given) as GeminiContent;
      const { parts, role, candidates } = asRecord(content);
      if (candidates !== undefined || (role ?? "model") !== "model" || !Array.isArray(parts ?? []))
        return undefined;
      const calls: MessageCall[] = [];
      let isSame = true;
      const repaired = ((parts ?? []) as (Part | null)[]).map((part) => {
        const call = part?.functionCall;
        if (typeof call !== "object" || call === null) return part;
        // The API works without ids, and then rejects them.
        const id = call.id === undefined ? undefined : ids.take(call.id);
        calls.push({ id, name: readName(call.name), arguments: call.args ?? {} });
        if (id === call.id) return part;
        isSame = false;
        return { ...part, functionCall: { ...call, id } };
      });
      return { messages: [isSame ? content : ({ ...content, parts: repaired } as Given)], calls };
    },
    results: (answered) => [geminiAnswers(answered, place)],
  };
}

export function geminiAnswers(answered: readonly AnsweredCall[], place: ImageLocation): GeminiResultContent {
  const parts = answered.flatMap((one) => [
    responseOf(one, place),
    ...(place === "beside" ? imagesOf(one.content) : []),
  ]);
  return { role: "user", parts };
}

function responseOf(answered: AnsweredCall, place: ImageLocation): GeminiFunctionResponse {
  const { id, name, content, isError } = answered;
  const images = imagesOf(content);
  const said = formatContent(content, (image) =>
    isTaken(image.mimeType) ? formatImageLine(image, WHERE[place]) : formatImageLine(image),
  );
  return {
    functionResponse: {
      ...(id !== undefined && { id }),
      name,
      response: isError ? { error: said } : { output: said },
      ...(place === "inside" && images.length > 0 && { parts: images }),
    },
  };
}

function imagesOf(content: readonly ContentBlock[]): GeminiImage[] {
  return content.flatMap((block) =>
    block.type === "image" && isTaken(block.mimeType)
      ? [{ inlineData: { mimeType: block.mimeType, data: block.data } }]
      : [],
  );
}

function isTaken(mimeType: string): boolean {
  return /^image\/(?:jpeg|png|webp|heic|heif)$/.test(mimeType);
}
