// A clock that browsers don't slow down in a hidden tab: a page that is open counts as
// present whether or not it is in front, and a hidden one is where notifications matter.
let timer: ReturnType<typeof setInterval> | undefined;
self.onmessage = (message: MessageEvent<number>) => {
  clearInterval(timer);
  if (message.data > 0) timer = setInterval(() => self.postMessage(0), message.data);
};
