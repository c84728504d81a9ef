// Targets as rows and algorithms as columns; below them the drafts, a row for each algorithm that one serves. The rows
// are made once; a filter hides and a sort moves them.
let table = null; // { columns, body, rows: [{ model, algorithms, row, text }], drafts: [the same], ... }

function columnsOf(filters) {
  if (filters.algorithm && report.algorithms.includes(filters.algorithm)) return [filters.algorithm];
  return filters.columns === 'all' ? report.algorithms : report.columns;
}

function toldOf(found) {
  return [...found.missing.map((name) => `lacks ${name.replaceAll('|', ' or ')}`),
    ...found.broken.map((name) => `${name} is there and can’t work`), ...found.unknown.map((name) => `${name} is not known`), found.reason].filter(Boolean).join('; ');
}

function cell(model, algorithm) {
  const found = verdictOf(model, algorithm);
  const change = changedIn(model, algorithm);
  const was = change && el('span', { class: `change ${change.kind.replace(' ', '-')}` },
    change.kind === 'other' ? `was ${change.before}` : change.kind);
  return el('td', { class: `cell ${classOf(found.standing)}`, 'data-label': algorithm, role: 'cell' },
    modelLink(model, { class: 'into', title: toldOf(found) || null }, algorithm, verdict(found.standing)), was);
}

// A link that keeps the filters of the moment it is followed.
function modelLink(model, attributes, on, ...children) {
  const link = el('a', { href: address('model', nameOf(model), { on }), ...attributes }, ...children);
  link.addEventListener('click', () => { link.setAttribute('href', modelAddress(model, on)); });
  return link;
}

function severitiesOf(findings) {
  const counts = new Map();
  for (const finding of findings) counts.set(severityOf(finding), (counts.get(severityOf(finding)) || 0) + 1);
  return [...counts].sort(([a], [b]) => SEVERITIES.indexOf(a) - SEVERITIES.indexOf(b));
}

function countCell(findings) {
  const told = severitiesOf(findings).map(([severity, number]) => el('span', { class: `severity ${severity}` }, plural(number, severity)));
  return el('td', { class: 'count', role: 'cell' }, told.length ? told : el('span', { class: 'faint' }, '–'));
}

function nameCell(model, notes) {
  return el('th', { scope: 'row', role: 'rowheader' }, modelLink(model, { class: 'model' }, '', model.label),
    notes.length ? el('span', { class: 'notes' }, notes.join(' · ')) : null);
}

function opensOnClick(row, model, on) {
  row.addEventListener('click', (event) => {
    if (!event.target.closest('a') && !String(getSelection())) location.hash = modelAddress(model, on);
  });
  return row;
}

function rowOf(model, columns, algorithm) {
  const dotted = className(model.class);
  const held = [...new Set((model.wraps || []).flatMap(([, classes]) => classes))].map((number) => lastName(className(number)));
  const notes = [];
  if (held.length) notes.push(`holds ${held.slice(0, 2).join(', ')}${held.length > 2 ? ` and ${held.length - 2} more` : ''}`);
  else if (isWrapper(model)) notes.push('holds a model that is not known');
  if (isNew.has(dotted)) notes.push('new');
  const row = opensOnClick(el('tr', { role: 'row' }, nameCell(model, notes), columns.map((name) => cell(model, name)),
    countCell(toldUnder(model, algorithm))), model, algorithm);
  return { model, algorithms: columns, row, text: `${model.label} ${dotted} ${fileName(model.at[0])}`.toLowerCase() };
}

// The algorithms under which a draft stands alike, one row each; a draft that serves none has a row that says so.
function draftRows(model, algorithm) {
  const under = new Map();
  for (const name of servedBy(model)) {
    if (!algorithm || name === algorithm) under.set(verdictOf(model, name).standing, [...(under.get(verdictOf(model, name).standing) || []), name]);
  }
  const rows = [...under.values()].map((names) => draftRow(model, names, algorithm));
  return servedBy(model).length ? rows : [draftRow(model, [], algorithm)];
}

