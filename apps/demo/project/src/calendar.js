const DAY_MS = 24 * 60 * 60 * 1000;

/** Days are UTC midnights, so that no clock change can move them. */
export function parseDay(text) {
  const date = new Date(`${text}T00:00:00Z`);
  if (Number.isNaN(date.getTime())) throw new RangeError(`Not a day: ${text}`);
  return date;
}

export function formatDay(date) {
  return date.toISOString().slice(0, 10);
}

export function addDays(date, days) {
  return new Date(date.getTime() + days * DAY_MS);
}

/** The same day of the month, that many months later. */
export function addMonths(date, months) {
  const result = new Date(date);
  result.setUTCMonth(result.getUTCMonth() + months);
  return result;
}

/** Saturdays and Sundays move to the Monday after. */
export function workingDay(date) {
  const weekday = date.getUTCDay();
  if (weekday === 6) return addDays(date, 2);
  return weekday === 0 ? addDays(date, 1) : date;
}
