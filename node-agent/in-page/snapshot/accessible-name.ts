/**
 * The accessible name and description of an element, or what stands in their place: its content, a
 * text beside it, its classes.
 */
import type { AnyElement } from '../any-element.ts'
import {
  allIn,
  attributeOf,
  documentOf,
  firstIn,
  matches,
  rectOf,
  rootOf,
  styleOf,
} from '../dom.ts'
import { isShape } from './appearance.ts'
import { actRoles, fieldRoles, namedByContent, roleOf } from './roles.ts'
import { generatedText, isSetApart, partsWords } from './text.ts'
import { childrenOf, isElement, isText, unread } from './tree.ts'
import { isUnreadable, isVeiled } from './visible.ts'

export const squeeze = (text: string) => text.replace(/\s+/g, ' ').trim()

/**
 * The text content for a name: hidden and unreadable parts are left out, except texts for screen
 * readers, and images contribute their names.
 */
export function contentOf(element: Element, max = 2_000): string {
  let text = ''
  let edge: CSSStyleDeclaration | undefined
  const visit = (node: Node, host: Element, around?: CSSStyleDeclaration): void => {
    if (text.length > max) return
    if (isText(node)) {
      const own = readableText(node, host, around)
      const begins = around?.display === 'inline' && !node.previousSibling ? around : undefined
      if (partsWords(text, own)) {
        if ((edge && isSetApart(edge, 'Right')) || (begins && isSetApart(begins, 'Left')))
          text += ' '
      }
      text += own
      edge = undefined
      return
    }
    if (!isElement(node) || unread.has(node.localName)) return
    if (attributeOf(node, 'aria-hidden') === 'true') return
    const style = styleOf(node)
    if (style.display === 'none' || style.display === '' || style.visibility !== 'visible') return
    if (isVeiled(style, style.display)) return
    const given = squeeze(attributeOf(node, 'aria-label') ?? '')
    if (given) text += ` ${given} `
    else if (node.localName === 'img') text += ` ${node.alt} `
    else if (node.localName === 'svg') text += ` ${titleIn(node)} `
    else if (node.localName === 'br') text += ' '
    else if (/^(input|select|textarea)$/.test(node.localName)) return
    else {
      const box = style.display.startsWith('inline-')
      const apart = !style.display.startsWith('inline')
      if (apart || (box && isSetApart(style, 'Left'))) text += ' '
      content(node, style)
      if (apart || (box && isSetApart(style, 'Right'))) text += ' '
      else edge = style
    }
  }
  const content = (node: Element, style?: CSSStyleDeclaration) => {
    text += generatedText(node, '::before')
    for (const child of childrenOf(node)) visit(child, node, style)
    text += generatedText(node, '::after')
  }
  content(element)
  return squeeze(text)
}

/** Left out text still separates the words around it. */
function readableText({ data }: Text, host: Element, style?: CSSStyleDeclaration): string {
  if (!/\S/.test(data) || !isUnreadable(host, style ?? styleOf(host))) return data
  return /^\s|\s$/.test(data) ? ' ' : ''
}

const titleIn = (svg: Element) =>
  attributeOf(svg, 'aria-label') ?? firstIn(svg, 'title')?.textContent ?? ''

function labelledBy(element: Element): string {
  const ids = attributeOf(element, 'aria-labelledby')
  if (!ids) return ''
  const root = rootOf(element)
  const texts = ids.split(/\s+/).map((id) => {
    const other = id && root.getElementById?.(id)
    return other ? squeeze(attributeOf(other, 'aria-label') ?? '') || contentOf(other) : ''
  })
  return squeeze(texts.join(' '))
}

const textOfLabels = (element: AnyElement) =>
  squeeze([...(element.labels ?? [])].map((label) => contentOf(label)).join(' '))

/** The common part of the accessible name computation. */
export function nameOf(element: AnyElement, role: string): string {
  const given = labelledBy(element) || squeeze(attributeOf(element, 'aria-label') ?? '')
  if (given) return given
  const own = nativeName(element, role)
  if (own) return own
  if (namedByContent.has(role)) {
    const content = contentOf(element)
    if (content) return content
  }
  return squeeze(attributeOf(element, 'title') || attributeOf(element, 'placeholder') || '')
}

