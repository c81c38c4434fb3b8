// The inspector: a form, and what the engine makes of it. Nothing is worked out here that the engine knows,
// and evidence is only ever written as text.

const $ = (id) => document.getElementById(id);
const name = decodeURIComponent(location.pathname.split("/").pop());
const state = { plan: null, shown: null, tries: [], asked: 0, timer: 0, curve: "", talk: "" };
const PAUSE = 60; // milliseconds without a change before the engine is asked
const TRIES = 50;

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "class") made.className = value;
    else if (key === "dataset") Object.assign(made.dataset, value);
    else if (key === "on") for (const [event, handler] of Object.entries(value)) made.addEventListener(event, handler);
    else if (value !== null && value !== undefined) made.setAttribute(key, value);
  }
  for (const each of children) made.append(each);
  return made;
}

const tokens = (number) => (number === null || number === undefined ? "" : number.toLocaleString("en"));

async function ask(path, body) {
  const headers = { "content-type": "application/json" };
  const key = sessionStorage.getItem("key");
  if (key) headers.authorization = `Bearer ${key}`;
  const options = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
  if (body === undefined) delete headers["content-type"];
  const response = await fetch(path, options);
  if (response.status === 401 || response.status === 403) $("key-field").hidden = false;
  const answer = response.headers.get("content-type")?.includes("json") ? await response.json() : await response.text();
  if (!response.ok) throw new Error(problemOf(answer, response.status));
  return answer;
}

function problemOf(answer, status) {
  if (typeof answer === "string") return `${status}: ${answer}`;
  const said = [answer.place ? `${answer.place}: ` : "", answer.detail ?? answer.title ?? status];
  if (answer.found !== undefined && answer.found !== null) said.push(`: found ${JSON.stringify(answer.found)}`);
  if (answer.valid?.length) said.push(`. Valid: ${answer.valid.join(", ")}`);
  if (answer.fix) said.push(`. ${answer.fix}`);
  return said.join("");
}

// The form

function field(key, schema, value) {
  const words = `${key}${schema.description ? `: ${schema.description}` : ""}`;
  const attributes = { dataset: { input: key, type: schema.type ?? "any" }, spellcheck: "false" };
  let control;
  if (schema.type === "boolean") {
    control = element("input", { type: "checkbox", ...attributes });
    control.checked = value === true;
  } else if (schema.type === "integer" || schema.type === "number") {
    control = element("input", { type: "number", step: schema.type === "integer" ? "1" : "any", ...attributes });
    control.value = value ?? "";
  } else {
    control = element("textarea", { rows: "2", ...attributes });
    control.value = typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
  }
  return element("label", {}, words, control);
}

function valueOf(control) {
  const { type, input } = control.dataset;
  if (type === "boolean") return control.checked;
  if (control.value === "") return undefined;
  if (type === "integer" || type === "number") return Number(control.value);
  if (type === "string" || type === "any") return control.value;
  try {
    return JSON.parse(control.value);
  } catch {
    throw new Error(`input ${input}: this is not JSON`);
  }
}

function call() {
  const inputs = {};
  for (const control of document.querySelectorAll("[data-input]")) {
    if (control.dataset.input === "") continue;
    const value = valueOf(control);
    if (value !== undefined) inputs[control.dataset.input] = value;
  }
  const body = { inputs };
  if ($("budget").value) body.budget = Number($("budget").value);
  if ($("model").value) body.model = $("model").value;
  const message = document.querySelector('[data-input=""]');
  if (message?.value) body.message = message.value;
  if ($("history").value.trim()) {
    try {
      body.history = JSON.parse($("history").value);
    } catch {
      throw new Error("the history is not JSON");
    }
  }
  return body;
}

function restored() {
  try {
    return JSON.parse(decodeURIComponent(location.hash.slice(1)));
  } catch {
    return {};
  }
}

function remember(body) {
  history.replaceState(null, "", `#${encodeURIComponent(JSON.stringify(body))}`);
}

// Asking

function soon() {
  clearTimeout(state.timer);
  state.timer = setTimeout(again, PAUSE);
}

async function again() {
  const number = ++state.asked;
  let body;
  try {
    body = call();
    remember(body);
    const found = await ask(`/v1/contexts/${encodeURIComponent(name)}/inspect`, body);
    if (number !== state.asked) return; // a newer question was asked meanwhile
    $("problem").hidden = true;
    note(body, found);
    draw(found);
  } catch (error) {
    if (number !== state.asked) return;
    $("problem").textContent = error.message;
    $("problem").hidden = false;
  }
}

