// The drawer: everything about one model, over the matrix it was found in.
function findingItem(finding, number, all) {
  return el('li', { class: 'finding' },
    el('p', { class: 'head' }, el('a', { class: 'chip rule', href: address('rule', finding.rule) }, finding.rule), ` ${finding.message}`),
    place(finding.at[0], finding.at[1], 'reported here'),
    (finding.evidence || []).map(([file, line, what]) => place(file, line, what)),
    finding.patch && !all.slice(number + 1).some((later) => later.patch === finding.patch) && el('div', { class: 'patch' },
      el('div', { class: 'patch-head' }, el('span', {}, 'Patch'), copyButton('Copy patch', () => finding.patch)), diff(finding.patch)));
}

function diff(text) {
  const kind = (line) => (/^(---|\+\+\+)/.test(line) ? 'file' : line.startsWith('@@') ? 'hunk' : line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : '');
  return el('pre', { class: 'diff', tabindex: '0', 'aria-label': 'Patch' }, text.replace(/\n$/, '').split('\n').map((line) => el('span', { class: kind(line) }, `${line}\n`)));
}

function verdictList(model) {
  return el('ul', { class: 'verdicts' }, report.algorithms.map((algorithm) => {
    const found = verdictOf(model, algorithm);
    const told = [...found.missing, ...found.broken.map((name) => `${name} can’t work`), ...found.unknown.map((name) => `${name}?`)];
    const change = changedIn(model, algorithm);
    return el('li', {}, el('a', { href: address('contract', algorithm) }, algorithm), el('span', {}, verdict(found.word),
      told.map((name) => [' ', code(name.replaceAll('|', ' or '))]).flat(),
      found.reason && el('span', { class: 'faint' }, ` ${found.reason}`),
      change && el('span', { class: `change ${change.kind.replace(' ', '-')}` }, `was ${change.before} in ${report.compared.releases.before.version}`)));
  }));
}

function step(model, by, filters) {
  const next = shownModels[shownModels.indexOf(model) + by];
  return next ? address('model', className(next.class), filters) : null;
}

function stepLink(href, label, text) {
  return href ? el('a', { class: 'step', href, 'aria-label': label, title: label }, text) : null;
}

function drawerFor(model, filters) {
  const dotted = className(model.class);
  const findings = findingsOf.get(model);
  const mro = model.mro.map(className);
  return [
    el('div', { class: 'drawer-head' },
      el('h2', { id: 'drawer-title', tabindex: '-1' }, model.label),
      el('span', { class: 'steps' }, stepLink(step(model, -1, filters), 'Previous model (k)', '↑'), stepLink(step(model, 1, filters), 'Next model (j)', '↓'),
        copyButton('Copy link', () => location.href), el('a', { class: 'step close', href: address('matrix', '', filters), 'aria-label': 'Close (Escape)', title: 'Close (Escape)' }, '✕'))),
    el('p', { class: 'where' }, code(placeText(...model.at)), ` serves as ${model.roles.join(' and ')}`),
    verdictList(model),
    model.picture && el('section', {}, el('h3', {}, 'What it inherits and what it holds'),
      el('div', { class: 'picture', tabindex: '0', role: 'group', 'aria-label': 'Picture of the classes' }, picture(model.picture)),
      el('p', { class: 'faint' }, 'A hollow arrow is inheritance, a filled one an attribute; a dashed red one holds what the model does not hand on.')),
    findings.length ? el('section', {}, el('h3', {}, plural(findings.length, 'finding')), el('ul', { class: 'findings' }, findings.map(findingItem))) : null,
    el('section', { class: 'asked' }, requirementLists(model)),
    el('details', { class: 'part' }, el('summary', {}, el('h3', {}, `Method resolution order (${mro.length})`)), el('ol', { class: 'mro' }, mro.map((name) => el('li', {}, code(name))))),
    (model.wraps || []).length ? el('details', { class: 'part' }, el('summary', {}, el('h3', {}, `Holds (${model.wraps.length})`)), el('ul', {}, model.wraps.map(([attribute, classes, reason]) =>
      el('li', {}, code(attribute), ' → ', classes.length ? classes.map((number) => code(className(number))).flatMap((one, index) => (index ? [', ', one] : [one])) : `not known: ${reason}`)))) : null,
    dotted === model.label ? null : el('p', { class: 'faint' }, dotted),
  ].flat();
}

let cameFrom = null; // where the keyboard was when the drawer opened

function showDrawer(name, filters) {
  const drawer = document.getElementById('drawer');
  const model = name && modelOf.get(name);
  if (!name) {
    if (!drawer.hidden) {
      drawer.hidden = true;
      drawer.replaceChildren();
      document.body.classList.remove('with-drawer');
      (cameFrom && cameFrom.isConnected ? cameFrom : document.getElementById('main')).focus();
      cameFrom = null;
    }
    return;
  }
  if (drawer.dataset.shown === name && !drawer.hidden) return;
  if (drawer.hidden) cameFrom = document.activeElement === document.body ? null : document.activeElement;
  drawer.dataset.shown = name;
  drawer.replaceChildren(...(model ? drawerFor(model, filters) : [el('h2', { id: 'drawer-title', tabindex: '-1' }, 'No such model'),
    el('p', {}, code(name), ' is not registered in this SGLang. ', el('a', { href: address('matrix', '', filters) }, 'Back to the matrix'))]).filter(Boolean));
  drawer.hidden = false;
  drawer.scrollTop = 0;
  document.body.classList.add('with-drawer');
  document.getElementById('drawer-title').focus({ preventScroll: true });
}
