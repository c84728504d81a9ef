// The report as specint wrote it, and the few lookups that every view needs.
const report = JSON.parse(document.getElementById('data').textContent);
const className = (number) => report.classes[number];
const lastName = (dotted) => dotted.slice(dotted.lastIndexOf('.') + 1);
const fileName = (number) => report.files[number];
const modelOf = new Map(report.models.map((model) => [className(model.class), model]));
const findingsOf = new Map(report.models.map((model) => [model, []]));
for (const finding of report.findings) {
  const model = modelOf.get(className(finding.class));
  if (model) findingsOf.get(model).push(finding);
}
const ruleOf = new Map(report.rules.map((rule) => [rule.symbol, rule]));
const SEVERITIES = ['fatal', 'error', 'warning', 'info'];
const severityOf = (finding) => (ruleOf.get(finding.rule) || { severity: 'error' }).severity;
const isWrapper = (model) => (model.wraps || []).length > 0;
const memberOf = (model, name) => ({ status: 'missing', ...(model.members[name] || {}) });
const insisted = (requirement) => requirement.strength !== 'optional';
const isDraft = (model) => !model.roles.includes('target');
const targets = report.models.filter((model) => !isDraft(model));
const drafts = report.models.filter(isDraft);
const verdictOf = (model, algorithm) => {
  const found = model.verdicts[report.algorithms.indexOf(algorithm)];
  return { missing: [], broken: [], unknown: [], word: 'not applicable', standing: 'not applicable', ...found };
};
// The algorithms under which there is something to say about a draft.
const servedBy = (model) => report.algorithms.filter((name) => verdictOf(model, name).word !== 'not applicable');
const findingsUnder = (model, algorithm) => findingsOf.get(model)
  .filter((finding) => !algorithm || !finding.algorithms.length || finding.algorithms.includes(algorithm));
// Those that count: what an heir repeats of its base is told, and counted, with that.
const toldUnder = (model, algorithm) => findingsUnder(model, algorithm).filter((finding) => !finding.repeated);

// A plain class name is an address too, where no two files have a class of that name.
const byLastName = new Map();
for (const model of report.models) {
  const name = lastName(className(model.class));
  byLastName.set(name, byLastName.has(name) ? null : model);
}
const modelCalled = (name) => modelOf.get(name) || byLastName.get(name) || null;
const nameOf = (model) => {
  const dotted = className(model.class);
  return byLastName.get(lastName(dotted)) ? lastName(dotted) : dotted;
};

// From an earlier release: what became of each verdict, and which models are new.
const changeOf = new Map();
const isNew = new Set();
if (report.compared) {
  report.compared.releases.changes.forEach((change, index) => {
    changeOf.set(`${change.class} ${change.algorithm}`, { ...change, kind: report.compared.kinds[index] });
  });
  report.compared.releases.added.forEach((dotted) => isNew.add(dotted));
}
const changedIn = (model, algorithm) => changeOf.get(`${className(model.class)} ${algorithm}`);

// Names as people write them: "moonshotai/Kimi-K2.5" is what its letters and digits are, and what a checkpoint's name
// has at its end may be too much.
const plain = (text) => (text.toLowerCase().match(/[a-z0-9]+/g) || []).join('');
const plainTexts = new Map(report.models.map((model) => [model, `${plain(lastName(className(model.class)))} ${plain(className(model.class).split('.').slice(-2)[0])} ${(model.titled || []).join(' ')}`]));
const keys = new Map();

function keyOf(word) {
  if (!keys.has(word)) {
    const parts = word.replace(/\/+$/, '').split('/').pop().toLowerCase().match(/[a-z0-9]+/g) || [];
    let key = '';
    for (let end = parts.length; end > 0 && !key; end -= 1) {
      const tried = parts.slice(0, end).join('');
      if ([...plainTexts.values()].some((text) => text.includes(tried))) key = tried;
    }
    keys.set(word, key);
  }
  return keys.get(word);
}

const called = (model, word) => keyOf(word) !== '' && plainTexts.get(model).includes(keyOf(word));
