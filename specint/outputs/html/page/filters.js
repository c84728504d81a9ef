// Search, filters and counts above the matrix.
let bar = null;

function choice(name, label, options) {
  const select = el('select', { id: `filter-${name}`, onchange: () => setFilters({ [name]: select.value }) },
    options.map(([value, text]) => el('option', { value }, text)));
  return { name, element: el('label', { class: 'filter', for: `filter-${name}` }, el('span', {}, label), select), input: select };
}

function makeBar() {
  const search = el('input', {
    type: 'search', id: 'search', placeholder: 'Search models, for example “Kimi-K2.5”', 'aria-label': 'Search models', autocomplete: 'off',
    spellcheck: 'false', oninput: () => setFilters({ q: search.value }),
  });
  const rules = report.rules.filter((rule) => report.findings.some((finding) => finding.rule === rule.symbol && !finding.repeated));
  const files = [...new Set(report.models.map((model) => model.at[0]))].map(fileName).sort();
  const choices = [
    choice('verdict', 'Verdict', [['', 'any'], ...Object.entries(STANDINGS).map(([word, sign]) => [word, `${sign} ${word}`])]),
    choice('algorithm', 'Algorithm', [['', 'all'], ...report.algorithms.map((name) => [name, name])]),
    choice('kind', 'Kind', [['', 'all models'], ['wrapper', 'wrappers'], ['plain', 'no wrappers'], ['target', 'targets'], ['draft', 'drafts']]),
    choice('rule', 'Findings', [['', 'all models'], ['any', 'with findings'], ...rules.map((rule) => [rule.symbol, rule.symbol])]),
  ];
  if (report.compared) {
    choices.push(choice('change', `Since ${report.compared.releases.before.version}`,
      [['', 'all models'], ['became ok', 'became ok'], ['lost', 'lost'], ['other', 'other changes'], ['new', 'new models']]));
  }
  const file = el('input', { type: 'text', id: 'filter-file', list: 'files', placeholder: 'any', oninput: () => setFilters({ file: file.value }) });
  choices.push({ name: 'file', input: file, element: el('label', { class: 'filter', for: 'filter-file' }, el('span', {}, 'File'), file) });
  const count = el('p', { class: 'shown', id: 'shown' });
  const clear = el('button', { type: 'button', class: 'quiet', onclick: () => setFilters(Object.fromEntries(FILTERS.map((name) => [name, '']))) }, 'Clear filters');
  const columns = el('button', { type: 'button', class: 'quiet', onclick: () => setFilters({ columns: state().filters.columns === 'all' ? '' : 'all' }) });
  const link = copyButton('Copy link', () => location.href);
  const element = el('section', { class: 'bar', 'aria-label': 'Search and filters' },
    el('div', { class: 'search' }, search), el('div', { class: 'filters' }, choices.map((one) => one.element)),
    el('div', { class: 'tools' }, count, clear, columns, link),
    el('datalist', { id: 'files' }, files.map((name) => el('option', { value: name }))));
  bar = { search, choices, count, clear, columns, element };
}

function showBar(filters) {
  if (!bar) makeBar();
  if (bar.search.value !== filters.q) bar.search.value = filters.q;
  for (const { name, input } of bar.choices) if (input.value !== filters[name]) input.value = filters[name];
  bar.count.textContent = `${shownModels.length} of ${plural(report.models.length, 'model')}`;
  bar.clear.hidden = !NARROWING.some((name) => filters[name]);
  bar.columns.hidden = report.columns.length === report.algorithms.length || Boolean(filters.algorithm);
  bar.columns.textContent = filters.columns === 'all' ? 'Fewer algorithms' : 'All algorithms';
  return bar.element;
}

function matrixNotes(filters) {
  if (columnsOf(filters) !== report.columns) return null;
  const lines = report.alike.map(([name, column]) => `${name}: the same as ${column} for every model.`);
  if (report.settled.length) lines.push(`${report.settled.join(', ')}: ok for every model that it applies to.`);
  for (const [alias, name] of Object.entries(report.aliases)) lines.push(`${alias} is another name for ${name}.`);
  return el('p', { class: 'remarks' }, lines.join(' '));
}
