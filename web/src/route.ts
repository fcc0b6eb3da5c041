// Where one is on the page, as the address's fragment: it survives a reload, and never
// leaves the browser. Pure.

export type Where =
  | { view: "boards"; ask?: string }
  | { view: "board"; board: string }
  | { view: "settings" }
  | { view: "journal" }
  | { view: "roles" };

const PLAIN = ["settings", "journal", "roles"] as const;

/** The place that a fragment names; anything unknown is the list of boards. */
export function fromHash(hash: string): Where {
  const [view, rest] = /^#(\w+)(?:\/(.*))?$/.exec(hash)?.slice(1) ?? [];
  const plain = PLAIN.find((name) => name === view);
  if (plain) return { view: plain };
  try {
    if (view === "board" && rest) return { view, board: decodeURIComponent(rest) };
    if (view === "ask" && rest) return { view: "boards", ask: decodeURIComponent(rest) };
  } catch {
    // Not our encoding: not our address.
  }
  return { view: "boards" };
}

/** The fragment of a place. */
export function toHash(where: Where): string {
  switch (where.view) {
    case "board": return `#board/${encodeURIComponent(where.board)}`;
    case "boards": return where.ask === undefined ? "#boards" : `#ask/${encodeURIComponent(where.ask)}`;
    default: return `#${where.view}`;
  }
}
