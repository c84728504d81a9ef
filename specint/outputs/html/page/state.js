// Every view is an address: `#/model/<class>?q=kimi&verdict=ok`. The page shows what the address says, always.
const FILTERS = ['q', 'verdict', 'algorithm', 'kind', 'file', 'rule', 'change', 'sort', 'columns', 'on'];
const NARROWING = FILTERS.filter((name) => name !== 'on');

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch { // half a code, from an address that was cut off
    return text;
  }
}

function state() {
  const [path, query] = location.hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const [view, ...rest] = path.split('/').map(decoded);
  const given = new URLSearchParams(query || '');
  const filters = {};
  for (const name of FILTERS) filters[name] = given.get(name) || '';
  return { view: view || 'matrix', name: rest.join('/'), filters };
}

function address(view, name, filters) {
  const query = new URLSearchParams();
  for (const key of FILTERS) if (filters && filters[key]) query.set(key, filters[key]);
  const path = view === 'matrix' ? '' : `${view}${name ? `/${encodeURIComponent(name)}` : ''}`;
  const text = query.toString();
  return `#/${path}${text ? `?${text}` : ''}`;
}

// `on` is the algorithm that an open model is read for; it narrows nothing.
const modelAddress = (model, on) => address('model', nameOf(model), { ...state().filters, on: on || '' });
const matrixAddress = (filters) => address('matrix', '', { ...filters, on: '' });

// Typing changes the address without a step in the browser's history for every letter.
function setFilters(changed) {
  const now = state();
  const view = now.view === 'model' ? 'model' : 'matrix';
  history.replaceState(null, '', address(view, now.name, { ...now.filters, ...changed }));
  show();
}