function draftRow(model, names, algorithm) {
  const dotted = className(model.class);
  const from = model.made_from || [];
  const on = names[0] || '';
  const verdictCell = names.length ? cell(model, names[0]) : el('td', { role: 'cell', class: 'cell' }, verdict('not applicable'));
  const row = opensOnClick(el('tr', { role: 'row' }, nameCell(model, isNew.has(dotted) ? ['new'] : []),
    el('td', { role: 'cell', class: 'algorithm', 'data-label': 'algorithm' }, names.join(', ')), verdictCell,
    el('td', { role: 'cell', class: 'from', 'data-label': from.length ? 'for checkpoints of' : null }, from.flatMap((name, index) => {
      const target = byLastName.get(name);
      return [index ? ', ' : '', target ? modelLink(target, {}, on, name) : name];
    })), countCell(toldUnder(model, algorithm))), model, on);
  return { model, algorithms: names, row, text: `${model.label} ${dotted} ${fileName(model.at[0])}`.toLowerCase() };
}

// A long name may go on in the next line, behind a sign that is there to part it.
const breakable = (name) => name.split('_').flatMap((part, index) => (index ? ['_', el('wbr'), part] : [part]));

function heading(heads, key, label) {
  const made = el('th', { scope: 'col', class: key === 'findings' ? 'count' : '', role: 'columnheader' },
    el('button', { type: 'button', class: 'sort', onclick: () => sortBy(key) }, breakable(label)));
  heads.set(key, made);
  return made;
}

function gridOf(label, kind, head, body, algorithms) {
  const made = el('table', { class: `matrix ${kind}`, role: 'table', 'aria-label': label },
    el('thead', { role: 'rowgroup' }, el('tr', { role: 'row' }, head.flat())), body);
  made.style.setProperty('--algorithms', algorithms);
  if (algorithms > 5) made.classList.add('many');
  return made;
}

function tableFor(columns, algorithm) {
  if (table && table.columns.join() === columns.join() && table.algorithm === algorithm) return table;
  const rows = targets.map((model) => rowOf(model, columns, algorithm));
  const made = drafts.flatMap((model) => draftRows(model, algorithm));
  const body = el('tbody', { role: 'rowgroup' }, rows.map((one) => one.row));
  const draftBody = el('tbody', { role: 'rowgroup' }, made.map((one) => one.row));
  const heads = new Map();
  const grid = gridOf('Models and speculative algorithms', 'targets', [heading(heads, 'model', 'model'),
    columns.map((name) => heading(heads, name, name)), heading(heads, 'findings', 'findings')], body, columns.length);
  const head = (text, kind) => el('th', { scope: 'col', role: 'columnheader', class: kind || '' }, text);
  const draftGrid = gridOf('Drafts', 'drafts', [head('draft'), head('algorithm'), head('verdict'), head('for checkpoints of'), head('findings', 'count')], draftBody, 1);
  const totals = el('div', { id: 'totals' });
  const targetPart = el('section', {}, el('h2', {}, 'Targets'), grid);
  const draftPart = el('section', {}, el('h2', {}, 'Drafts'), el('p', { class: 'remarks' }, 'Each is judged by what its worker asks of a draft.'), draftGrid);
  table = { columns, algorithm, rows, drafts: made, body, heads, totals, draftPart, targetPart, element: el('div', {}, totals, targetPart, draftPart) };
  return table;
}

