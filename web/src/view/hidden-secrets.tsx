// Whether each board's commands in the sandbox see the project's secret-looking files. It
// counts at once; there is nothing to save.
import * as api from "../api";
import type { Page } from "../page";
import { t } from "../text";
import type { Board } from "../wire";

const WORDS = { hidden: true, shown: false };

export function HiddenSecrets({ page }: { page: Page }) {
  const { boards, settings } = page.state;
  if (boards.length === 0 || !settings) return null;
  return (
    <section class="card" aria-label={t("secretsByBoard")}>
      <h2>{t("secretsByBoard")}</h2>
      <p class="quiet">{t("secretsByBoardHelp")}</p>
      {boards.map((board) => <Choice key={board.id} board={board} page={page} usual={settings.hide_secrets} />)}
    </section>
  );
}

function Choice({ board, page, usual }: { board: Board; page: Page; usual: boolean }) {
  const put = (value: string) => page.attempt(api.setHideSecrets(board.id, value in WORDS ? WORDS[value as keyof typeof WORDS] : null));
  const now = board.hide_secrets === null ? "" : word(board.hide_secrets);
  return (
    <label class="field"><span>{board.name}</span><select value={now} onChange={(e) => put(e.currentTarget.value)}>
      <option value="">{t("secretsUsual", { secrets: t(`secrets_${word(usual)}`) })}</option>
      {[true, false].map((hide) => <option value={word(hide)}>{t(`secrets_${word(hide)}`)}</option>)}</select></label>
  );
}

const word = (hide: boolean) => (hide ? "hidden" : "shown");
