// Models as rows, algorithms as columns. The rows are made once; a filter hides and a sort moves them.
let table = null; // { columns, body, rows: [{ model, row, link, text }] }

function columnsOf(filters) {
  if (filters.algorithm && report.algorithms.includes(filters.algorithm)) return [filters.algorithm];
  return filters.columns === 'all' ? report.algorithms : report.columns;
}

function cell(model, algorithm) {
  const found = verdictOf(model, algorithm);
  const told = [...found.missing.map((name) => `lacks ${name.replaceAll('|', ' or ')}`),
    ...found.broken.map((name) => `${name} is there and can’t work`), ...found.unknown.map((name) => `${name} is not known`), found.reason].filter(Boolean).join('; ');
  const change = changedIn(model, algorithm);
  const was = change && el('span', { class: `change ${change.kind.replace(' ', '-')}` },
    change.kind === 'other' ? `was ${change.before}` : change.kind);
  return el('td', { class: `cell ${classOf(found.word)}`, 'data-label': algorithm, title: told, role: 'cell' }, verdict(found.word), was);
}

function rowOf(model, columns) {
  const dotted = className(model.class);
  const link = el('a', { href: `#/model/${encodeURIComponent(dotted)}`, class: 'model' }, model.label);
  const held = [...new Set((model.wraps || []).flatMap(([, classes]) => classes))].map((number) => lastName(className(number)));
  const notes = [];
  if (held.length) notes.push(`holds ${held.slice(0, 2).join(', ')}${held.length > 2 ? ` and ${held.length - 2} more` : ''}`);
  else if (isWrapper(model)) notes.push('holds a model that is not known');
  if (model.roles.includes('draft')) notes.push('draft');
  if (isNew.has(dotted)) notes.push('new');
  const count = findingsOf.get(model).length;
  const row = el('tr', { role: 'row' },
    el('th', { scope: 'row', role: 'rowheader' }, link, notes.length ? el('span', { class: 'notes' }, notes.join(' · ')) : null),
    columns.map((algorithm) => cell(model, algorithm)),
    el('td', { class: `count${count ? ' some' : ''}`, role: 'cell' }, count ? plural(count, 'finding') : el('span', { class: 'faint' }, 'no findings')));
  row.addEventListener('click', (event) => {
    if (!event.target.closest('a') && !String(getSelection())) location.hash = modelAddress(model);
  });
  link.addEventListener('click', () => { link.setAttribute('href', modelAddress(model)); });
  return { model, row, link, text: `${model.label} ${dotted} ${fileName(model.at[0])}`.toLowerCase() };
}

function tableFor(columns) {
  if (table && table.columns.join() === columns.join()) return table;
  const rows = report.models.map((model) => rowOf(model, columns));
  const body = el('tbody', { role: 'rowgroup' }, rows.map((one) => one.row));
  const heads = new Map();
  const head = (key, label, more) => {
    const made = el('th', { scope: 'col', class: key === 'findings' ? 'count' : '', role: 'columnheader' },
      el('button', { type: 'button', class: 'sort', onclick: () => sortBy(key) }, label), more);
    heads.set(key, made);
    return made;
  };
  const counts = new Map(columns.map((algorithm) => [algorithm, el('span', { class: 'tally' })]));
  const element = el('table', { class: 'matrix', role: 'table', 'aria-label': 'Models and speculative algorithms' },
    el('thead', { role: 'rowgroup' }, el('tr', { role: 'row' }, head('model', 'model'),
      columns.map((algorithm) => head(algorithm, algorithm, counts.get(algorithm))), head('findings', 'findings'))),
    body);
  element.style.setProperty('--algorithms', columns.length);
  table = { columns, rows, body, heads, counts, element };
  return table;
}

function sortBy(key) {
  const now = state().filters.sort;
  setFilters({ sort: now === key ? `-${key}` : now === `-${key}` ? '' : key });
}

const RANK = { missing: 0, broken: 1, unknown: 2, ok: 3, 'not applicable': 4 };

function arranged(rows, sort) {
  if (!sort) return rows;
  const key = sort.replace(/^-/, '');
  const value = key === 'findings' ? (one) => -findingsOf.get(one.model).length
    : key === 'model' ? () => 0 : (one) => RANK[verdictOf(one.model, key).word] ?? 9;
  const way = sort.startsWith('-') ? -1 : 1;
  return [...rows].sort((a, b) => way * (value(a) - value(b))
    || (key === 'model' ? way : 1) * a.model.label.localeCompare(b.model.label));
}

function matches(one, filters, columns) {
  const { model } = one;
  const words = filters.q.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.every((word) => one.text.includes(word))) return false;
  if (filters.verdict && !columns.some((name) => verdictOf(model, name).word === filters.verdict)) return false;
  if (filters.kind === 'wrapper' && !isWrapper(model)) return false;
  if (filters.kind === 'plain' && isWrapper(model)) return false;
  if ((filters.kind === 'target' || filters.kind === 'draft') && !model.roles.includes(filters.kind)) return false;
  if (filters.file && !fileName(model.at[0]).includes(filters.file)) return false;
  if (filters.change === 'new' && !isNew.has(className(model.class))) return false;
  if (filters.change && filters.change !== 'new'
    && !report.algorithms.some((name) => changedIn(model, name)?.kind === filters.change)) return false;
  const findings = findingsOf.get(model);
  if (filters.rule === 'any') return findings.length > 0;
  return !filters.rule || findings.some((finding) => finding.rule === filters.rule);
}

// The rows that the filters leave, in the order shown: what the drawer steps through.
let shownModels = [];

function showMatrix(filters) {
  const columns = columnsOf(filters);
  const made = tableFor(columns);
  const order = arranged(made.rows, filters.sort);
  if (made.sorted !== filters.sort) made.body.append(...order.map((one) => one.row));
  made.sorted = filters.sort;
  shownModels = [];
  for (const one of order) {
    const wanted = matches(one, filters, columns);
    if (one.row.hidden === wanted) one.row.hidden = !wanted;
    if (wanted) shownModels.push(one.model);
  }
  for (const [algorithm, tally] of made.counts) {
    const words = shownModels.map((model) => verdictOf(model, algorithm).word);
    tally.textContent = `${words.filter((word) => word === 'ok').length} ok, ${words.filter((word) => word === 'missing').length} missing`;
  }
  for (const [key, headElement] of made.heads) {
    const way = filters.sort === key ? 'ascending' : filters.sort === `-${key}` ? 'descending' : null;
    if (way) headElement.setAttribute('aria-sort', way);
    else headElement.removeAttribute('aria-sort');
  }
  return made.element;
}