function note(body, found) {
  const last = state.tries.at(-1);
  const sent = JSON.stringify(found.messages);
  if (last && last.sent === sent) return;
  state.tries.push({ body, found, sent });
  state.tries = state.tries.slice(-TRIES);
}

// Drawing

function light(place, on) {
  for (const each of document.querySelectorAll("[data-place]")) {
    if (each.dataset.place === place) each.classList.toggle("lit", on);
  }
}

const lights = (place) => ({ mouseenter: () => light(place, true), mouseleave: () => light(place, false) });

function draw(found) {
  state.shown = found;
  const of = found.budget === null ? "" : ` of ${tokens(found.budget)}`;
  const about = [costOf(found.cost), found.model, found.estimated ? "estimated" : "", `${found.milliseconds.toFixed(0)} ms`];
  $("count").textContent = `${tokens(found.used)}${of} tokens · ${about.filter(Boolean).join(" · ")}`;
  if (!$("budget").value) $("budget").placeholder = found.budget === null ? "no limit" : `${tokens(found.budget)}, of the plan`;
  drawBar(found);
  $("notes").replaceChildren(...[...found.warnings, ...found.hints].map((each) => element("li", {}, each)));
  drawMessages(found);
  drawLeft(found);
  drawSearch(found);
  drawTries();
  if (!$("curve").hidden) drawCurve();
  if (!$("talk").hidden) drawTalk();
}

function costOf(cost) {
  if (!cost) return "";
  const money = (amount) => amount.toLocaleString("en", { minimumFractionDigits: 4, maximumFractionDigits: 6 });
  return `costs ${money(cost.input)}${cost.cached === null ? "" : `, ${money(cost.cached)} with a cache`}`;
}

function drawBar(found) {
  const parts = found.parts.filter((each) => each.depth === 0 && each.given > 0);
  const whole = Math.max(found.budget ?? found.used, found.used, 1);
  $("bar").replaceChildren(
    ...parts.map((each) => {
      const piece = element("span", { class: each.tint, title: `${each.label}: ${tokens(each.given)} tokens`, dataset: { place: each.place }, on: lights(each.place) });
      piece.style.width = `${(100 * each.given) / whole}%`;
      return piece;
    }),
  );
  const said = parts.map((each) => `${each.label} ${each.given}`).join(", ");
  $("bar").setAttribute("aria-label", `Tokens by part: ${said}`);
}

function drawMessages(found) {
  let left = found.same_prefix ?? 0;
  const articles = found.messages.map((message) => {
    const text = element("div", { class: "text" });
    for (const each of message.pieces) {
      if (!each.place) {
        text.append(each.text);
        continue;
      }
      const facts = [each.label, each.source, each.score === null ? "" : `score ${each.score.toFixed(3)}`, each.tokens === null ? "" : `${each.tokens} tokens`, each.shortened];
      text.append(element("span", { class: `piece ${each.tint}${each.shortened ? " cut" : ""}`, title: facts.filter(Boolean).join(" · "), dataset: { place: each.place }, on: lights(each.place) }, each.text));
    }
    if (left >= message.tokens) text.classList.add("prefix");
    left -= message.tokens;
    return element("article", {}, element("h2", {}, message.role, element("small", {}, `${tokens(message.tokens)} tokens`)), text);
  });
  $("messages").replaceChildren(...articles);
}

function table(headings, rows, nothing) {
  if (!rows.length) return element("p", { class: "empty" }, nothing);
  const head = element("tr", {}, ...headings.map(([text, kind]) => element("th", { scope: "col", class: kind ?? "" }, text)));
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": headings[0][0] }, element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows)));
}

const cell = (content, kind = "") => element("td", { class: kind }, content ?? "");
const action = (text) => cell(text, text.replaceAll(" ", "-"));

function drawLeft(found) {
  const rows = found.ghosts.map((each) => {
    const what = each.text
      ? element("details", {}, element("summary", {}, each.block || each.part), element("pre", {}, each.text))
      : each.block || each.part;
    return element("tr", {}, cell(each.part), cell(what), action(each.action), cell(tokens(each.asked), "number"), cell(tokens(each.given), "number"), cell(each.reason));
  });
  const headings = [["Part"], ["What"], ["Action"], ["Asked", "number"], ["Given", "number"], ["Why"]];
  $("left").replaceChildren(table(headings, rows, "Everything that was offered is sent as it came."));
}

