// The catalogue, and a page for each rule.
const countOf = (rule) => report.findings.filter((finding) => finding.rule === rule.symbol && !finding.repeated).length;

function rulesView() {
  return el('article', { class: 'page' }, el('h2', {}, 'Rules'), el('table', { class: 'plain' },
    el('thead', {}, el('tr', {}, ['id', 'rule', 'what it finds', 'findings'].map((text) => el('th', { scope: 'col' }, text)))),
    el('tbody', {}, report.rules.map((rule) => el('tr', {}, el('td', {}, rule.id),
      el('th', { scope: 'row' }, el('a', { href: address('rule', rule.symbol) }, rule.symbol)), el('td', {}, rule.summary, rule.default ? null : el('span', { class: 'faint' }, ' (off by default)')),
      el('td', { class: 'count' }, countOf(rule) ? el('a', { href: address('matrix', '', { rule: rule.symbol }) }, String(countOf(rule))) : '0'))))));
}

function ruleView(name) {
  const rule = report.rules.find((one) => one.symbol === name || one.id === name);
  if (!rule) return el('article', { class: 'page' }, el('h2', {}, 'No such rule'), el('p', {}, code(name), ' is none of the ', el('a', { href: address('rules') }, 'rules'), '.'));
  const count = countOf(rule);
  return el('article', { class: 'page rule-page' }, el('h2', {}, `${rule.symbol} (${rule.id})`),
    el('p', {}, count ? el('a', { class: 'chip', href: address('matrix', '', { rule: rule.symbol }) }, `${plural(count, 'finding')} in this report`) : 'No findings in this report.'),
    rendered(rule.html));
}
