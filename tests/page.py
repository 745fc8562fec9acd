#!/usr/bin/env python3
"""Looks at a report in headless Chromium, and compares its layout and a blurred picture of it with stored ones.

    page.py CHROMIUM REPORT STORED WIDTH light|dark [write]

STORED/WIDTH.json holds where each part stands, in parts of the width, in their order from above; and the brightness of the picture, cell by cell. Fonts differ
between machines, so the limits are loose: they find a part that is lost, moved, too wide or unreadable, not a shift by a few pixels.
Checked without stored values, too: errors of the script, what is wider than the window, contrast of texts, keys. Exits 1 and prints what is wrong."""

import json
import os
import re
import subprocess
import sys
import tempfile

HEIGHT, CELL = 900, 20
PARTS = ["h1", "#contents", "#key", "#search", "#filter", "#frame", "#detail", "#corpus-model", "#corpus-search", "#plot", "#block", "#worst", "#scores", "#cards", "#sweeps",
         "#pairs", "#findings"]
LOOK = r"""
const wait = ms => new Promise(done => setTimeout(done, ms));
const key = (target, name, inner) => target.dispatchEvent(new inner.KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
async function look() {
  const frame = document.querySelector("iframe"), inner = frame.contentWindow, page = frame.contentDocument, facts = { errors: inner.__errors || [] };
  facts.ready = page.documentElement.dataset.ready !== undefined;
  facts.scroll = page.documentElement.scrollWidth;
  const seen = element => element && element.getClientRects().length > 0;
  facts.boxes = PARTS.map(name => { const e = page.querySelector(name), box = seen(e) ? e.getBoundingClientRect() : null; return box && [name, box.x, box.y, box.width, box.height]; }).filter(Boolean);
  const cells = [...page.querySelectorAll("#space .row:first-child > span")].filter(seen);
  facts.columns = cells.length;
  facts.lines = new Set(cells.map(cell => Math.round(cell.getBoundingClientRect().top))).size;
  const parse = text => text.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const back = e => { for (; e; e = e.parentElement) { const c = parse(inner.getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
  facts.contrast = [];
  for (const e of page.querySelectorAll("body *")) {
    if (!seen(e) || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || e.closest("svg, script, option")) continue;
    const a = light(parse(inner.getComputedStyle(e).color)), b = light(back(e)), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) facts.contrast.push(e.tagName + " " + e.className + " '" + e.textContent.slice(0, 20) + "' " + ratio.toFixed(2));
  }
  const view = page.querySelector("#view"), plot = page.querySelector("#plot");
  key(view, "ArrowDown", inner);
  facts.row = view.getAttribute("aria-activedescendant");
  facts.detail = page.querySelector("#detail").textContent;
  key(plot, "ArrowRight", inner);
  facts.block = page.querySelector("#block").textContent;
  inner.onbeforeprint();
  facts.printed = page.querySelectorAll("#printed .row").length;
  inner.onafterprint();
  const out = document.createElement("pre");
  out.id = "facts";
  out.textContent = JSON.stringify(facts);
  document.body.append(out);
}
addEventListener("load", () => wait(300).then(look));
"""
SHRINK = r"""
addEventListener("load", () => {
  const image = document.querySelector("img"), canvas = document.createElement("canvas"), rows = [];
  canvas.width = image.naturalWidth; canvas.height = image.naturalHeight;
  const g = canvas.getContext("2d");
  g.drawImage(image, 0, 0);
  const data = g.getImageData(0, 0, canvas.width, canvas.height).data;
  for (let y = 0; y + CELL <= canvas.height; y += CELL) {
    const row = [];
    for (let x = 0; x + CELL <= canvas.width; x += CELL) {
      let sum = 0;
      for (let dy = 0; dy < CELL; dy++) for (let dx = 0; dx < CELL; dx++) { const i = 4 * ((y + dy) * canvas.width + x + dx); sum += (data[i] + data[i + 1] + data[i + 2]) / 3; }
      row.push(Math.round(sum / CELL / CELL));
    }
    rows.push(row);
  }
  const out = document.createElement("pre");
  out.id = "facts";
  out.textContent = JSON.stringify(rows);
  document.body.append(out);
});
"""


def chromium(program, folder, width, scheme, *arguments):
    # Without a sandbox of its own: as root, Chromium has none.
    command = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--allow-file-access-from-files", f"--user-data-dir={folder}/user",
               f"--blink-settings=preferredColorScheme={0 if scheme == 'dark' else 1}", f"--window-size={width},{HEIGHT}", "--virtual-time-budget=5000", "--force-device-scale-factor=1",
               *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=120, check=False).stdout


def facts_of(dom):
    found = re.search(r'<pre id="facts">(.*?)</pre>', dom, re.S)
    if not found:
        sys.exit("Chromium gave no facts about the page")
    return json.loads(found[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))


