// Asks for the session and the state before the page's own code is here: the two come side
// by side. `api.ts` takes the answer. The one-time code goes out of the address bar and the
// history at once; it works only once anyway.
(() => {
  const code = /^#c=([\w-]+)$/.exec(location.hash)?.[1] ?? null;
  if (code !== null) history.replaceState(null, "", "/");
  const answer = fetch(code === null ? "/api/page" : "/api/session", {
    method: "POST", headers: { "content-type": "application/json" }, credentials: "same-origin", cache: "no-store",
    body: JSON.stringify(code === null ? {} : { code }),
  });
  // Whoever takes it looks at its failure.
  answer.catch(() => {});
  window.first = { code, answer };
})();
