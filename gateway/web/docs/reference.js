/** The API reference: swagger-ui around /openapi.json, with one field for the reader's key. */

const root = document.documentElement
const dark = matchMedia('(prefers-color-scheme: dark)')
const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : dark.matches)
const follow = () => root.classList.toggle('dark-mode', isDark())
follow()
dark.addEventListener('change', follow)

const key = document.getElementById('key')
const filter = document.getElementById('filter')
const found = document.getElementById('found')
const form = document.getElementById('key-form')
form.addEventListener('submit', (event) => event.preventDefault())
const { pageToken } = form.dataset

/** Tokens and sessions of scoped access begin with `spa` and are sent in `Authorization`. */
function withKey(request) {
  const text = key.value.trim()
  if (new URL(request.url, location.href).origin !== location.origin) return request
  if (text === '') return pageToken === '' ? request : asReader(request)
  if (/^spa[a-z]_/.test(text)) request.headers['Authorization'] = `Bearer ${text}`
  else request.headers['service-api-key'] = text
  return request
}

/**
 * Uses the key that is signed in to the console, which no page knows. The lines for curl are made
 * from the request as it is returned here, so they get a placeholder for the key, and the request
 * gets the token of this page.
 */
function asReader(request) {
  request.headers['service-api-key'] = 'YOUR_KEY'
  request.userFetch = (url, { headers, ...options }) => {
    const { 'service-api-key': _, ...others } = headers
    return fetch(url, { ...options, headers: { ...others, 'x-page-token': pageToken } })
  }
  return request
}

/** The names of fields and the descriptions of each operation, by `POST /v1/sessions` and the like. */
let described = {}

async function loadWords() {
  const answer = await fetch('/docs/api/words')
  if (answer.ok) described = await answer.json()
}

/** Keeps the operations that have every word of the phrase, in their fields too. */
function opsFilter(tagged, phrase) {
  const words = phrase.toLowerCase().split(/\s+/).filter(Boolean)
  const isFound = (one, tag) => {
    const request = `${one.get('method').toUpperCase()} ${one.get('path')}`
    const summary = one.getIn(['operation', 'summary'])
    const text = `${tag} ${request} ${summary} ${described[request] ?? ''}`.toLowerCase()
    return words.every((word) => text.includes(word))
  }
  return tagged
    .map((group, tag) =>
      group.update('operations', (operations) => operations.filter((one) => isFound(one, tag))),
    )
    .filter((group) => group.get('operations').size > 0)
}

/** All operations by tag, read before the first search: swagger-ui lists only what is found then. */
let groups

/**
 * Without a match the reference is hidden, with the main landmark that it brings: swagger-ui would
 * say that the document is empty.
 */
function showMatches(ui) {
  const phrase = filter.value.trim()
  const { layoutActions, specSelectors } = ui.getSystem()
  if (!groups?.size) groups = specSelectors.taggedOperations()
  const matching = phrase === '' ? groups : opsFilter(groups, phrase)
  const count = matching.reduce((sum, group) => sum + group.get('operations').size, 0)
  document.getElementById('reference').hidden = count === 0
  document.getElementById('main').role = count === 0 ? 'main' : null
  found.textContent = phrase === '' ? '' : foundText(count, phrase)
  if (count === 0) found.append(' ', linkToSearch(phrase))
  layoutActions.updateFilter(phrase === '' || count === 0 ? true : phrase)
  for (const tag of groups.keys()) layoutActions.show(['operations-tag', tag], phrase !== '')
}

function foundText(count, phrase) {
  if (count === 0) return `No request matches “${phrase}”.`
  return count === 1 ? `One request matches “${phrase}”` : `${count} requests match “${phrase}”`
}

function linkToSearch(phrase) {
  const link = document.createElement('a')
  link.href = `/docs/search?q=${encodeURIComponent(phrase)}`
  link.textContent = 'Search the guides'
  return link
}

function load() {
  const script = document.createElement('script')
  script.src = '/web/reference/swagger-ui-bundle.js'
  return new Promise((done, failed) => {
    script.addEventListener('load', done)
    script.addEventListener('error', failed)
    document.head.append(script)
  })
}

/** Shows text instead of a link, because swagger-ui would put the link into a button. */
const plainText =
  (_link, { React }) =>
  ({ text }) =>
    React.createElement('span', null, text)

/**
 * Reads one operation for swagger-ui, in place of its own reader, which parses the whole document
 * anew for each operation and holds the page up for seconds. `/openapi.json` refers only to its own
 * `components`, by whose names schemas without a title are shown. A schema within itself stays a
 * reference.
 */
async function resolveSubtree(document, path) {
  const at = (steps) => steps.reduce((value, step) => value?.[step], document)
  const resolved = (value, open) => {
    if (Array.isArray(value)) return value.map((one) => resolved(one, open))
    if (typeof value !== 'object' || value === null) return value
    const { $ref } = value
    if (typeof $ref !== 'string' || !$ref.startsWith('#/')) {
      return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, resolved(v, open)]))
    }
    if (open.includes($ref)) return value
    const steps = $ref.slice(2).split('/')
    return { title: steps.at(-1), ...resolved(at(steps), [...open, $ref]) }
  }
  return { spec: resolved(at(path), []), errors: [] }
}

/**
 * Replaces components that this page does not need: there is one service, and one field for the
 * key.
 */
const nothing = () => () => null
const wrapComponents = {
  InfoContainer: nothing,
  ServersContainer: nothing,
  AuthorizeBtnContainer: nothing,
  authorizeOperationBtn: nothing,
  FilterContainer: nothing,
  DeepLink: plainText,
}

await load()
const ui = globalThis.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  validatorUrl: null,
  filter: true,
  requestInterceptor: withKey,
  plugins: [{ fn: { opsFilter, resolveSubtree }, wrapComponents }],
})
filter.addEventListener('input', () => showMatches(ui))
filter.addEventListener('input', () => void loadWords().then(() => showMatches(ui)), { once: true })

/** Adds what swagger-ui leaves out: names for lists, and keyboard access to code that scrolls. */
function complete() {
  for (const list of document.querySelectorAll('[data-param-name] select:not([aria-label])')) {
    list.setAttribute('aria-label', list.closest('[data-param-name]').dataset.paramName)
  }
  for (const list of document.querySelectorAll('.content-type:not([aria-label])')) {
    list.setAttribute('aria-label', 'Media type')
  }
  for (const code of document.querySelectorAll('#reference pre:not([tabindex])')) code.tabIndex = 0
}
new MutationObserver(complete).observe(document.getElementById('reference'), {
  childList: true,
  subtree: true,
})
