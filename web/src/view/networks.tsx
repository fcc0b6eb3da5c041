// The network of each board's commands in the sandbox. It counts at once; there is nothing
// to save.
import * as api from "../api";
import type { Page } from "../page";
import { t } from "../text";
import type { Board, NetworkSetting } from "../wire";

export const NETWORKS: NetworkSetting[] = ["off", "registries_only"];

export function Networks({ page }: { page: Page }) {
  const { boards, settings } = page.state;
  if (boards.length === 0 || !settings) return null;
  return (
    <section class="card" aria-label={t("networks")}>
      <h2>{t("networks")}</h2>
      <p class="quiet">{t("networksHelp")}</p>
      {boards.map((board) => <Choice key={board.id} board={board} page={page} usual={settings.network} />)}
    </section>
  );
}

function Choice({ board, page, usual }: { board: Board; page: Page; usual: NetworkSetting }) {
  const put = (value: string) => {
    const network = NETWORKS.find((n) => n === value) ?? null;
    page.attempt(api.setNetwork(board.id, network));
  };
  return (
    <label class="field"><span>{board.name}</span><select value={board.network ?? ""} onChange={(e) => put(e.currentTarget.value)}>
      <option value="">{t("networkUsual", { network: t(`network_${usual}`) })}</option>
      {NETWORKS.map((n) => <option value={n}>{t(`network_${n}`)}</option>)}</select></label>
  );
}
