// Which key presses may answer. People type when a card pops up, so a key counts only
// after a quiet moment, and never while a text is being written.

/** Without any key for this long, one may answer. */
export const QUIET_MS = 400;

let last = Number.NEGATIVE_INFINITY;
let quiet = true;
// Before every other listener, also those of a terminal.
addEventListener("keydown", (event) => {
  quiet = event.timeStamp - last >= QUIET_MS;
  last = event.timeStamp;
}, { capture: true });

/** Whether nobody has typed for a moment. */
export const isQuiet = () => performance.now() - last >= QUIET_MS;

/** The letter of a key press that may act on a card; nothing for all others. */
export function letter(event: KeyboardEvent): string | null {
  const typing = event.target instanceof HTMLElement
    && event.target.closest("input, textarea, select, .xterm") !== null;
  if (typing || !quiet || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return null;
  return event.key.length === 1 ? event.key.toLowerCase() : null;
}
