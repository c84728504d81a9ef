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
const isWrapper = (model) => (model.wraps || []).length > 0;
const memberOf = (model, name) => ({ status: 'missing', ...(model.members[name] || {}) });
const insisted = (requirement) => requirement.strength !== 'optional';
const verdictOf = (model, algorithm) => {
  const found = model.verdicts[report.algorithms.indexOf(algorithm)];
  return { missing: [], broken: [], unknown: [], ...found };
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
