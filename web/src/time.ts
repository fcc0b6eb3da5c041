// Times and lengths as people read them. Pure.

/** `1:05`, `59 s`. */
export function countdown(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  const minutes = Math.floor(seconds / 60);
  return minutes ? `${minutes}:${String(seconds % 60).padStart(2, "0")}` : `${seconds} s`;
}

/** `320 ms`, `4.2 s`, `2 min 5 s`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** `2 min`, `3 h`, `5 d`: how long something has lasted. */
export function age(milliseconds: number): string {
  const minutes = Math.max(0, Math.floor(milliseconds / 60_000));
  if (minutes < 1) return "< 1 min";
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}

/** The time of day, or the day and the time when it was another day. */
export function clock(at: number, now: number, language: string): string {
  const { time, day } = formats(language);
  return sameDay(at, now) ? time.format(at) : `${day.format(at)} ${time.format(at)}`;
}

interface Formats {
  time: Intl.DateTimeFormat;
  day: Intl.DateTimeFormat;
}

const known = new Map<string, Formats>();

// Making a format costs more than using it a thousand times: a log has a thousand lines.
function formats(language: string): Formats {
  let found = known.get(language);
  if (!found) {
    found = {
      time: new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }),
      day: new Intl.DateTimeFormat(language),
    };
    known.set(language, found);
  }
  return found;
}

function sameDay(a: number, b: number): boolean {
  return new Date(a).setHours(0, 0, 0, 0) === new Date(b).setHours(0, 0, 0, 0);
}

/** `12 B`, `3.4 KB`, `5.6 MB`. */
export function bytes(count: number): string {
  const units = ["B", "KB", "MB", "GB"];
  let size = count;
  let unit = 0;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${unit ? size.toFixed(1) : size} ${units[unit]}`;
}
