// This release beside an earlier one, each by its own contract.
// One row for all algorithms of a model that went the same way.
function together(list) {
  const rows = new Map();
  for (const change of list) {
    const key = `${change.class} ${change.before} ${change.after}`;
    const row = rows.get(key) || { ...change, algorithms: [], missing: [] };
    row.algorithms.push(change.algorithm);
    row.missing = [...new Set([...row.missing, ...change.missing])];
    rows.set(key, row);
  }
  return [...rows.values()];
}

function changeRow(change) {
  const model = modelOf.get(change.class);
  return el('tr', {}, el('th', { scope: 'row' }, model ? el('a', { href: address('model', nameOf(model)) }, model.label) : change.name),
    el('td', {}, change.algorithms.join(', ')), el('td', {}, verdict(change.before), ' → ', verdict(change.after)),
    el('td', {}, change.missing.length ? ['lacks ', ...change.missing.flatMap((name, index) => [index ? ', ' : '', code(name.replaceAll('|', ' or '))])] : null));
}

function changeTable(title, list) {
  return el('section', {}, el('h3', {}, `${title} (${list.length})`), list.length ? el('table', { class: 'plain' },
    el('thead', {}, el('tr', {}, ['model', 'algorithms', 'verdict', 'now'].map((text) => el('th', { scope: 'col' }, text)))), el('tbody', {}, together(list).map(changeRow))) : el('p', { class: 'faint' }, 'None.'));
}

function namesList(title, list) {
  return list.length ? el('section', {}, el('h3', {}, `${title} (${list.length})`), el('ul', { class: 'columns' }, list.map((dotted) => el('li', {},
    modelOf.has(dotted) ? el('a', { href: address('model', dotted) }, lastName(dotted)) : code(lastName(dotted)))))) : null;
}

function releasesView() {
  if (!report.compared) return el('article', { class: 'page' }, el('h2', {}, 'Nothing to compare with'), el('p', {}, 'Make the report with ', code('--compare RELEASE'), ' to see two releases side by side.'));
  const { releases, phrase } = report.compared;
  const of = (kind) => releases.changes.filter((change, index) => report.compared.kinds[index] === kind);
  return el('article', { class: 'page' }, el('h2', {}, `From SGLang ${releases.before.version} to ${releases.after.version}`), el('p', {}, `${phrase}.`),
    releases.algorithms_added.length ? el('p', {}, `New algorithms: ${releases.algorithms_added.join(', ')}.`) : null,
    releases.algorithms_gone.length ? el('p', {}, `Algorithms that are gone: ${releases.algorithms_gone.join(', ')}.`) : null,
    changeTable('Became ok', of('became ok')), changeTable('Was ok, now missing or broken', of('lost')), changeTable('Other changes', of('other')),
    namesList('New models', releases.added), namesList('Models that are gone', releases.gone));
}
