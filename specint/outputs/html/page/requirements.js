// What is asked of a model: each requirement with its status, the way to whoever has the member, and who asks.
const WAYS = { own: 'defined in', inherited: 'inherited from', attribute: 'attribute set in', property: 'property of', assigned: 'assigned in', forwarded: 'handed on to' };
const STRENGTHS = { raises: 'required', 'any-of': 'one of several' };

function wayTo(model, member) {
  if (member.status === 'present') {
    const text = `${WAYS[member.way] || 'in'} ${lastName(className(member.provider ?? model.class))}`;
    return [member.at ? place(member.at[0], member.at[1], text) : el('p', {}, text)];
  }
  const lines = (member.inners || []).map((inner) => {
    const provider = inner.provider !== undefined ? lastName(className(inner.provider)) : '';
    const end = inner.status === 'present' && provider
      ? (inner.provider === inner.holder ? 'has it' : `has it from ${provider}`)
      : inner.status === 'missing' ? 'lacks it too' : 'is not known to have it';
    const text = `${member.inner} → ${lastName(className(inner.holder))} ${end}${inner.condition ? ` (if ${inner.condition})` : ''}`;
    return inner.at ? place(inner.at[0], inner.at[1], text) : el('p', {}, text);
  });
  if (member.reason) lines.push(el('p', { class: 'faint' }, member.reason));
  return lines;
}

function askers(requirement) {
  return el('details', { class: 'askers' },
    el('summary', {}, `asked in ${plural(requirement.sites.length, 'place')}`),
    requirement.sites.map(([file, line, name]) => place(file, line, name)),
    requirement.decided && place(requirement.decided[0], requirement.decided[1], 'decides how strictly'));
}

function strengthText(requirement) {
  if (requirement.group) return `one of ${requirement.group.replaceAll('|', ', ')}`;
  return STRENGTHS[requirement.strength] || requirement.strength;
}

const isBroken = (model, member) => model.verdicts.some((found) => (found.broken || []).includes(member));

function statusOf(model, requirement) {
  if (isBroken(model, requirement.member)) return 'broken';
  const names = (requirement.group || requirement.member).split('|');
  if (names.some((name) => memberOf(model, name).status === 'present')) return 'present';
  return memberOf(model, requirement.member).status;
}

function requirementItem(model, requirement) {
  const member = memberOf(model, requirement.member);
  const optional = !insisted(requirement) && member.status === 'missing';
  const word = isBroken(model, requirement.member) ? 'broken' : STATUS_WORDS[member.status];
  return el('li', { class: `requirement ${optional ? 'not-applicable' : classOf(word)}` },
    el('p', { class: 'head' }, verdict(optional ? 'not applicable' : word, optional ? 'not there' : word === 'ok' ? 'present' : word === 'broken' ? 'present, can’t work' : word), ' ', code(requirement.member),
      el('span', { class: 'faint' }, ` ${strengthText(requirement)}, ${requirement.use}${requirement.condition ? `, ${requirement.condition}` : ''}`)),
    requirement.algorithms.length ? el('p', { class: 'chips' }, requirement.algorithms.map((name) => el('a', { class: 'chip', href: address('contract', name) }, name))) : null,
    wayTo(model, member), askers(requirement));
}

function requirementLists(model, on) {
  const roles = ['both', ...model.roles];
  const asked = report.requirements.filter((one) => roles.includes(one.role) && (!on || !one.algorithms.length || one.algorithms.includes(on)));
  const order = { missing: 0, broken: 1, unknown: 2, present: 3 };
  const ranked = (list) => [...list].sort((a, b) => order[statusOf(model, a)] - order[statusOf(model, b)]);
  const part = (title, list, open) => (list.length ? el('details', { class: 'part', open },
    el('summary', {}, el('h3', {}, `${title} (${list.length})`)),
    el('ul', { class: 'requirements' }, ranked(list).map((one) => requirementItem(model, one)))) : null);
  const by = on ? `by ${on}` : 'by an algorithm';
  const hard = asked.filter((one) => one.algorithms.length && insisted(one));
  const lacking = hard.filter((one) => statusOf(model, one) !== 'present');
  return [
    part(`Asked ${by}, and not there or not sure`, lacking, true),
    part(`Asked ${by}, and there`, hard.filter((one) => !lacking.includes(one)), false),
    part('Asked by every server', asked.filter((one) => !one.algorithms.length && insisted(one)), false),
    part('Used if it is there', asked.filter((one) => !insisted(one)), false),
  ];
}
