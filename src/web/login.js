"use strict";
// The ticket of the address is exchanged once; this browser then has a session until the command ends.
(async () => {
  const note = document.getElementById("note");
  const ticket = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  const ask = (path, options) => fetch(path, { cache: "no-store", ...options }).catch(() => null);
  let reason = "Open the address that the command has printed, with the part after the #.";
  if (ticket) {
    const answer = await ask("/login", { headers: { Authorization: `Bearer ${ticket}` } });
    reason = answer ? await answer.text() : "There is no answer: the command has ended. Start it again.";
    if (answer?.ok) {
      localStorage.setItem("place", reason);
      location.replace(`${reason}status`);
      return;
    }
  }
  const place = localStorage.getItem("place");
  if (/^\/[\w-]{43}\/$/.test(place) && (await ask(`${place}status`, { method: "HEAD" }))?.ok) {
    location.replace(`${place}status`);
    return;
  }
  note.textContent = reason;
})();
