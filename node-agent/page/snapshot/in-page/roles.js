/* Roles of elements, and the computation of their names. */

const inputRoles = {
  button: 'button',
  submit: 'button',
  reset: 'button',
  image: 'button',
  checkbox: 'checkbox',
  radio: 'radio',
  range: 'slider',
  number: 'spinbutton',
  search: 'searchbox',
  file: 'file',
  date: 'date',
  time: 'time',
  month: 'month',
  week: 'week',
  color: 'color',
  'datetime-local': 'datetime',
}
const tagRoles = {
  button: 'button',
  textarea: 'textbox',
  summary: 'button',
  canvas: 'canvas',
  video: 'video',
  audio: 'audio',
  iframe: 'frame',
  frame: 'frame',
  dialog: 'dialog',
  nav: 'navigation',
  fieldset: 'group',
  form: 'form',
  table: 'table',
  img: 'img',
  progress: 'progressbar',
  meter: 'meter',
  embed: 'object',
  object: 'object',
  option: 'option',
  section: 'region',
  ul: 'list',
  ol: 'list',
  menu: 'list',
  li: 'listitem',
  details: 'group',
  main: 'main',
  h1: 'heading',
  h2: 'heading',
  h3: 'heading',
  h4: 'heading',
  h5: 'heading',
  h6: 'heading',
}
const roleNames = /^[a-z]+$/

function roleOf(element) {
  const given = element.getAttribute('role')
  if (given) {
    const role = given.trim().split(/\s+/)[0].toLowerCase()
    if (role === 'none' || role === 'presentation') return ''
    if (role === 'image') return 'img'
    if (role === 'textbox' && element.type === 'search') return 'searchbox'
    if (roleNames.test(role)) return role
  }
  const name = element.localName
  if (name === 'a' || name === 'area') return element.hasAttribute('href') ? 'link' : ''
  if (name === 'input')
    return element.type === 'hidden' ? '' : (inputRoles[element.type] ?? 'textbox')
  if (name === 'select') return element.multiple || element.size > 1 ? 'listbox' : 'combobox'
  if (name === 'svg') return element.getAttribute('aria-label') ? 'img' : ''
  if (isEditable(element)) return 'textbox'
  return tagRoles[name] ?? ''
}

const isEditable = (element) => {
  const given = element.getAttribute('contenteditable')
  return given !== null && given !== 'false'
}

/** Roles of elements that can be acted on. */
const actRoles = new Set(
  (
    'button link checkbox radio combobox slider spinbutton searchbox textbox file date time month week color ' +
    'datetime option tab menuitem menuitemcheckbox menuitemradio treeitem switch canvas video audio frame ' +
    'object scrollbar'
  ).split(' '),
)
/** Roles whose name is their content. */
const namedByContent = new Set(
  (
    'button link option tab menuitem menuitemcheckbox menuitemradio treeitem switch checkbox radio clickable ' +
    'heading tooltip'
  ).split(' '),
)
/** Fields get lines of their own. */
const fieldRoles = new Set(
  'combobox listbox slider spinbutton searchbox textbox file date time month week color datetime'.split(
    ' ',
  ),
)
/** If they have a name, these get a line with their content below it. */
const groupRoles = new Set(
  'group form region radiogroup toolbar menu menubar listbox tablist tree grid alert table'.split(
    ' ',
  ),
)

const squeeze = (text) => text.replace(/\s+/g, ' ').trim()

/** The text content for a name: hidden parts are left out, and images contribute their names. */
function contentOf(element, max = 400, seen = new Set()) {
  let text = ''
  const visit = (node) => {
    if (text.length > max) return
    if (node.nodeType === 3) {
      text += node.data
      return
    }
    if (node.nodeType !== 1 || unread.has(node.localName) || seen.has(node)) return
    if (node.getAttribute('aria-hidden') === 'true') return
    const style = getComputedStyle(node)
    if (style.display === 'none' || style.display === '' || style.visibility !== 'visible') return
    const given = squeeze(node.getAttribute('aria-label') ?? '')
    if (given) text += ` ${given} `
    else if (node.localName === 'img') text += ` ${node.alt} `
    else if (node.localName === 'svg') text += ` ${titleIn(node)} `
    else if (node.localName === 'br') text += ' '
    else if (/^(input|select|textarea)$/.test(node.localName)) return
    else {
      const apart = !style.display.startsWith('inline')
      if (apart) text += ' '
      for (const child of childrenOf(node)) visit(child)
      if (apart) text += ' '
    }
  }
  for (const child of childrenOf(element)) visit(child)
  return squeeze(text)
}

const titleIn = (svg) =>
  svg.getAttribute('aria-label') ?? svg.querySelector('title')?.textContent ?? ''

function labelledBy(element) {
  const ids = element.getAttribute('aria-labelledby')
  if (!ids) return ''
  const root = element.getRootNode()
  const texts = ids.split(/\s+/).map((id) => {
    const other = id && root.getElementById?.(id)
    return other ? squeeze(other.getAttribute('aria-label') ?? '') || contentOf(other) : ''
  })
  return squeeze(texts.join(' '))
}

const textOfLabels = (element) =>
  squeeze([...(element.labels ?? [])].map((label) => contentOf(label)).join(' '))

/** The common part of the accessible name computation. */
function nameOf(element, role) {
  const given = labelledBy(element) || squeeze(element.getAttribute('aria-label') ?? '')
  if (given) return given
  const own = nativeName(element, role)
  if (own) return own
  if (namedByContent.has(role)) {
    const content = contentOf(element)
    if (content) return content
  }
  return squeeze(element.getAttribute('title') || element.getAttribute('placeholder') || '')
}

function nativeName(element, role) {
  switch (element.localName) {
    case 'input':
      if (role === 'button') {
        const byType = { submit: 'Submit', reset: 'Reset' }
        return squeeze(element.value || element.alt || byType[element.type] || '')
      }
      return textOfLabels(element)
    case 'select':
    case 'textarea':
    case 'meter':
    case 'progress':
      return textOfLabels(element)
    case 'button':
      return ''
    case 'img':
    case 'area':
      return squeeze(element.alt)
    case 'svg':
      return squeeze(titleIn(element))
    case 'fieldset':
      return childText(element, 'legend')
    case 'table':
      return childText(element, 'caption')
    case 'iframe':
      return squeeze(element.title || element.name)
    default:
      return ''
  }
}

function childText(element, name) {
  const child = [...element.children].find(({ localName }) => localName === name)
  return child ? contentOf(child) : ''
}

/** A hint for an element without a name: its image, id or classes. */
function hintOf(element) {
  const use = element.querySelector('use')
  const link = use?.getAttribute('href') ?? use?.getAttribute('xlink:href')
  if (link?.includes('#')) return link.slice(link.indexOf('#'), link.indexOf('#') + 40)
  const image = element.localName === 'img' ? element : element.querySelector('img')
  const file = image?.src.startsWith('data:') ? '' : image?.src.split(/[?#]/)[0].split('/').pop()
  if (file) return file.slice(-40)
  if (element.id) return `#${element.id}`.slice(0, 40)
  const words = [...element.classList].slice(0, 3)
  if (words.length > 0) return `.${words.join('.')}`.slice(0, 40)
  const inner = element.firstElementChild
  return inner && inner.classList.length > 0
    ? `.${[...inner.classList].slice(0, 3).join('.')}`.slice(0, 40)
    : ''
}