function drawSearch(found) {
  const sections = found.searches.map((search) => {
    const rows = search.blocks.map((each) => {
      const parts = Object.entries(each.parts).map(([key, value]) => `${key} ${value.toFixed(3)}`).join(", ");
      return element("tr", {}, cell(each.source || each.id), cell(each.score === null ? "" : each.score.toFixed(3), "number"), cell(parts), cell(String(each.page), "number"), cell(tokens(each.tokens), "number"), action(each.action), cell(each.reason));
    });
    const asked = `${search.requests} ${search.requests === 1 ? "request" : "requests"}`;
    const headings = [["Source"], ["Score", "number"], ["Made of"], ["Page", "number"], ["Tokens", "number"], ["Action"], ["Why"]];
    return element("article", {}, element("h2", {}, search.part, element("small", {}, `"${search.query}" · ${asked}`)), table(headings, rows, "Nothing was found."));
  });
  $("search").replaceChildren(...(sections.length ? sections : [element("p", { class: "empty" }, "No retriever was asked.")]));
}

async function drawCurve() {
  const most = Number($("slider").max);
  const body = { ...call(), most };
  delete body.budget;
  const asked = JSON.stringify(body);
  if (state.curve === asked) return;
  state.curve = asked;
  $("curve").replaceChildren(element("p", { class: "empty" }, "The engine is asked for each budget."));
  try {
    const points = await ask(`/v1/contexts/${encodeURIComponent(name)}/curve`, body);
    if (state.curve === asked) $("curve").replaceChildren(...curve(points, most));
  } catch (error) {
    $("curve").replaceChildren(element("p", { class: "dropped" }, error.message));
  }
}

function curve(points, most) {
  const [width, height, edge] = [640, 220, 40];
  const fitting = points.filter((each) => each.fits);
  const blocks = Math.max(1, ...fitting.map((each) => each.evidence));
  const x = (budget) => edge + ((width - 2 * edge) * budget) / most;
  const y = (share) => height - edge - (height - 2 * edge) * share;
  const line = (share) => fitting.map((each) => `${x(each.budget).toFixed(1)},${y(share(each)).toFixed(1)}`).join(" ");
  const svg = (tag, attributes, text) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text) made.textContent = text;
    return made;
  };
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Tokens that are used, and blocks that are placed, by budget; the table has the figures" });
  picture.append(
    svg("line", { x1: edge, y1: y(0), x2: width - edge, y2: y(0) }),
    svg("polyline", { class: "used", points: line((each) => each.used / most) }),
    svg("polyline", { class: "evidence", points: line((each) => each.evidence / blocks) }),
    svg("text", { x: edge, y: height - 12 }, "budget: 0"),
    svg("text", { x: width - edge, y: height - 12, "text-anchor": "end" }, tokens(most)),
    svg("text", { x: edge, y: 20 }, "tokens used (line), blocks placed (dashes)"),
  );
  const rows = points.map((each) =>
    element("tr", {}, cell(element("button", { type: "button", on: { click: () => choose(each.budget) } }, tokens(each.budget)), "number"), cell(each.fits ? "fits" : "does not fit", each.fits ? "kept" : "dropped"), cell(tokens(each.used), "number"), cell(tokens(each.evidence), "number"), cell(tokens(each.messages), "number")),
  );
  return [picture, table([["Budget", "number"], ["Fits"], ["Used", "number"], ["Blocks", "number"], ["Messages", "number"]], rows, "")];
}

function choose(budget) {
  $("budget").value = budget;
  $("slider").value = budget;
  soon();
}

function drawTries() {
  const items = state.tries.map((turn, number) => {
    const before = state.tries[number - 1]?.found;
    const said = before ? changes(before, turn.found) : [element("p", { class: "empty" }, "The first one.")];
    const budget = turn.found.budget === null ? "" : ` of ${tokens(turn.found.budget)}`;
    const open = element("button", { type: "button", on: { click: () => back(turn) } }, "Show this");
    return element("article", {}, element("h2", {}, `${number + 1}. ${tokens(turn.found.used)}${budget} tokens`, open), element("div", { class: "text" }, ...said));
  });
  $("tries").replaceChildren(...items.reverse());
}

function changes(before, after) {
  const words = (found) => new Map(found.messages.flatMap((message) => message.pieces.map((each) => [`${each.place} ${each.text}`, { role: message.role, ...each }])));
  const [was, is] = [words(before), words(after)];
  const gone = [...was].filter(([key]) => !is.has(key)).map(([, each]) => each);
  const come = [...is].filter(([key]) => !was.has(key)).map(([, each]) => each);
  const line = (tag, each) => element(tag, {}, `${each.label || each.role}: ${each.text}\n`);
  const said = [...gone.map((each) => line("del", each)), ...come.map((each) => line("ins", each))];
  return said.length ? said : [element("p", { class: "empty" }, "The same text in another order.")];
}

