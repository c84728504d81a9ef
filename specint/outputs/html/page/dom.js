// Elements from data. Text only ever becomes text: nothing of the analysed tree is parsed as HTML.
function el(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

const code = (text) => el('code', {}, text);
const plural = (number, noun) => `${number} ${noun}${number === 1 ? '' : noun.endsWith('s') ? 'es' : 's'}`;

const STANDINGS = { ok: '✓', 'one step away': '»', 'half there': '◐', 'never offered': '−', broken: '!', unknown: '?', 'not applicable': '·' };
const SIGNS = { ...STANDINGS, missing: '✗' };
const SHORT = { 'not applicable': 'n/a', 'one step away': 'one step', 'never offered': 'not offered' };
const STATUS_WORDS = { present: 'ok', missing: 'missing', unknown: 'unknown' };
const classOf = (word) => word.replaceAll(' ', '-');

// Sign and word: colour is never the only difference.
function verdict(word, shown) {
  return el('span', { class: `verdict ${classOf(word)}` },
    el('span', { class: 'sign', 'aria-hidden': 'true' }, SIGNS[word]), ` ${shown || SHORT[word] || word}`);
}

function say(text) {
  document.getElementById('said').textContent = text;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch { // no permission, or not a place where there is a clipboard: select and copy as one did before
    const area = el('textarea', { class: 'unseen', 'aria-hidden': 'true' });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

function copyButton(label, text) {
  const button = el('button', {
    type: 'button', class: 'copy', onclick: async () => {
      const done = await copy(text());
      button.textContent = done ? 'Copied' : 'Not copied';
      say(done ? `${label}: copied` : 'The browser did not allow to copy');
      setTimeout(() => { button.textContent = label; }, 1600);
    },
  }, label);
  return button;
}

// Trusted markup only: pictures and rules, both made by specint with every name in them escaped.
function picture(markup) {
  const parsed = new DOMParser().parseFromString(markup, 'image/svg+xml').documentElement;
  const made = document.importNode(parsed, true);
  // A wide one shrinks to the space there is, but stays legible; then it scrolls.
  made.style.minWidth = `${0.78 * Number(made.getAttribute('width'))}px`;
  return made;
}

function rendered(markup) {
  const template = document.createElement('template');
  template.innerHTML = markup;
  return template.content;
}
