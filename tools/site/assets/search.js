// The search: names first, then sections of the manual. The index is a script beside this one, which is loaded when
// you begin to search, so that all of it works from a disk.
(function () {
  "use strict";
  var root = document.currentScript.getAttribute("data-root") || "";
  var input = document.getElementById("site-search");
  var list = document.getElementById("site-results");
  var KINDS = { "module": 3, "class": 3, "function": 2, "method": 2, "table": 1, "field": 0, "page": 3, "section": 1,
    "example": 0, "constant": 0 };
  var MOST = 30;
  var chosen = -1;
  var loading = false;

  function load(then) {
    if (window.CUDALUA_INDEX) { then(); return; }
    if (loading) { return; }
    loading = true;
    var script = document.createElement("script");
    script.src = root + "search-index.js";
    script.onload = function () {
      window.CUDALUA_INDEX.forEach(function (one) {
        one.title = one[1].toLowerCase();
        one.last = one.title.split(/[.:]/).pop();
        one.rest = (one[3] + " " + one[4]).toLowerCase();
      });
      then();
    };
    document.head.appendChild(script);
  }

  // How well it fits: every word has to be somewhere.
  function score(one, words) {
    var total = KINDS[one[2]] || 0;
    for (var i = 0; i < words.length; i++) {
      var word = words[i];
      if (one.title === word || one.last === word) { total += 100; }
      else if (one.last.indexOf(word) === 0) { total += 60; }
      else if (one.title.indexOf(word) === 0) { total += 50; }
      else if (one.title.indexOf(word) >= 0) { total += 35; }
      else if (one.rest.indexOf(word) >= 0) { total += 8; }
      else { return 0; }
    }
    return total - one.title.length / 50;
  }

  function find(text) {
    var words = text.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) { return []; }
    var found = [];
    window.CUDALUA_INDEX.forEach(function (one) {
      var points = score(one, words);
      if (points > 0) { found.push([points, one]); }
    });
    found.sort(function (a, b) { return b[0] - a[0] || (a[1].title < b[1].title ? -1 : 1); });
    return found.slice(0, MOST).map(function (pair) { return pair[1]; });
  }

  // The text around the first word that is in it, with the words marked; everything as text, never as HTML.
  function excerpt(one, words) {
    var p = document.createElement("p");
    var text = one[4] && one.rest.length > one[3].length + 1 ? one[4] : one[3];
    if (one[2] !== "section" && one[2] !== "page") { text = one[3]; }
    var at = -1;
    words.forEach(function (word) {
      var here = text.toLowerCase().indexOf(word);
      if (here >= 0 && (at < 0 || here < at)) { at = here; }
    });
    var from = Math.max(0, at - 50);
    if (from > 0) { from = text.indexOf(" ", from) + 1; }
    text = (from > 0 ? "... " : "") + text.slice(from, from + 150);
    var low = text.toLowerCase();
    var place = 0;
    while (place < text.length) {
      var next = text.length;
      var length = 0;
      words.forEach(function (word) {
        var here = low.indexOf(word, place);
        if (here >= 0 && here < next) { next = here; length = word.length; }
      });
      p.appendChild(document.createTextNode(text.slice(place, next)));
      if (!length) { break; }
      var mark = document.createElement("mark");
      mark.textContent = text.slice(next, next + length);
      p.appendChild(mark);
      place = next + length;
    }
    return p;
  }

  function choose(n) {
    var items = list.querySelectorAll("li[role=option]");
    if (!items.length) { return; }
    if (items[chosen]) { items[chosen].setAttribute("aria-selected", "false"); }
    chosen = (n + items.length) % items.length;
    items[chosen].setAttribute("aria-selected", "true");
    items[chosen].scrollIntoView({ block: "nearest" });
  }

  function show() {
    var text = input.value.trim();
    list.textContent = "";
    chosen = -1;
    list.hidden = !text;
    if (!text) { return; }
    var words = text.toLowerCase().split(/\s+/);
    var found = find(text);
    found.forEach(function (one) {
      var item = document.createElement("li");
      item.setAttribute("role", "option");
      var a = document.createElement("a");
      a.href = root + one[0];
      var b = document.createElement("b");
      b.textContent = one[1];
      var small = document.createElement("small");
      small.textContent = " " + (one[2] === "section" ? one[3] : one[2]);
      a.append(b, small, excerpt(one, words));
      item.appendChild(a);
      list.appendChild(item);
    });
    if (!found.length) {
      var none = document.createElement("li");
      none.className = "none";
      none.textContent = "Nothing has these words.";
      list.appendChild(none);
    } else {
      choose(0);
    }
  }

  function update() { load(show); }

  // The page's own place in the list of pages.
  var side = document.querySelector(".side");
  var current = document.querySelector(".side [aria-current]");
  if (current && side.scrollHeight > side.clientHeight) {
    side.scrollTop = current.offsetTop - side.clientHeight / 2;
  }

  input.addEventListener("input", update);
  input.addEventListener("focus", function () { load(function () { if (input.value) { show(); } }); });
  input.addEventListener("keydown", function (event) {
    var items = list.querySelectorAll("li[role=option] a");
    if (event.key === "ArrowDown") { choose(chosen + 1); event.preventDefault(); }
    else if (event.key === "ArrowUp") { choose(chosen - 1); event.preventDefault(); }
    else if (event.key === "Enter" && items[chosen]) { window.location.href = items[chosen].href; list.hidden = true; }
    else if (event.key === "Escape") { list.hidden = true; input.blur(); }
  });
  document.addEventListener("keydown", function (event) {
    var tag = document.activeElement && document.activeElement.tagName;
    if (event.key === "/" && tag !== "INPUT" && tag !== "TEXTAREA") { input.focus(); event.preventDefault(); }
  });
  document.addEventListener("click", function (event) {
    if (!event.target.closest(".search")) { list.hidden = true; }
  });
}());
