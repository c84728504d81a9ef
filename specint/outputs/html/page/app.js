// Which view the address asks for, the keyboard, and the theme.
const main = document.getElementById('main');
const VIEWS = [['matrix', 'Matrix', '#/'], ['contract', 'Contract', '#/contract'], ['rules', 'Rules', '#/rules']];
if (report.compared) VIEWS.push(['releases', `Since ${report.compared.releases.before.version}`, '#/releases']);
const PARENTS = { model: 'matrix', rule: 'rules' };
let shownView = '';

function show() {
  const { view, name, filters } = state();
  const known = VIEWS.some(([one]) => one === view) || view in PARENTS || view === 'releases';
  const top = known ? PARENTS[view] || view : 'matrix';
  for (const link of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('#views a'))) {
    if (link.dataset.view === top) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  if (top === 'matrix') {
    const element = showMatrix(filters);
    const head = showBar(filters);
    const empty = shownModels.length ? null : el('p', { class: 'empty' }, 'No model fits these filters.');
    if (shownView !== 'matrix' || element.parentNode === null || !element.isConnected) main.replaceChildren(head, el('div', { id: 'table' }, element), el('div', { id: 'after' }));
    document.getElementById('after').replaceChildren(...[empty, matrixNotes(filters)].filter(Boolean));
  } else {
    const pages = { contract: contractView, rules: rulesView, rule: ruleView, releases: releasesView };
    main.replaceChildren(pages[view](name));
    scrollTo(0, 0);
    if (shownView) main.focus({ preventScroll: true });
  }
  shownView = top === 'matrix' ? 'matrix' : `${view}/${name}`;
  showDrawer(view === 'model' ? name : '', filters);
  const title = view === 'model' && modelCalled(name) ? `${modelCalled(name).label}, ` : '';
  document.title = `${title}SGLang ${report.version}: speculative decoding by model`;
}

function moveInTable(by) {
  /** @type {NodeListOf<HTMLElement>} */
  const found = document.querySelectorAll('.matrix tbody tr:not([hidden]) a.model');
  const links = [...found];
  const now = links.findIndex((link) => link === document.activeElement);
  const next = links[now < 0 ? (by > 0 ? 0 : links.length - 1) : now + by];
  if (next) next.focus();
  else if (by < 0 && bar) bar.search.focus();
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = /** @type {HTMLElement} */ (event.target);
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
  const { view, filters } = state();
  if (event.key === 'Escape') {
    if (view === 'model') location.hash = matrixAddress(filters);
    else if (typing && bar && target === bar.search) setFilters({ q: '' });
    else return;
  } else if (event.key === '/' && !typing && bar && bar.search.isConnected) {
    bar.search.focus();
    bar.search.select();
  } else if (view === 'model' && !typing && (event.key === 'j' || event.key === 'k')) {
    const next = step(modelCalled(state().name), event.key === 'j' ? 1 : -1, filters);
    if (next) location.hash = next;
  } else if (view === 'matrix' && (event.key === 'ArrowDown' || event.key === 'ArrowUp')
    && (target === bar.search || target.matches('a.model'))) {
    moveInTable(event.key === 'ArrowDown' ? 1 : -1);
  } else return;
  event.preventDefault();
});

const THEMES = ['auto', 'light', 'dark'];
function setTheme(name) {
  document.documentElement.dataset.theme = name;
  const button = document.getElementById('theme');
  button.textContent = `Theme: ${name}`;
  button.onclick = () => {
    const next = THEMES[(THEMES.indexOf(name) + 1) % THEMES.length];
    try { localStorage.setItem('specint-theme', next); } catch { /* a page from a file may have no storage */ }
    setTheme(next);
  };
}

function start() {
  let theme = 'auto';
  try { theme = localStorage.getItem('specint-theme') || 'auto'; } catch { /* likewise */ }
  setTheme(THEMES.includes(theme) ? theme : 'auto');
  document.getElementById('title').textContent = `SGLang ${report.version}`;
  document.getElementById('subtitle').textContent = 'Which model supports which speculative algorithm';
  document.getElementById('views').append(...VIEWS.map(([view, label, href]) => el('a', { href, 'data-view': view }, label)));
  document.getElementById('skip').addEventListener('click', (event) => {
    event.preventDefault();
    main.focus();
  });
  document.getElementById('foot').append(
    el('p', {}, `${report.summary}.`, report.compared ? ` Since ${report.compared.releases.before.version}: ${report.compared.phrase}.` : ''),
    ...(report.diagnostics.length ? [el('details', {}, el('summary', {}, plural(report.diagnostics.length, 'problem')), el('ul', {}, report.diagnostics.map((text) => el('li', {}, text))))] : []),
    el('p', { class: 'faint' }, `Read from the source of ${report.source} by specint ${report.specint}; nothing was run. `,
      'Keys: / search, ↓ ↑ move, Enter open, j k next and previous model, Esc close.'));
  addEventListener('hashchange', show);
  addEventListener('beforeprint', () => {
    /** @type {NodeListOf<HTMLDetailsElement>} */
    const parts = document.querySelectorAll('.drawer details.place, .drawer details.evidence');
    for (const part of parts) part.open = true;
  });
  show();
}

start();
