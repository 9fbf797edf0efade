import { type Notice, wholeLine } from "./notice-text.ts";
import type { NotifyAddress } from "./settings.ts";

/** What is sent to an address. */
export interface Message {
  headers: Readonly<Record<string, string>>;
  body: string;
}

/**
 * The message as this kind of service takes it, so that nothing of a call is markup there: no link is looked up, nobody
 * is mentioned, nothing is bold.
 */
export function messageFor({ format = "json", chat }: NotifyAddress, notice: Notice): Message {
  switch (format) {
    case "json":
      return json({ type: "approval-requested", ...notice });
    case "ntfy":
      // Plain text, as long as no header says Markdown.
      return {
        headers: {
          "content-type": "text/plain; charset=utf-8",
          title: `Approval ${notice.approvalId}`,
          markdown: "no",
        },
        body: wholeLine(notice),
      };
    case "slack":
      return json({
        text: escapeForSlack(wholeLine(notice)),
        mrkdwn: false,
        parse: "none",
        link_names: false,
        unfurl_links: false,
        unfurl_media: false,
      });
    case "telegram":
      // Without a parse_mode nothing in it is markup.
      return json({ chat_id: chat, text: wholeLine(notice), link_preview_options: { is_disabled: true } });
  }
}

/** These three begin mentions, links and entities, whatever else is switched off. */
function escapeForSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function json(body: object): Message {
  return { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}