function nativeName(element: AnyElement, role: string): string {
  switch (element.localName) {
    case 'input':
      if (role === 'button') {
        const byType: Readonly<Record<string, string>> = { submit: 'Submit', reset: 'Reset' }
        return squeeze(element.value || element.alt || byType[element.type ?? ''] || '')
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
      return squeeze(element.alt ?? '')
    case 'svg':
      return squeeze(titleIn(element))
    case 'fieldset':
      return childText(element, 'legend')
    case 'table':
      return childText(element, 'caption')
    case 'iframe':
      return squeeze(element.title || (element.name ?? ''))
    default:
      return isShape(element) ? squeeze([...element.children].find(isTitle)?.textContent ?? '') : ''
  }
}

const isTitle = ({ localName }: Element) => localName === 'title'

function childText(element: Element, name: string): string {
  const child = [...element.children].find(({ localName }) => localName === name)
  return child ? contentOf(child) : ''
}

/** The image that an element is, or that is all there is in it. */
function imageOf(element: AnyElement): AnyElement | null {
  if (element.localName === 'img') return element
  const images = allIn(element, 'img')
  return images.length === 1 && squeeze(element.textContent) === '' ? images[0]! : null
}

/** A hint for an element without a name: its image, id or classes. */
export function hintOf(element: AnyElement): string {
  const use = firstIn(element, 'use')
  const link = use?.getAttribute('href') ?? use?.getAttribute('xlink:href')
  if (link?.includes('#')) return link.slice(link.indexOf('#'), link.indexOf('#') + 40)
  const { src = '' } = imageOf(element) ?? {}
  const file = src.startsWith('data:') ? '' : src.split(/[?#]/)[0]!.split('/').pop()
  if (file) return file.slice(-40)
  if (element.id) return `#${element.id}`.slice(0, 40)
  return classHint(element.classList) || classHint(element.firstElementChild?.classList ?? [])
}

/** With so many characters, classes say what an element is; those that follow are mostly about style. */
const classHintCharsMin = 12

/** The first classes, at most three: `.card.hidden`. */
function classHint(classes: Iterable<string>): string {
  let hint = ''
  for (const word of [...classes].slice(0, 3)) {
    if (hint.length >= classHintCharsMin) break
    hint += `.${word}`
  }
  return hint.slice(0, 40)
}

/** Elements that are the labels of fields, whose names already contain their text. */
export function labelTargets(root: Document | ShadowRoot): ReadonlySet<Element> {
  const targets = new Set<Element>()
  for (const field of root.querySelectorAll?.('[aria-labelledby]') ?? []) {
    if (!/^(input|select|textarea)$/.test(field.localName)) continue
    for (const id of attributeOf(field, 'aria-labelledby')!.split(/\s+/)) {
      const label = id && root.getElementById?.(id)
      if (label) targets.add(label)
    }
  }
  return targets
}

export interface NearestLabel {
  readonly text: string
  readonly node: Node
}

const labelCharsMax = 60
/** Longer ones that do not end as labels do are running text, even if their full stop is missing. */
const labelWordsMax = 5
/** How many elements around the field are left in search of its label. */
const labelLevels = 3
const labelGapsPx = { x: 160, y: 32 }

/** Text of these says more than the name of what follows. */
const noLabels =
  'h1, h2, h3, h4, h5, h6, input, select, textarea, button, a[href], img, table, ul, ol, [contenteditable], [role]'

/** Before the field, or after a check box. */
export function nearestLabel(field: AnyElement, role: string): NearestLabel | undefined {
  const ticks = role === 'checkbox' || role === 'radio'
  if (!ticks && !fieldRoles.has(role)) return undefined
  let at: Element = field
  for (let level = 0; level < labelLevels; level++) {
    const found = labelBeside(at, ticks ? 'nextSibling' : 'previousSibling', field)
    if (found !== undefined) return found ?? undefined
    const above: Element | null = at.parentElement
    if (!above || /^(body|form|fieldset|main|td|th|li)$/.test(above.localName)) return undefined
    at = above
  }
  return undefined
}

/** Null if something else stands there. */
function labelBeside(
  at: Element,
  side: 'nextSibling' | 'previousSibling',
  field: Element,
): NearestLabel | null | undefined {
  for (let node = at[side]; node; node = node[side]) {
    if (!isText(node) && !isElement(node)) continue
    const text = isText(node) ? squeeze(node.data) : textOfLabel(node)
    if (text === '') continue
    const fits = text !== undefined && isLabelText(text) && isNear(node, field)
    return fits ? { text, node } : null
  }
  return undefined
}

/** Undefined for an element that is no label. */
function textOfLabel(element: AnyElement): string | undefined {
  if (matches(element, noLabels) || firstIn(element, noLabels)) return undefined
  if (actRoles.has(roleOf(element))) return undefined
  // The label of another field; pages also use the element without connecting it to any.
  if (element.localName === 'label' && element.control) return undefined
  const { display, visibility } = styleOf(element)
  return display === 'none' || visibility !== 'visible' ? '' : contentOf(element)
}

/** Short, and no sentence; "12.5 kg" and "e.g. Ada" have no end of a sentence inside. */
const isLabelText = (text: string) =>
  text.length <= labelCharsMax &&
  /[\p{L}\p{N}]/u.test(text) &&
  !/[.!;…]$|\p{L}{2}[.!?…]\s+\p{Lu}/u.test(text) &&
  (/[:?*)\]]$/.test(text) || text.split(' ').length <= labelWordsMax)

function isNear(node: Node, field: Element): boolean {
  const range = documentOf(node).createRange()
  range.selectNode(node)
  const [one, other] = [range.getBoundingClientRect(), rectOf(field)]
  const x = Math.max(one.left - other.right, other.left - one.right)
  const y = Math.max(one.top - other.bottom, other.top - one.bottom)
  return x <= labelGapsPx.x && y <= labelGapsPx.y
}
