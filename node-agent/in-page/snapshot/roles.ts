/** Roles of elements. */
import type { AnyElement } from '../any-element.ts'
import { attributeOf, hasAttribute, rectOf } from '../dom.ts'
import { isFrame } from './frames.ts'

const setOf = (words: string) => new Set(words.split(' '))

/** Types of inputs whose role has their name. */
const inputRolesByType = setOf('button checkbox radio file date time month week color')
const inputRoles: Readonly<Record<string, string>> = {
  submit: 'button',
  reset: 'button',
  image: 'button',
  range: 'slider',
  number: 'spinbutton',
  search: 'searchbox',
  'datetime-local': 'datetime',
}
/** Elements whose role has their name. */
const rolesByTag = setOf('button canvas video audio dialog form table img meter object option main')
const tagRoles: Readonly<Record<string, string>> = {
  textarea: 'textbox',
  summary: 'button',
  nav: 'navigation',
  fieldset: 'group',
  progress: 'progressbar',
  embed: 'object',
  section: 'region',
  ul: 'list',
  ol: 'list',
  menu: 'list',
  li: 'listitem',
  details: 'group',
}
export const roleNames = /^[a-z]+$/

export function roleOf(element: AnyElement): string {
  const given = attributeOf(element, 'role')
  if (given) {
    const role = given.trim().split(/\s+/)[0]!.toLowerCase()
    if (role === 'none' || role === 'presentation') return ''
    if (role === 'image') return 'img'
    if (role === 'textbox' && element.type === 'search') return 'searchbox'
    if (roleNames.test(role)) return role
  }
  const name = element.localName
  if (name === 'a' || name === 'area') return hasAttribute(element, 'href') ? 'link' : ''
  if (name === 'input') return inputRole(element.type ?? '')
  if (name === 'select')
    return element.multiple || Number(element.size) > 1 ? 'listbox' : 'combobox'
  if (name === 'svg') return attributeOf(element, 'aria-label') ? 'img' : ''
  if (isEditable(element)) return 'textbox'
  if (/^h[1-6]$/.test(name)) return 'heading'
  if (isFrame(element)) return 'frame'
  return rolesByTag.has(name) ? name : (tagRoles[name] ?? '')
}

function inputRole(type: string): string {
  if (inputRolesByType.has(type)) return type
  return type === 'hidden' ? '' : (inputRoles[type] ?? 'textbox')
}

export const isEditable = (element: Element) => {
  const given = attributeOf(element, 'contenteditable')
  return given !== null && given !== 'false'
}

/** Roles of elements that can be acted on. */
export const actRoles = setOf(
  'button link checkbox radio combobox slider spinbutton searchbox textbox file date time month week color ' +
    'datetime option tab menuitem menuitemcheckbox menuitemradio treeitem switch canvas video audio frame ' +
    'object scrollbar',
)
/** Roles whose name is their content. */
export const namedByContent = setOf(
  'button link option tab menuitem menuitemcheckbox menuitemradio treeitem switch checkbox radio clickable ' +
    'heading tooltip',
)
/** Fields get lines of their own. */
export const fieldRoles = setOf(
  'combobox listbox slider spinbutton searchbox textbox file date time month week color datetime',
)
/** If they have a name, these get a line with their content below it. */
export const groupRoles = setOf(
  'group form region radiogroup toolbar menu menubar listbox tablist tree grid alert table',
)

export const actable =
  'a[href], button, input, select, textarea, [onclick], [role=button], [role=link]'
/**
 * The widget in front of a select that is not displayed: the element beside it that shows what is
 * chosen.
 */
export function dressOf(select: HTMLSelectElement): Element | undefined {
  const chosen = (select.selectedOptions[0]?.label ?? '').trim()
  if (select.options.length < 2 || chosen === '') return undefined
  return [select.nextElementSibling, select.previousElementSibling].find(
    (beside): beside is Element =>
      beside !== null && (beside.textContent ?? '').includes(chosen) && rectOf(beside).height > 0,
  )
}
