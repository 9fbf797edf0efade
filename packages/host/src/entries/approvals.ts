// Internal to Haft: it may change with any version.
export { type DeliveryStatus, awaitDelivery } from "../approvals/await-delivery.ts";
export { formatCallLine } from "../approvals/format-call-line.ts";
export { formatNotice, toNotice } from "../approvals/notify/notice-text.ts";
