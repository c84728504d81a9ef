// The drawer: everything about one model, over the matrix it was found in.
function findingItem(finding) {
  const evidence = finding.evidence || [];
  return el('li', { class: `finding ${severityOf(finding)}` },
    el('p', { class: 'head' }, el('span', { class: `severity ${severityOf(finding)}` }, severityOf(finding)), ' ', el('a', { class: 'chip rule', href: address('rule', finding.rule) }, finding.rule), ` ${finding.message}`),
    place(finding.at[0], finding.at[1], 'reported here'),
    evidence.length ? el('details', { class: 'evidence' }, el('summary', {}, `shown by ${plural(evidence.length, 'place')}`), evidence.map(([file, line, what]) => place(file, line, what))) : null);
}

// What would settle the findings: each patch once, before the findings themselves.
function patches(findings) {
  return [...new Set(findings.map((finding) => finding.patch).filter(Boolean))].map((patch) => el('section', { class: 'patch' },
    el('div', { class: 'patch-head' }, el('h3', {}, 'The lines to add'), copyButton('Copy patch', () => patch)), diff(patch)));
}

function diff(text) {
  const kind = (line) => (/^(---|\+\+\+)/.test(line) ? 'file' : line.startsWith('@@') ? 'hunk' : line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : '');
  return el('pre', { class: 'diff', tabindex: '0', 'aria-label': 'Patch' }, text.replace(/\n$/, '').split('\n').map((line) => el('span', { class: kind(line) }, `${line}\n`)));
}

function verdictItem(model, algorithm) {
  const found = verdictOf(model, algorithm);
  const told = [...found.missing, ...found.broken.map((name) => `${name} can’t work`), ...found.unknown.map((name) => `${name}?`)];
  const change = changedIn(model, algorithm);
  const why = (model.drafts_for || {})[algorithm];
  return el('li', {}, el('a', { href: address('contract', algorithm) }, algorithm), el('span', {}, verdict(found.standing, found.standing),
    told.map((name) => [' ', code(name.replaceAll('|', ' or '))]).flat(),
    found.reason && el('span', { class: 'faint' }, ` ${found.reason}`),
    why && el('span', { class: 'faint' }, ` ${why}`),
    change && el('span', { class: `change ${change.kind.replace(' ', '-')}` }, `was ${change.before} in ${report.compared.releases.before.version}`)));
}

// The answer: for the algorithm that was asked for, then, folded, for the others.
function verdictList(model, on) {
  const list = (names) => el('ul', { class: 'verdicts' }, names.map((name) => verdictItem(model, name)));
  const applies = servedBy(model);
  const others = report.algorithms.filter((name) => !applies.includes(name));
  const folded = (title, names) => (names.length ? el('details', { class: 'part' }, el('summary', {}, title), list(names)) : null);
  if (!on) return [list(applies.length ? applies : report.algorithms), applies.length ? folded(`Not applicable: ${others.join(', ')}`, others) : null];
  return [el('div', { class: 'answer' }, list([on]), el('p', { class: 'faint' }, report.meanings[verdictOf(model, on).standing])),
    folded('Other algorithms', report.algorithms.filter((name) => name !== on))];
}

function step(model, by, filters) {
  const next = shownModels[shownModels.indexOf(model) + by];
  return next ? address('model', nameOf(next), filters) : null;
}

function stepLink(href, label, text) {
  return href ? el('a', { class: 'step', href, 'aria-label': label, title: label }, text) : null;
}

function drawerFor(model, filters) {
  const dotted = className(model.class);
  const on = report.algorithms.includes(filters.on) ? filters.on : '';
  const findings = findingsUnder(model, on);
  const told = toldUnder(model, on).length;
  const more = toldUnder(model, '').length - told;
  const mro = model.mro.map(className);
  const from = model.made_from || [];
  return [
    el('div', { class: 'drawer-head' },
      el('h2', { id: 'drawer-title', tabindex: '-1' }, model.label),
      el('span', { class: 'steps' }, stepLink(step(model, -1, filters), 'Previous model (k)', '↑'), stepLink(step(model, 1, filters), 'Next model (j)', '↓'),
        copyButton('Copy link', () => location.href), el('a', { class: 'step close', href: matrixAddress(filters), 'aria-label': 'Close (Escape)', title: 'Close (Escape)' }, '✕'))),
    el('p', { class: 'where' }, code(placeText(...model.at)), sourceLink(...model.at), ` serves as ${model.roles.join(' and ')}`),
    verdictList(model, on),
    from.length ? el('p', {}, 'Drafts for checkpoints of ', from.flatMap((name, index) => [index ? ', ' : '',
      byLastName.get(name) ? el('a', { href: address('model', name, filters) }, name) : code(name)]), '.') : null,
    patches(findings),
    findings.length ? el('section', {}, el('h3', {}, `${plural(told, 'finding')}${on ? ` for ${on}` : ''}${told < findings.length ? `, and ${findings.length - told} told with a base` : ''}`), el('ul', { class: 'findings' }, findings.map(findingItem))) : null,
    more ? el('p', {}, el('a', { href: address('model', nameOf(model), { ...filters, on: '' }) }, `${plural(more, 'finding')} for other algorithms`)) : null,
    model.picture && el('section', {}, el('h3', {}, 'What it inherits and what it holds'),
      el('div', { class: 'picture', tabindex: '0', role: 'group', 'aria-label': 'Picture of the classes' }, picture(model.picture)),
      el('p', { class: 'faint' }, 'A hollow arrow is inheritance, a filled one an attribute; a dashed red one holds what the model does not hand on.')),
    el('section', { class: 'asked' }, requirementLists(model, on)),
    el('details', { class: 'part' }, el('summary', {}, el('h3', {}, `Method resolution order (${mro.length})`)), el('ol', { class: 'mro' }, mro.map((name) => el('li', {}, code(name))))),
    (model.wraps || []).length ? el('details', { class: 'part' }, el('summary', {}, el('h3', {}, `Holds (${model.wraps.length})`)), el('ul', {}, model.wraps.map(([attribute, classes, reason]) =>
      el('li', {}, code(attribute), ' → ', classes.length ? classes.map((number) => code(className(number))).flatMap((one, index) => (index ? [', ', one] : [one])) : `not known: ${reason}`)))) : null,
    dotted === model.label ? null : el('p', { class: 'faint' }, dotted),
  ].flat();
}

let cameFrom = null; // where the keyboard was when the drawer opened

function showDrawer(name, filters) {
  const drawer = document.getElementById('drawer');
  const model = name && modelCalled(name);
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
  const shown = `${name} ${filters.on}`;
  if (drawer.dataset.shown === shown && !drawer.hidden) return;
  if (drawer.hidden) cameFrom = document.activeElement === document.body ? null : document.activeElement;
  drawer.dataset.shown = shown;
  drawer.replaceChildren(...(model ? drawerFor(model, filters) : [el('h2', { id: 'drawer-title', tabindex: '-1' }, 'No such model'),
    el('p', {}, code(name), ' is not registered in this SGLang. ', el('a', { href: matrixAddress(filters) }, 'Back to the matrix'))]).filter(Boolean));
  drawer.hidden = false;
  drawer.scrollTop = 0;
  document.body.classList.add('with-drawer');
  document.getElementById('drawer-title').focus({ preventScroll: true });
}
