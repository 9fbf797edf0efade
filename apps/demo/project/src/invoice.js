import { addDays, addMonths, formatDay, parseDay, workingDay } from "./calendar.js";

const TERMS = /^(\d+) (day|month)s?$/;

/** The day on which an invoice is due, as `YYYY-MM-DD`. */
export function dueDate(invoice) {
  const [, count, unit] = TERMS.exec(invoice.terms) ?? [];
  if (unit === undefined) throw new RangeError(`Unknown terms: ${invoice.terms}`);
  const date = parseDay(invoice.date);
  const due = unit === "day" ? addDays(date, Number(count)) : addMonths(date, Number(count));
  return formatDay(workingDay(due));
}