function back(turn) {
  fill(turn.body);
  again();
}

// A conversation, turn by turn

async function drawTalk() {
  const chosen = $("sessions").value;
  const asked = JSON.stringify([chosen, call()]);
  if (state.talk === asked) return;
  state.talk = asked;
  try {
    const at = `/v1/contexts/${encodeURIComponent(name)}`;
    const turns = chosen ? await ask(`${at}/sessions/${encodeURIComponent(chosen)}`) : await ask(`${at}/conversation`, call());
    if (state.talk === asked) $("talk-turns").replaceChildren(...turns.map(turnOf));
  } catch (error) {
    $("talk-turns").replaceChildren(element("p", { class: "dropped" }, error.message));
  }
}

function turnOf(turn, number) {
  const of = turn.budget === null ? "" : ` of ${tokens(turn.budget)}`;
  const open = element("button", { type: "button", on: { click: () => back({ body: turn.call }) } }, "Show this");
  const head = element("h2", {}, `${number + 1}. ${turn.said || "no message"}`, element("small", {}, `${tokens(turn.used)}${of} tokens · ${turn.messages} messages `, open));
  return element("article", {}, head, ...(turn.since ? differences(turn.since) : [element("p", { class: "text empty" }, "The first turn.")]));
}

async function sessions() {
  const found = await ask(`/v1/contexts/${encodeURIComponent(name)}/sessions`);
  const chosen = $("sessions").value;
  const options = found.map((each) => element("option", { value: each.id }, `${each.turns} ${each.turns === 1 ? "call" : "calls"} since ${new Date(each.began).toLocaleTimeString("en")}: ${each.said.slice(0, 60)}`));
  $("sessions").replaceChildren(element("option", { value: "" }, "the history of the form, turn by turn"), ...options);
  $("sessions").value = [...$("sessions").options].some((each) => each.value === chosen) ? chosen : "";
}

// Side by side

function differences(found) {
  const share = found.after ? Math.round((100 * found.same_prefix) / found.after) : 0;
  const facts = `${tokens(found.before)} tokens, then ${tokens(found.after)}; the first ${tokens(found.same_prefix)} (${share} %) are the same`;
  const rows = found.parts
    .filter((each) => each.before !== each.after)
    .map((each) => element("tr", {}, cell(each.label), cell(each.before === null ? "–" : tokens(each.before), "number"), cell(each.after === null ? "–" : tokens(each.after), "number")));
  const texts = found.changes.map((each) => {
    const number = each.after ?? each.before;
    const lines = each.lines.map((line) => element(line.startsWith("+") ? "ins" : line.startsWith("-") ? "del" : "span", {}, `${line}\n`));
    return element("details", { open: "" }, element("summary", {}, `message ${number}, ${each.role}`), element("pre", {}, ...lines));
  });
  const parts = rows.length ? [table([["Part"], ["Before", "number"], ["After", "number"]], rows, "")] : [];
  return [element("p", { class: "fact" }, facts), ...parts, ...(texts.length ? texts : [element("p", { class: "text empty" }, "The same text.")])];
}

async function compare() {
  const revision = $("revision").value.trim();
  const body = call();
  if (revision) body.revision = revision;
  if (!revision && $("other-budget").value) body.other_budget = Number($("other-budget").value);
  if (!revision && $("other-model").value) body.other_model = $("other-model").value;
  const path = `/v1/contexts/${encodeURIComponent(name)}/${revision ? "compare-revision" : "compare"}`;
  try {
    $("difference").replaceChildren(...differences(await ask(path, body)));
  } catch (error) {
    $("difference").replaceChildren(element("p", { class: "dropped" }, error.message));
  }
}

// Copies

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const COPIES = {
  curl: () => `curl -s ${location.origin}/v1/contexts/${encodeURIComponent(name)}/assemble -H 'content-type: application/json' -d ${quoted(JSON.stringify(call()))}`,
  python: () => {
    const body = call();
    const given = Object.entries(body).map(([key, value]) => `    ${key === "message" ? "user_message" : key}=${python(value)},\n`);
    return `result = assembler.assemble(\n    ${python(name)},\n${given.join("")})\n`;
  },
  golden: async () => (await ask(`/v1/contexts/${encodeURIComponent(name)}/golden-test`, { ...call(), case: caseName() })).text,
};