def blurred(picture):
    """Means over 3 by 3 cells: a line of text that moved by some pixels changes little."""
    def mean(y, x):
        cells = [picture[j][i] for j in range(max(0, y - 1), min(len(picture), y + 2)) for i in range(max(0, x - 1), min(len(picture[0]), x + 2))]
        return sum(cells) / len(cells)
    return [[mean(y, x) for x in range(len(picture[0]))] for y in range(len(picture))]


def differences(facts, stored, width):
    """What differs from the stored layout and picture."""
    names = [box[0] for box in facts["boxes"]]
    wanted = [box[0] for box in stored["boxes"]]
    if names != wanted:
        yield f"the parts are {' '.join(names)}, not {' '.join(wanted)}"
        return
    if facts["columns"] != stored["columns"]:
        yield f"{facts['columns']} columns of instructions, not {stored['columns']}"
    if facts["lines"] != stored["lines"]:
        yield f"{facts['lines']} lines for each instruction, not {stored['lines']}"
    for box, (name, x, wide) in zip(facts["boxes"], stored["boxes"]):
        if abs(box[1] / width - x) > 0.12 or abs(box[3] / width - wide) > 0.15:
            yield f"{name} is at {box[1] / width:.2f}, {box[3] / width:.2f} wide, not at {x:.2f}, {wide:.2f}"
    here, there = blurred(facts["picture"]), blurred(stored["picture"])
    if [len(row) for row in here] != [len(row) for row in there]:
        yield "the picture has another size"
        return
    cells = [abs(a - b) for one, other in zip(here, there) for a, b in zip(one, other)]
    mean, far = sum(cells) / len(cells), sum(cell > 40 for cell in cells) / len(cells)
    if mean > 8 or far > 0.04:
        yield f"the picture differs: by {mean:.1f} of 255 on average (at most 8), by more than 40 in {100 * far:.1f} % of it (at most 4)"


def complaints(facts, width):
    """What is wrong with any page."""
    yield from facts["errors"]
    if not facts["ready"]:
        yield "the script did not come to its end"
    if facts["scroll"] > width:
        yield f"the page is {facts['scroll']} pixels wide"
    yield from (f"low contrast: {text}" for text in facts["contrast"][:5])
    tops = [(box[2], box[0]) for box in facts["boxes"]]
    yield from (f"{below[1]} stands above {above[1]}" for above, below in zip(tops, tops[1:]) if below[0] < above[0] - 12)
    yield from (f"{box[0]} has no size" for box in facts["boxes"] if box[3] < 20 or box[4] < 8)
    if facts["row"] != "row0" or "scheduling class" not in facts["detail"]:
        yield f"an arrow key chose {facts['row']}"
    if "measured" not in facts["block"]:
        yield "an arrow key chose no block"
    if facts["printed"] < 2:
        yield "nothing would be printed"


def main():
    program, report, stored, width, scheme = sys.argv[1:6]
    width = int(width)
    path = os.path.join(stored, f"{width}.json")
    with tempfile.TemporaryDirectory() as folder:
        page = open(report, encoding="utf-8").read()
        # Errors are collected from the first line of the page on.
        page = page.replace("<head>", '<head><script>window.__errors = []; addEventListener("error", e => window.__errors.push(e.message));</script>', 1)
        open(f"{folder}/page.html", "w", encoding="utf-8").write(page)
        frame = f'<!DOCTYPE html><style>body {{ margin: 0 }} iframe {{ border: 0; width: {width}px; height: {HEIGHT}px; display: block }}</style><iframe src="page.html"></iframe>'
        open(f"{folder}/look.html", "w", encoding="utf-8").write(frame + f"<script>const PARTS = {json.dumps(PARTS)};{LOOK}</script>")
        open(f"{folder}/show.html", "w", encoding="utf-8").write(frame)
        open(f"{folder}/shrink.html", "w", encoding="utf-8").write(f'<!DOCTYPE html><img src="shot.png"><script>const CELL = {CELL};{SHRINK}</script>')
        facts = facts_of(chromium(program, folder, max(width, 600), scheme, "--dump-dom", f"file://{folder}/look.html"))
        chromium(program, folder, width, scheme, f"--screenshot={folder}/shot.png", f"file://{folder}/show.html")
        facts["picture"] = facts_of(chromium(program, folder, 800, scheme, "--dump-dom", f"file://{folder}/shrink.html"))
    if sys.argv[6:] == ["write"]:
        boxes = [[name, round(x / width, 3), round(wide / width, 3)] for name, x, _, wide, _ in facts["boxes"]]
        with open(path, "w", encoding="utf-8") as out:
            out.write('{"columns": %d,\n "lines": %d,\n "boxes": %s,\n "picture": [\n  %s]}\n' % (facts["columns"], facts["lines"], json.dumps(boxes), ",\n  ".join(map(json.dumps, facts["picture"]))))
        return
    found = list(complaints(facts, width))
    if scheme == "light": # the picture of a dark page is that of the light one, with other colours
        found += differences(facts, json.load(open(path, encoding="utf-8")), width)
    for text in found:
        print(f"{width} {scheme}: {text}")
    sys.exit(1 if found else 0)


main()