// How many of the targets shown stand where: the legend of the matrix as well, and a way into it.
function totalsOf(columns, shown, filters) {
  const words = Object.keys(STANDINGS);
  const count = (word, name) => shown.filter((model) => verdictOf(model, name).standing === word).length;
  const used = words.filter((word) => columns.some((name) => count(word, name)));
  return el('table', { class: 'totals' }, el('caption', { class: 'unseen' }, 'How many targets stand where'),
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'targets'), columns.map((name) => el('th', { scope: 'col', class: 'number' }, name)), el('th', { scope: 'col', class: 'meaning' }, 'meaning'))),
    el('tbody', {}, used.map((word) => el('tr', {}, el('th', { scope: 'row' }, verdict(word, word)),
      columns.map((name) => {
        const number = count(word, name);
        return el('td', { class: 'number' }, number ? el('a', { href: address('matrix', '', { ...filters, algorithm: name, verdict: word, on: '' }) }, String(number)) : null);
      }), el('td', { class: 'meaning' }, report.meanings[word])))));
}

function sortBy(key) {
  const now = state().filters.sort;
  setFilters({ sort: now === key ? `-${key}` : now === `-${key}` ? '' : key });
}

const RANK = { broken: 0, 'one step away': 1, 'half there': 2, 'never offered': 3, unknown: 4, ok: 5, 'not applicable': 6 };

function arranged(rows, sort) {
  if (!sort) return rows;
  const key = sort.replace(/^-/, '');
  const value = key === 'findings' ? (one) => -toldUnder(one.model, '').length
    : key === 'model' ? () => 0 : (one) => RANK[verdictOf(one.model, key).standing] ?? 9;
  const way = sort.startsWith('-') ? -1 : 1;
  return [...rows].sort((a, b) => way * (value(a) - value(b))
    || (key === 'model' ? way : 1) * a.model.label.localeCompare(b.model.label));
}

function matches(one, filters) {
  const { model } = one;
  const words = filters.q.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.every((word) => one.text.includes(word) || called(model, word))) return false;
  const has = (name) => [verdictOf(model, name).standing, verdictOf(model, name).word].includes(filters.verdict);
  if (filters.verdict && !one.algorithms.some(has)) return false;
  if (filters.kind === 'wrapper' && !isWrapper(model)) return false;
  if (filters.kind === 'plain' && isWrapper(model)) return false;
  if ((filters.kind === 'target' || filters.kind === 'draft') && !model.roles.includes(filters.kind)) return false;
  if (filters.file && !fileName(model.at[0]).includes(filters.file)) return false;
  if (filters.change === 'new' && !isNew.has(className(model.class))) return false;
  if (filters.change && filters.change !== 'new'
    && !report.algorithms.some((name) => changedIn(model, name)?.kind === filters.change)) return false;
  const findings = toldUnder(model, filters.algorithm);
  if (filters.rule === 'any') return findings.length > 0;
  return !filters.rule || findings.some((finding) => finding.rule === filters.rule);
}

// The models of the rows that the filters leave, in the order shown: what the drawer steps through.
let shownModels = [];

function showMatrix(filters) {
  const columns = columnsOf(filters);
  const made = tableFor(columns, filters.algorithm);
  const order = arranged(made.rows, filters.sort);
  if (made.sorted !== filters.sort) made.body.append(...order.map((one) => one.row));
  made.sorted = filters.sort;
  const left = (rows) => rows.filter((one) => {
    const wanted = matches(one, filters);
    if (one.row.hidden === wanted) one.row.hidden = !wanted;
    return wanted;
  }).map((one) => one.model);
  const shownTargets = left(order);
  const shownDrafts = left(made.drafts);
  shownModels = [...shownTargets, ...new Set(shownDrafts)];
  made.targetPart.hidden = !shownTargets.length;
  made.draftPart.hidden = !shownDrafts.length;
  made.totals.replaceChildren(...(shownTargets.length ? [totalsOf(columns, shownTargets, filters)] : []));
  for (const [key, headElement] of made.heads) {
    const way = filters.sort === key ? 'ascending' : filters.sort === `-${key}` ? 'descending' : null;
    if (way) headElement.setAttribute('aria-sort', way);
    else headElement.removeAttribute('aria-sort');
  }
  return made.element;
}
