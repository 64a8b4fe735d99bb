// Reads the document again when the server reports a change. Search, sorting, folds, focus and position stay.
(() => {
  const report = document.getElementById("report");
  const live = document.getElementById("live");
  const isFollowed = live.dataset.follows === "yes";
  const isTree = report.dataset.view === "tree";
  // Trees and drift are read for this page, and contain kinds that are not followed.
  const isFollowedView = ["status", "resources"].includes(report.dataset.view);
  const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
  history.replaceState(null, "", location.pathname + location.search);

  // Ages grow all the time, which is no change of a row.
  const rowText = (row) => {
    const cells = [...row.cells].filter((cell) => !/^(Age|Since)$/.test(cell.dataset.column));
    return cells.map((cell) => cell.textContent).join("\n");
  };
  const searchOf = (table) => {
    const before = table.parentElement.previousElementSibling;
    return before?.matches("input[type=search]") ? before : null;
  };
  const tables = (root) => {
    const seen = new Map();
    return [...root.querySelectorAll("table")].map((table) => {
      const head = [...table.tHead.rows[0].cells].map((cell) => cell.textContent).join("\n");
      seen.set(head, (seen.get(head) ?? 0) + 1);
      return [`${head}\n${seen.get(head)}`, table];
    });
  };
  const foldKey = (fold) => {
    const summary = fold.querySelector(":scope > summary");
    const own = fold.dataset.node || (summary.querySelector(".strong") ?? summary).textContent;
    const above = fold.parentElement.closest("details");
    return above ? `${foldKey(above)}\n${own}` : own;
  };
  const focusKey = (element) => {
    if (!element || !report.contains(element)) return null;
    const table = element.matches("input") && tables(report).find(([, table]) => searchOf(table) === element);
    if (table) return `search ${table[0]}`;
    if (element.matches("button")) {
      const within = tables(report).find(([, table]) => table.contains(element));
      return `button ${within?.[0]} ${element.getAttribute("aria-label") ?? element.textContent}`;
    }
    if (element.matches("summary")) return `fold ${foldKey(element.parentElement)}`;
    return element.matches("a") ? `link ${element.getAttribute("href")}` : null;
  };

  const keep = () => ({
    tables: new Map(tables(report).map(([key, table]) => {
      const heads = [...table.tHead.rows[0].cells];
      const sorted = heads.findIndex((head) => head.hasAttribute("aria-sort"));
      return [key, {
        words: searchOf(table)?.value ?? "",
        sorted,
        direction: heads[sorted]?.getAttribute("aria-sort"),
        left: table.parentElement.scrollLeft,
        rows: new Set([...table.tBodies[0].rows].map(rowText)),
      }];
    })),
    folds: new Map([...report.querySelectorAll("details")].map((fold) => [foldKey(fold), fold.open])),
    focus: focusKey(document.activeElement),
    marks: [document.activeElement?.selectionStart, document.activeElement?.selectionEnd],
    isNodeFocused: treeGraph.hasFocus(),
    position: [window.scrollX, window.scrollY],
  });
  const restore = (kept) => {
    for (const [key, table] of tables(report)) {
      dressTable(table);
      const before = kept.tables.get(key);
      if (!before) continue;
      const head = table.tHead.rows[0].cells[before.sorted];
      const isSorted = () => !head || head.getAttribute("aria-sort") === before.direction;
      for (let clicks = 0; !isSorted() && clicks < 2; clicks++) head.firstElementChild.click();
      const search = searchOf(table);
      if (search && before.words) {
        search.value = before.words;
        search.dispatchEvent(new Event("input"));
      }
      table.parentElement.scrollLeft = before.left;
      for (const row of table.tBodies[0].rows) row.classList.toggle("changed", !before.rows.has(rowText(row)));
    }
    for (const fold of report.querySelectorAll("details")) fold.open = kept.folds.get(foldKey(fold)) ?? fold.open;
    if (isTree) treeGraph.build(report);
    if (kept.isNodeFocused) report.querySelector("#graph .node[tabindex='0']")?.focus({ preventScroll: true });
    if (kept.focus) {
      const again = [...report.querySelectorAll("input, button, summary, a")].find((element) => focusKey(element) === kept.focus);
      again?.focus({ preventScroll: true });
      if (again?.matches("input") && kept.marks[0] != null) again.setSelectionRange(...kept.marks);
    }
    window.scrollTo(...kept.position);
  };

  const isDated = () => report.dataset.moment !== "";
  const old = () => (isDated() ? `This is an old state, of ${report.dataset.moment}.` : "This is an old page.");
  const states = {
    still: () => `Snapshot${isDated() ? ` of ${report.dataset.moment}` : ""}. It does not change.`,
    opening: () => "Connecting …",
    live: () => {
      if (!isDated()) return "Live";
      return isFollowedView ? `Live, as of ${report.dataset.moment}` : `Read at ${report.dataset.moment}, and again after changes`;
    },
    ended: () => `The session has ended. ${old()} Start the command again.`,
    gone: () => `Not connected: the command has ended, or does not answer. ${old()}`,
  };
  const say = (state) => {
    live.dataset.state = state;
    live.textContent = states[state]();
  };

  // Text that a person selects, and a graph that a person moves, are not replaced.
  const isInUse = () => {
    const selection = getSelection();
    return treeGraph.isMoving() || (!selection.isCollapsed && report.contains(selection.anchorNode));
  };
  let shown = null;
  const readAgain = async () => {
    const answer = await fetch(location.href, { cache: "no-store" }).catch(() => null);
    if (!answer) return "gone";
    if (answer.status === 401) return "ended";
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    const next = fresh.getElementById("report");
    if (!next) return "gone";
    while (isInUse()) await pause(500);
    if (next.innerHTML !== shown) {
      shown = next.innerHTML;
      const kept = keep();
      report.replaceChildren(...next.childNodes);
      restore(kept);
    }
    document.title = fresh.title;
    report.dataset.moment = next.dataset.moment;
    report.dataset.revision = next.dataset.revision;
    return "live";
  };
  let [isReading, isDue, readAt] = [false, false, Date.now()];
  const refresh = async () => {
    isDue = true;
    if (isReading) return;
    isReading = true;
    while (isDue) {
      isDue = false;
      const began = performance.now();
      say(await readAgain());
      readAt = Date.now();
      // A page that takes long is read less often.
      await pause(Math.max(500, 4 * (performance.now() - began)));
    }
    isReading = false;
  };

  let [events, heard] = [null, 0];
  const close = () => {
    events?.close();
    events = null;
  };
  const connect = () => {
    if (events || document.hidden) return;
    heard = Date.now();
    events = new EventSource("events");
    events.addEventListener("revision", (event) => {
      heard = Date.now();
      const changes = (revision) => revision?.split(".")[0];
      const isOld = Date.now() - readAt > 60000 || changes(event.data) !== changes(report.dataset.revision);
      if (isFollowedView ? event.data !== report.dataset.revision : isOld) refresh();
      else say("live");
    });
    events.addEventListener("beat", () => (heard = Date.now()));
    events.onerror = () => {
      if (events?.readyState === EventSource.CLOSED) close();
      say("gone");
    };
  };

  if (isTree) treeGraph.build(report);
  if (!isFollowed) {
    say("still");
    return;
  }
  say("opening");
  connect();
  // A browser allows few connections to a server, so hidden pages give theirs back.
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : connect()));
  setInterval(() => {
    if (Date.now() - heard > 40000) close();
    if (!events) connect();
  }, 5000);
})();