function python(value) {
  if (value === true) return "True";
  if (value === false) return "False";
  if (value === null) return "None";
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  if (typeof value === "object") return `{${Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${python(each)}`).join(", ")}}`;
  return JSON.stringify(value);
}

const caseName = () => `${name} at ${state.shown.used} tokens`;

async function record() {
  const named = prompt("What does this case prove?", caseName());
  if (!named) return;
  const found = await ask(`/v1/contexts/${encodeURIComponent(name)}/golden-test/save`, { ...call(), case: named });
  $("saved").textContent = `Saved in ${found.file}; it passes.`;
}

async function copy(button) {
  const text = await COPIES[button.dataset.copy]();
  const words = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    prompt("Copy this:", text);
  }
  setTimeout(() => (button.textContent = words), 1200);
}

async function save() {
  const page = await ask(`/v1/contexts/${encodeURIComponent(name)}/explain`, call());
  const link = element("a", { href: URL.createObjectURL(new Blob([page], { type: "text/html" })), download: `${name}.html` });
  link.click();
  URL.revokeObjectURL(link.href);
}

// Starting

function fill(body) {
  const most = Math.max(Number($("slider").max), body.budget ?? 0);
  $("slider").max = most;
  $("budget").value = body.budget ?? "";
  $("slider").value = body.budget ?? most;
  $("model").value = body.model ?? "";
  $("history").value = body.history ? JSON.stringify(body.history) : "";
  const fields = Object.entries(state.plan.inputs.properties ?? {}).map(([key, schema]) => field(key, schema, body.inputs?.[key] ?? schema.default ?? schema.examples?.[0]));
  if (state.plan.takes_message) fields.push(field("", { type: "string", description: "the user's message" }, body.message));
  $("inputs").replaceChildren(...(fields.length ? fields : [element("p", { class: "empty" }, "None.")]));
}

function choices() {
  const tabs = [...document.querySelectorAll('[role="tab"]')];
  const select = (tab) => {
    for (const each of tabs) {
      const on = each === tab;
      each.setAttribute("aria-selected", on);
      each.tabIndex = on ? 0 : -1;
      $(each.getAttribute("aria-controls")).hidden = !on;
    }
    if (tab.id === "tab-curve") drawCurve();
    if (tab.id === "tab-talk") sessions().then(drawTalk).catch(told);
  };
  for (const [number, tab] of tabs.entries()) {
    tab.addEventListener("click", () => select(tab));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = tabs[(number + step + tabs.length) % tabs.length];
      next.focus();
      select(next);
    });
  }
}

async function start() {
  document.title = `${name} · inspector`;
  state.plan = await ask(`/v1/contexts/${encodeURIComponent(name)}/inspect`);
  $("about").textContent = state.plan.description ?? "";
  $("context").replaceChildren(...state.plan.contexts.map((each) => element("option", each === name ? { selected: "" } : {}, each)));
  $("models").replaceChildren(...state.plan.models.map((each) => element("option", { value: each })));
  $("cases").replaceChildren(element("option", { value: "" }, "none"), ...state.plan.cases.map((each, number) => element("option", { value: number }, each.name)));
  $("cases-field").hidden = !state.plan.cases.length;
  $("record").hidden = $("revision-field").hidden = !state.plan.saves;
  fill(restored());
  await again();
  if (state.shown && !$("budget").value) {
    const most = Math.max(state.shown.budget ?? 0, state.shown.used, 100);
    $("slider").max = state.shown.budget === null ? 2 * most : most;
    $("slider").value = $("slider").max;
  }
}

choices();
$("context").addEventListener("change", () => (location.href = `/inspect/${encodeURIComponent($("context").value)}`));
$("slider").addEventListener("input", () => {
  $("budget").value = $("slider").value;
  soon();
});
$("call").addEventListener("input", (event) => !["slider", "key", "cases"].includes(event.target.id) && soon());
$("call").addEventListener("submit", (event) => event.preventDefault());
$("key").addEventListener("change", () => {
  sessionStorage.setItem("key", $("key").value);
  start().catch(told);
});
for (const each of document.querySelectorAll("[data-copy]")) each.addEventListener("click", () => copy(each).catch(told));
$("record").addEventListener("click", () => record().catch(told));
$("cases").addEventListener("change", () => {
  const chosen = state.plan.cases[$("cases").value];
  if (chosen) back({ body: chosen.call });
});
$("sessions").addEventListener("change", drawTalk);
$("other").addEventListener("submit", (event) => {
  event.preventDefault();
  compare();
});
$("save").addEventListener("click", () => save().catch(told));

function told(error) {
  $("problem").textContent = error.message;
  $("problem").hidden = false;
}

start().catch(told);
