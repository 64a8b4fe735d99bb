// Draws the nested lines of a tree as a graph that pans, zooms and folds. What a person has folded, chosen and moved stays
// when the document is read again.
const treeGraph = (() => {
  const [WIDTH, HEIGHT, ACROSS, DOWN, CHARACTERS] = [250, 46, 54, 12, 31];
  const MANY = 60;
  const ALIKE = 3;
  const folds = new Map();
  const kept = { view: null, chosen: null, isList: false, isMoving: false };

  const svg = (name, attributes = {}, ...children) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };
  const html = (name, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };

  const read = (fold, above) => {
    const [verdict, name, why] = fold.querySelector(":scope > summary").children;
    const node = {
      key: fold.dataset.node || name.textContent,
      role: fold.dataset.role,
      verdict: verdict.textContent,
      tone: verdict.className,
      title: name.textContent,
      href: name.querySelector("a")?.getAttribute("href"),
      why: why?.textContent ?? "",
      above,
    };
    const below = [...fold.querySelectorAll(":scope > details")].map((part) => read(part, node));
    node.again = below.filter((part) => part.role === "again").map((part) => part.key);
    node.below = grouped(node, below.filter((part) => part.role !== "again"));
    return node;
  };
  const every = (node, test) => test(node) && node.below.every((part) => every(part, test));
  // Healthy siblings after the third one share a node, as on a terminal.
  const grouped = (node, below) => {
    const isAlike = (part) => every(part, (one) => one.verdict === "OK" && one.role === "other" && !one.again.length);
    const more = below.filter(isAlike).slice(ALIKE);
    if (more.length < 2) return below;
    const title = `… and ${more.length} more, all OK`;
    const group = { key: `${node.key}\n`, role: "group", verdict: "OK", tone: "good", title, why: "", above: node };
    more.forEach((part) => (part.above = group));
    return [...below.filter((part) => !more.includes(part)), { ...group, again: [], below: more }];
  };
  const all = (nodes) => nodes.flatMap((node) => [node, ...all(node.below)]);
  const isFolded = (node, isLarge) => {
    if (!node.below.length) return false;
    const isQuiet = isLarge && every(node, (one) => one.verdict === "OK" && one.role !== "root");
    return folds.get(node.key) ?? (node.role === "group" || isQuiet);
  };

  const place = (nodes) => {
    const isLarge = all(nodes).length > MANY;
    const placed = [];
    let next = 0;
    const put = (node, depth) => {
      node.isFolded = isFolded(node, isLarge);
      node.x = depth * (WIDTH + ACROSS);
      placed.push(node);
      const shown = node.isFolded ? [] : node.below;
      shown.forEach((part) => put(part, depth + 1));
      node.y = shown.length ? (shown[0].y + shown.at(-1).y) / 2 : next;
      if (!shown.length) next += HEIGHT + DOWN;
    };
    nodes.forEach((node) => put(node, 0));
    return placed;
  };

  // The kind without its group and the namespace are one line, and the name is the other. The whole text is the title.
  const labels = ({ role, title }) => {
    const parts = role === "group" ? null : /^([^\s/]+)[\s/](\S+?)(?: -n ([^\s,]+))?((?:,? .*)?)$/s.exec(title);
    if (!parts) return ["", title];
    const [, kind, name, namespace, more] = parts;
    return [[kind.split(".")[0], namespace].filter(Boolean).join(" · "), name + more];
  };
  const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
  const drawNode = (node) => {
    const [kind, name] = labels(node);
    const box = svg("g", {
      class: `node ${node.role} ${node.tone}`,
      transform: `translate(${node.x} ${node.y})`,
      role: "treeitem",
      tabindex: node.key === kept.chosen ? 0 : -1,
      "aria-label": `${node.verdict} ${node.title}`,
      "data-key": node.key,
    });
    if (node.below.length) box.setAttribute("aria-expanded", String(!node.isFolded));
    box.setAttribute("aria-selected", String(node.key === kept.chosen));
    const text = (attributes, content) => svg("text", attributes, content);
    box.append(
      svg("title", {}, [node.title, node.why].filter(Boolean).join("\n")),
      svg("rect", { class: "box", width: WIDTH, height: HEIGHT, rx: 6 }),
      svg("rect", { class: "bar", width: 5, height: HEIGHT, rx: 2 }),
      text({ class: "kind", x: 14, y: 18 }, cut(kind, CHARACTERS - node.verdict.length - 3)),
      text({ class: "verdict", x: WIDTH - 22, y: 18 }, node.verdict),
      text({ class: "name", x: 14, y: 36 }, cut(name, CHARACTERS - 2)),
    );
    if (node.below.length) {
      const count = node.isFolded ? `+${all(node.below).length}` : "−";
      const badge = svg("g", { class: "badge", transform: `translate(${WIDTH} ${HEIGHT / 2})` });
      const width = 12 + 7 * count.length;
      badge.append(svg("rect", { x: -width / 2, y: -9, width, height: 18, rx: 9 }), text({ y: 4 }, count));
      box.append(badge);
    }
    return box;
  };
  const curve = (from, to, className) => {
    const [x, y, toX, toY] = [from.x + WIDTH, from.y + HEIGHT / 2, to.x, to.y + HEIGHT / 2];
    const bend = Math.max(ACROSS / 2, Math.abs(toX - x) / 2);
    return svg("path", { class: className, d: `M${x} ${y}C${x + bend} ${y} ${toX - bend} ${toY} ${toX} ${toY}` });
  };

  const build = (report) => {
    const list = html("div", { id: "list" }, ...report.querySelectorAll(":scope > details"));
    const tops = [...list.children].map((fold) => read(fold, null));
    report.append(list);
    if (!tops.length) return;
    const root = all(tops).find((node) => node.role === "root") ?? tops[0];
    kept.chosen ??= root.key;
    const world = svg("g");
    const canvas = svg("svg", { id: "graph", role: "tree", "aria-label": document.title }, world);
    const chosen = html("div", { id: "chosen" });
    chosen.setAttribute("aria-live", "polite");
    const button = (name, label, act) => {
      const element = html("button", { type: "button", textContent: name, onclick: act });
      element.setAttribute("aria-label", label);
      return element;
    };
    let placed = [];

    const find = (key) => placed.find((node) => node.key === key);
    const move = () => {
      const { x, y, scale } = kept.view;
      world.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`);
    };
    const size = () => [canvas.clientWidth || 300, canvas.clientHeight || 300];
    const readable = () => (size()[0] < 500 ? 0.85 : 0.6);
    const fit = () => {
      const right = Math.max(...placed.map((node) => node.x)) + WIDTH + 20;
      const bottom = Math.max(...placed.map((node) => node.y)) + HEIGHT;
      const needed = bottom * Math.max(Math.min((size()[0] - 24) / right, 1), readable()) + 24;
      canvas.style.height = `${Math.min(Math.max(needed, 160), window.innerHeight * 0.68)}px`;
      const [width, height] = size();
      const whole = Math.min((width - 24) / right, (height - 24) / bottom, 1);
      const scale = Math.max(whole, readable());
      kept.view = { x: 12, y: 12, scale };
      if (scale > whole) {
        // Not everything fits at a readable size: the requested node is in the middle.
        const at = find(root.key) ?? placed[0];
        const within = (edge, space, length) =>
          length * scale + 24 <= space ? 12 : Math.min(12, Math.max(edge, space - 12 - length * scale));
        kept.view.x = within(width / 2 - (at.x + WIDTH / 2) * scale, width, right);
        kept.view.y = within(height / 2 - (at.y + HEIGHT / 2) * scale, height, bottom);
      }
      move();
    };
    const zoom = (factor, x = size()[0] / 2, y = size()[1] / 2) => {
      const before = kept.view;
      const scale = Math.min(3, Math.max(0.1, before.scale * factor));
      const ratio = scale / before.scale;
      kept.view = { x: x - (x - before.x) * ratio, y: y - (y - before.y) * ratio, scale };
      move();
    };
    const describe = () => {
      const node = find(kept.chosen) ?? root;
      const verdict = html("span", { className: node.tone, textContent: node.verdict });
      chosen.replaceChildren(html("p", {}, verdict, " ", html("strong", { textContent: node.title })));
      if (node.why) chosen.append(html("p", { textContent: node.why }));
      if (node.href && node.key !== root.key) {
        const link = html("a", { textContent: "Tree of this object" });
        link.setAttribute("href", node.href);
        chosen.append(html("p", {}, link));
      }
    };
    const draw = () => {
      placed = place(tops);
      if (!find(kept.chosen)) kept.chosen = (find(root.key) ?? placed[0]).key;
      const edges = placed.flatMap((node) => [
        ...(node.isFolded ? [] : node.below.map((part) => curve(node, part, "edge"))),
        ...node.again.map(find).filter(Boolean).map((part) => curve(node, part, "edge again")),
      ]);
      world.replaceChildren(...edges, ...[...placed].sort((a, b) => a.y - b.y || a.x - b.x).map(drawNode));
      describe();
    };
    const focus = () => {
      const box = [...world.querySelectorAll(".node")].find((one) => one.dataset.key === kept.chosen);
      box?.focus({ preventScroll: true });
    };
    // Keeps a focused node in sight.
    const reveal = () => {
      const [width, height] = size();
      const node = find(kept.chosen);
      const { x, y, scale } = kept.view;
      const shift = (at, length, space) => (at < 8 ? 8 - at : at + length > space - 8 ? space - 8 - at - length : 0);
      kept.view.x += shift(x + node.x * scale, WIDTH * scale, width);
      kept.view.y += shift(y + node.y * scale, HEIGHT * scale, height);
      move();
    };
    const choose = (node) => {
      if (!node) return;
      kept.chosen = node.key;
      draw();
      reveal();
      focus();
    };
    const toggle = (node) => {
      const before = { x: node.x, y: node.y };
      if (node.below.length) folds.set(node.key, !node.isFolded);
      kept.chosen = node.key;
      draw();
      // The node stays where it is under the pointer.
      kept.view.x += (before.x - node.x) * kept.view.scale;
      kept.view.y += (before.y - node.y) * kept.view.scale;
      move();
      focus();
    };
    const foldAll = (isFolded) => {
      all(tops).filter((node) => node.below.length).forEach((node) => folds.set(node.key, isFolded));
      // The way to the requested node stays open.
      for (let node = root.above; isFolded && node; node = node.above) folds.set(node.key, false);
      draw();
      fit();
    };

    const pointers = new Map();
    let isDragged = false;
    const spread = () => {
      const [one, other] = [...pointers.values()];
      return other ? Math.hypot(one.x - other.x, one.y - other.y) : 0;
    };
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      if (!pointers.size) isDragged = false;
      pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    });
    canvas.addEventListener("pointermove", (event) => {
      const at = pointers.get(event.pointerId);
      if (!at) return;
      const [x, y] = [event.clientX - at.x, event.clientY - at.y];
      if (!isDragged && Math.hypot(x, y) < 5) return;
      isDragged = kept.isMoving = true;
      canvas.setPointerCapture(event.pointerId);
      const before = spread();
      pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      kept.view.x += x / pointers.size;
      kept.view.y += y / pointers.size;
      if (before) {
        const edge = canvas.getBoundingClientRect();
        const [one, other] = [...pointers.values()];
        zoom(spread() / before, (one.x + other.x) / 2 - edge.left, (one.y + other.y) / 2 - edge.top);
      }
      move();
    });
    const release = (event) => {
      pointers.delete(event.pointerId);
      kept.isMoving = pointers.size > 0;
    };
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);
    canvas.addEventListener("lostpointercapture", release);
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const edge = canvas.getBoundingClientRect();
      zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), event.clientX - edge.left, event.clientY - edge.top);
    }, { passive: false });
    const nodeAt = (event) => find(event.target.closest(".node")?.dataset.key);
    canvas.addEventListener("click", (event) => {
      const node = nodeAt(event);
      if (node && !isDragged) toggle(node);
    });
    canvas.addEventListener("keydown", (event) => {
      const node = nodeAt(event);
      if (!node || event.ctrlKey || event.metaKey || event.altKey) return;
      const order = [...placed].sort((a, b) => a.y - b.y || a.x - b.x);
      const next = (step) => order[order.indexOf(node) + step];
      const act = {
        Enter: () => toggle(node),
        " ": () => toggle(node),
        ArrowUp: () => choose(next(-1)),
        ArrowDown: () => choose(next(1)),
        ArrowLeft: () => (node.below.length && !node.isFolded ? toggle(node) : choose(node.above && find(node.above.key))),
        ArrowRight: () => (node.isFolded ? toggle(node) : choose(node.below[0])),
        "+": () => zoom(1.25),
        "-": () => zoom(0.8),
        0: fit,
      }[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    });

    const show = () => {
      list.hidden = !kept.isList;
      canvas.toggleAttribute("hidden", kept.isList);
      chosen.hidden = kept.isList;
      tools.querySelectorAll(".graph-only").forEach((element) => (element.hidden = kept.isList));
      mode.textContent = kept.isList ? "Graph" : "List";
    };
    const mode = button("List", "Switch between graph and list", () => {
      kept.isList = !kept.isList;
      show();
      if (!kept.isList) fit();
    });
    const graphTools = [
      button("+", "Zoom in", () => zoom(1.25)),
      button("−", "Zoom out", () => zoom(0.8)),
      button("Fit", "Fit the graph into the window", fit),
      button("Fold all", "Fold all nodes", () => foldAll(true)),
      button("Unfold all", "Unfold all nodes", () => foldAll(false)),
    ];
    graphTools.forEach((element) => element.classList.add("graph-only"));
    const tools = html("div", { id: "tools" }, mode, ...graphTools);
    list.before(tools, canvas, chosen);
    show();
    draw();
    if (kept.view) move();
    else fit();
  };

  const hasFocus = () => Boolean(document.activeElement?.closest("#graph .node"));
  return { build, isMoving: () => kept.isMoving, hasFocus };
})();
