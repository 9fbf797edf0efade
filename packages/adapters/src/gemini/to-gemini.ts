import type { Session } from "@haft/core/kernel";
import { checkOutgoing } from "../outgoing/check-outgoing.ts";
import { type ToolNote, toProviderTools } from "../outgoing/provider-tools.ts";
import { repairHistory } from "../outgoing/repair-history.ts";
import type { CallSender } from "../outgoing/sender.ts";
import { type AnswerOptions, createAnswer, type Turn } from "../outgoing/turn.ts";
import {
  type GeminiContent,
  type GeminiResultContent,
  createGeminiFormat,
  type ImageLocation,
} from "./gemini-format.ts";
import { geminiHistory } from "./gemini-history.ts";

/** How the tools of a session are told to Gemini. */
export interface ToGeminiOptions {
  /**
   * Where images of results go: `beside` the answers (default), which every model takes that sees images, or `inside` of them, where
   * Gemini 3 and newer have a place for each.
   */
  images?: ImageLocation;
  /** Whose messages are answered, where `answer` is not told: rules for senders hold for these calls. Default: that of the session. */
  sender?: CallSender;
}

/** A function for Gemini. */
export interface GeminiFunction {
  /** To be called by. */
  name: string;
  /** For the model. */
  description: string;
  /** JSON Schema. */
  parametersJsonSchema: Record<string, unknown>;
}

/** A session for Gemini. */
export interface GeminiSession {
  /** For `config.tools` of a request; none where there are none. */
  tools: { functionDeclarations: GeminiFunction[] }[];
  /** What is told differently than the tool's author wrote it. */
  notes: ToolNote[];
  /** Answers `candidates[0].content`, or the list of its parts. */
  answer: <Content extends GeminiContent | readonly object[]>(
    content: Content,
    options?: AnswerOptions,
  ) => Promise<
    Turn<
      Content extends readonly (infer Part)[] ? { role: "model"; parts: Part[] } : Content,
      GeminiResultContent
    >
  >;
  /**
   * A conversation as the API takes it, before it is sent: each call with its answer, no answer without a call. Resolves to a new
   * list; contents that are right stay as they are.
   */
  repair: <Content extends object>(contents: readonly Content[]) => Promise<Content[]>;
}

const GEMINI = { name: "Gemini", loneReferences: true };

/**
 * The tools of a session, for the Gemini API: `const { tools, answer } = toGemini(session)`.
 *
 * Every call goes through `session.call()`. One that fails or is blocked tells the model so; nothing is thrown but for what is no
 * content. The tools are those of this moment.
 *
 * @throws HaftError `BRIDGE_INVALID` for what is no session, and for options it does not have
 */
export function toGemini(session: Session, options: ToGeminiOptions = {}): GeminiSession {
  checkOutgoing("toGemini", session, options, { images: ["beside", "inside"], sender: "sender" });
  const { tools, notes } = toProviderTools(session, GEMINI);
  const { images = "beside", sender } = options;
  const functionDeclarations = tools.map(({ name, description, schema }) => ({
    name,
    description,
    parametersJsonSchema: schema,
  }));
  return {
    tools: functionDeclarations.length === 0 ? [] : [{ functionDeclarations }],
    notes,
    answer: createAnswer(
      session,
      createGeminiFormat<object>(images),
      sender,
    ) as unknown as GeminiSession["answer"],
    repair: async <Content extends object>(contents: readonly Content[]) =>
      (await repairHistory(session, geminiHistory(images), contents)) as Content[],
  };
}
