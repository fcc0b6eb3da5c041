// The Docker image: whether it is here, and its download after a dialog that states the
// size. Nothing is downloaded before that, and then exactly what was measured.
import { useEffect, useRef, useState } from "preact/hooks";
import * as api from "../api";
import type { Page } from "../page";
import { said, t } from "../text";
import { bytes } from "../time";
import type { DockerImage as Image, ImageSize } from "../wire";
import { FixStep } from "./readiness";

export function DockerImage({ page }: { page: Page }) {
  const { image } = page.state;
  const [size, setSize] = useState<ImageSize | null>(null);
  const [measuring, setMeasuring] = useState(false);
  const look = () => page.attempt(api.dockerImage().then(page.setImage));
  useEffect(look, []);
  const measure = () => {
    setMeasuring(true);
    page.attempt(api.measureImage().then(setSize).finally(() => setMeasuring(false)));
  };
  const limits = page.state.readiness.find((r) => r.backend === "docker" && r.state === "unsupported")?.found;
  return (
    <section class="card" aria-label={t("dockerImage")} aria-busy={measuring}>
      <header class="head"><h2>{t("dockerImage")}</h2>
        <button type="button" onClick={look}>{t("imageLook")}</button></header>
      <p class="quiet">{limits && <>{t("dockerNotYet", { limits: said(limits) })} </>}{t("dockerHelp")}</p>
      {image && <State image={image} measuring={measuring} measure={measure} page={page} />}
      {size && <Confirm size={size} close={() => setSize(null)} page={page} />}
    </section>
  );
}

function State({ image, measuring, measure, page }: { image: Image; measuring: boolean; measure(): void; page: Page }) {
  const { state } = image;
  switch (state.state) {
    case "unreachable":
      return <div role="status"><p><span class="verdict">{t("missing")}</span> {said(state.found)}</p>
        {state.step && <FixStep step={state.step} />}</div>;
    case "present":
      return <p role="status"><code>{image.name}</code> <span class="verdict allowed">{t("imagePresent")}</span>{state.bytes !== null && <span class="quiet"> {t("imageOnDisk", { bytes: bytes(state.bytes) })}</span>}</p>;
    case "absent":
      return (
        <>
          <p role="status"><code>{image.name}</code> <span class="verdict">{t("imageAbsent")}</span>
            {state.failed !== null && <span class="warn"> {said(state.failed)}</span>}</p>
          <p><button type="button" disabled={measuring} onClick={measure}>{t(measuring ? "imageMeasuring" : "imageDownload")}</button></p>
        </>
      );
    case "downloading": {
      const { layers, layers_done: here, bytes: all } = state;
      const done = all === null ? t("imageLayers", { here, layers }) : t("imageBytes", { done: bytes(state.done), all: bytes(all), here, layers });
      return (
        <>
          <p><label>{t("imageDownloading", { name: image.name })} <progress max={all ?? layers} value={all === null ? here : state.done} /></label> <span role="status" class="quiet">{done}</span></p>
          <p><button type="button" class="deny" onClick={() => page.attempt(api.stopDownload())}>{t("stop")}</button></p>
        </>
      );
    }
  }
}

// The focus is on "Cancel": what appears under a finger is never taken as a yes.
function Confirm({ size, close, page }: { size: ImageSize; close(): void; page: Page }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const download = () => { page.attempt(api.downloadImage(size.digest)); close(); };
  return (
    <dialog ref={dialog} aria-labelledby="download-title" onClose={close}>
      <h2 id="download-title">{t("imageAsk", { name: size.name })}</h2>
      <p class="size">{size.bytes === null ? t("imageSizeUnknown") : t("imageSize", { bytes: bytes(size.bytes) })}</p>
      <p class="quiet">{t("imageExactly")} <code>{size.digest}</code></p>
      <p class="answers"><button type="button" autofocus onClick={close}>{t("cancel")}</button>
        <button type="button" class="main" onClick={download}>{t("imageConfirm")}</button></p>
    </dialog>
  );
}
