// A few lines of the analysed source, as they were when the report was made.
function excerpt(file, line) {
  const lines = report.source_lines[file] || {};
  const shown = [];
  for (let number = line - 2; number <= line + 4; number += 1) {
    if (lines[number] !== undefined) shown.push([number, lines[number]]);
  }
  if (!shown.length) return el('p', { class: 'faint' }, 'The source could not be read.');
  const indents = shown.filter(([, text]) => text.trim()).map(([, text]) => text.search(/\S/));
  const cut = Math.min(...indents, 60);
  return el('pre', { class: 'excerpt', tabindex: '0', 'aria-label': `${fileName(file)}, line ${line}` }, shown.map(([number, text]) =>
    el('span', { class: number === line ? 'line here' : 'line' },
      el('span', { class: 'number' }, String(number)), `${text.slice(cut)}\n`)));
}

const placeText = (file, line) => `${fileName(file)}:${line}`;

// The same line where the release is published, if it is one.
function sourceLink(file, line) {
  if (!report.published) return null;
  const target = report.published.replace('{file}', encodeURI(fileName(file))).replace('{line}', String(line));
  return el('a', { class: 'source', href: target, rel: 'noreferrer', 'aria-label': `${placeText(file, line)} where it is published`, title: 'where it is published' }, '↗');
}

// A place that opens: the path as others can paste it, what is to be seen there, and the lines themselves.
function place(file, line, what, open) {
  const made = el('details', { class: 'place', open },
    el('summary', {}, code(placeText(file, line)), what ? ` ${what}` : ''));
  const fill = () => {
    if (made.open && made.children.length === 1) made.append(...[excerpt(file, line), sourceLink(file, line)].filter(Boolean));
  };
  made.addEventListener('toggle', fill);
  fill();
  return made;
}
