// The queue of asks as it stands on the screen: by bubble, oldest first. Pure.
import type { AskCard } from "./wire";

/** The asks of one bubble. */
export interface Group {
  bubble: string;
  rows: Row[];
}

/** One row: the very same command, asked for once or several times at once. Each of its
 * asks is answered by itself; the first is the one that a choice of the row brings up. */
export interface Row {
  asks: [AskCard, ...AskCard[]];
}

/** Groups in the order of their oldest ask; `asks` come oldest first. */
export function grouped(asks: AskCard[], isSettled: (ask: AskCard) => boolean): Group[] {
  const groups: Group[] = [];
  for (const ask of asks) {
    let group = groups.find((g) => g.bubble === ask.bubble);
    if (!group) groups.push(group = { bubble: ask.bubble, rows: [] });
    const row = isSettled(ask) ? undefined : group.rows.find(({ asks: [first] }) => !isSettled(first) && same(first, ask));
    if (row) row.asks.push(ask);
    else group.rows.push({ asks: [ask] });
  }
  return groups;
}

// All that a person's answer depends on.
function same(a: AskCard, b: AskCard): boolean {
  return a.text === b.text && a.folder === b.folder && a.loop_id === b.loop_id && a.board === b.board;
}
