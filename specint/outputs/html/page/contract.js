// What one algorithm asks of its models, read from the workers and runners of this SGLang.
function contractRow(requirement) {
  return el('tr', {},
    el('th', { scope: 'row' }, code(requirement.member)),
    el('td', { 'data-label': 'role' }, requirement.role === 'both' ? 'target and draft' : requirement.role),
    el('td', { 'data-label': 'strength' }, strengthText(requirement), requirement.condition ? el('span', { class: 'faint' }, ` ${requirement.condition}`) : null),
    el('td', { 'data-label': 'use' }, requirement.use),
    el('td', { 'data-label': 'lacking' }, requirement.lacking ? plural(requirement.lacking, 'model') : 'none'),
    el('td', { class: 'wide' }, askers(requirement)));
}

function contractTable(title, list, note) {
  if (!list.length) return null;
  const hard = [...list].sort((a, b) => Number(insisted(b)) - Number(insisted(a)) || a.member.localeCompare(b.member));
  return el('section', {}, el('h3', {}, `${title} (${list.length})`), note ? el('p', { class: 'faint' }, note) : null,
    el('table', { class: 'contract' }, el('thead', {}, el('tr', {}, ['member', 'role', 'strength', 'use', 'lacking', 'where'].map((text) => el('th', { scope: 'col' }, text)))),
      el('tbody', {}, hard.map(contractRow))));
}

function contractView(name) {
  const algorithm = report.algorithms.includes(name) ? name : report.aliases[name] || report.algorithms[0];
  const tabs = el('ul', { class: 'tabs' }, report.algorithms.map((one) =>
    el('li', {}, el('a', { href: address('contract', one), 'aria-current': one === algorithm ? 'page' : null }, one))));
  const workers = report.workers[algorithm] || [];
  const aliases = Object.entries(report.aliases).filter(([, to]) => to === algorithm).map(([alias]) => alias);
  const stands = targets.map((model) => verdictOf(model, algorithm).standing);
  const count = (word) => stands.filter((one) => one === word).length;
  const own = report.requirements.filter((one) => one.algorithms.includes(algorithm));
  return el('article', { class: 'page' }, el('h2', {}, 'What the algorithms ask of a model'), tabs,
    el('h2', { class: 'algorithm' }, algorithm, aliases.length ? el('span', { class: 'faint' }, ` also called ${aliases.join(', ')}`) : null),
    workers.length ? el('p', {}, 'Served by ', workers.flatMap((worker, index) => (index ? [', ', code(worker)] : [code(worker)]))) : null,
    el('p', {}, Object.keys(STANDINGS).filter(count).map((word) => [
      el('a', { class: 'chip', href: address('matrix', '', { algorithm, verdict: word }) }, verdict(word), ` ${count(word)}`), ' ']).flat()),
    contractTable('Asked of the target', own.filter((one) => one.role === 'target' || one.role === 'both')),
    contractTable('Asked of the draft', own.filter((one) => one.role === 'draft')),
    contractTable('Asked otherwise', own.filter((one) => !['target', 'draft', 'both'].includes(one.role))),
    contractTable('Asked whatever the algorithm', report.requirements.filter((one) => !one.algorithms.length),
      'By the model runner and what it owns; a verdict on an algorithm does not rest on these.'));
}
