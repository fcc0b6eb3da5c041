// Where one is on the page, as the address's fragment: it survives a reload, and never
// leaves the browser. Pure.

export type Where =
  | { view: "boards"; ask?: string }
  | { view: "board"; board: string }
  | { view: "settings" }
  | { view: "journal"; board?: string; source?: string }
  | { view: "roles" };

const PLAIN = ["settings", "journal", "roles"] as const;

/** The place that a fragment names; anything unknown is the list of boards. */
export function fromHash(hash: string): Where {
  const [view, rest] = /^#(\w+)(?:\/(.*))?$/.exec(hash)?.slice(1) ?? [];
  const plain = PLAIN.find((name) => name === view);
  if (plain && !rest) return { view: plain };
  try {
    if (view === "board" && rest) return { view, board: decodeURIComponent(rest) };
    const filters = view === "journal" ? /^([^/]+)\/([^/]+)$/.exec(rest ?? "") : null;
    if (filters?.[1] && filters[2]) {
      return { view: "journal", board: decodeURIComponent(filters[1]), source: decodeURIComponent(filters[2]) };
    }
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
    case "journal":
      if (where.board !== undefined && where.source !== undefined) {
        return `#journal/${encodeURIComponent(where.board)}/${encodeURIComponent(where.source)}`;
      }
      return "#journal";
    default: return `#${where.view}`;
  }
}
