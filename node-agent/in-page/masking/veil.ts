/**
 * Hides texts on the screen for as long as this document lives: fields that match a pattern show dots, and
 * text that does is blacked out. So every picture lacks them: screenshots, live views,
 * the desktop. Nothing of the document changes but the style of its fields; a page that wants to show
 * what it was given can still do so, for instance letter by letter or on a canvas.
 */
import type { AnyElement } from '../any-element.ts'
import { nodeTypeOf, nodesIn, shadowRootOf } from '../dom.ts'

export interface Veil {
  /** Global in all worlds of a document, so each bundle has its own. */
  readonly highlight: string
  /** Further rules for the document and its shadow roots. */
  readonly css: string
}

const dots = '-webkit-text-security'

let veil: Veil = { highlight: 'troupe-veil', css: '' }
let sheet: CSSStyleSheet | undefined
let patterns: readonly RegExp[] = []
let observer: MutationObserver | undefined
const roots = new Set<Document | ShadowRoot>()
const ranges = new Map<Node, readonly Range[]>()
const watched = new WeakSet<Node>()
/** How often each field was veiled: a page that takes the veil off each time must not be kept busy. */
const veiled = new WeakMap<Node, number>()
const veilingsMax = 100
const rangesKept = 500

/** From now on also what matches these; they have the flag `g`. */
export function veilPatterns(given: readonly RegExp[], look: Veil = veil): void {
  veil = look
  const known = new Set(patterns.map(({ source }) => source))
  patterns = [...patterns, ...given.filter(({ source }) => !known.has(source))]
  observer ??= new MutationObserver(onMutations)
  watch(document)
  veilIn(document)
}

/** Shows dots for all that the field has. */
export function veilField(this: AnyElement): void {
  const times = veiled.get(this) ?? 0
  if (times >= veilingsMax) return
  veiled.set(this, times + 1)
  this.style.setProperty(dots, 'disc', 'important')
}

/** True if the document shows a value as text. */
export const showsVeiled = (): boolean => {
  if (patterns.length === 0) return false
  veilIn(document)
  return [...ranges.keys()].some((node) => node.isConnected)
}

/** Observers and style sheets end at shadow roots, so each root has its own. */
function watch(root: Document | ShadowRoot): void {
  if (watched.has(root)) return
  watched.add(root)
  roots.add(root)
  addSheet(root)
  const kinds = { childList: true, characterData: true, attributes: true, subtree: true }
  observer!.observe(root, { ...kinds, attributeFilter: ['value', 'type', 'style'] })
  for (const event of ['input', 'change', 'focusin']) {
    root.addEventListener(event, (change) => veilIn(change.composedPath()[0] as Node), true)
    root.addEventListener(event, veilInTime, true)
  }
}

function addSheet(root: Document | ShadowRoot): void {
  if (!sheet) {
    sheet = new CSSStyleSheet()
    const black = `::highlight(${veil.highlight}) { color: transparent; background-color: black }`
    sheet.replaceSync(`${black}\n${veil.css}`)
  }
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
}

/** A page that sets the style sheets of a root takes ours away. */
function keepSheets(): void {
  for (const root of roots) {
    if (root !== document && !root.isConnected) roots.delete(root)
    else if (!root.adoptedStyleSheets.includes(sheet!)) addSheet(root)
  }
}

let isPending = false

/**
 * Looks at all fields and shadow roots before the next frame: a script that assigns a value or attaches a
 * root changes nothing that could be observed.
 */
export function veilInTime(): void {
  if (isPending) return
  isPending = true
  requestAnimationFrame(() => {
    isPending = false
    keepSheets()
    for (const root of roots) {
      for (const element of root.querySelectorAll('*')) veilElement(element as AnyElement)
    }
  })
}

function onMutations(records: readonly MutationRecord[]): void {
  keepSheets()
  veilInTime()
  for (const { target, addedNodes } of records) {
    if (addedNodes.length === 0) veilIn(target, false)
    for (const node of addedNodes) veilIn(node)
  }
}

function veilIn(node: Node, isDeep = true): void {
  const type = nodeTypeOf(node)
  if (type === Node.TEXT_NODE) return veilText(node as Text)
  if (type === Node.ELEMENT_NODE) veilElement(node as AnyElement)
  if (!isDeep) return
  for (const child of nodesIn(node)) veilIn(child)
}

function veilElement(element: AnyElement): void {
  const shadow = shadowRootOf(element)
  if (shadow && !watched.has(shadow)) {
    watch(shadow)
    veilIn(shadow)
  }
  if (element.localName !== 'input' && element.localName !== 'textarea') return
  const { value = '' } = element
  // A style that is set again would be a mutation again.
  if (isShown(value) && element.style.getPropertyValue(dots) !== 'disc') veilField.call(element)
}

const isShown = (text: string) =>
  text !== '' && patterns.some((pattern) => text.search(pattern) >= 0)

function veilText(node: Text): void {
  const found = patterns.flatMap((pattern) => [...node.data.matchAll(pattern)])
  const before = ranges.get(node)
  if (found.length === 0 && !before) return
  const highlight = CSS.highlights.get(veil.highlight) ?? new Highlight()
  for (const range of before ?? []) highlight.delete(range)
  const now = found.map(({ 0: text, index }) => {
    const range = new Range()
    range.setStart(node, index)
    range.setEnd(node, index + text.length)
    return range
  })
  for (const range of now) highlight.add(range)
  if (now.length > 0) ranges.set(node, now)
  else ranges.delete(node)
  if (ranges.size > rangesKept) forgetRemoved(highlight)
  CSS.highlights.set(veil.highlight, highlight)
}

function forgetRemoved(highlight: Highlight): void {
  for (const [node, old] of ranges) {
    if (node.isConnected) continue
    for (const range of old) highlight.delete(range)
    ranges.delete(node)
  }
}
